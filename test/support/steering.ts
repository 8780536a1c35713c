/** Asks for changes of a context as the command line does, and reads what the screen would show. */
import { locateRecord } from "../../src/owner/record.js";
import {
  type Action,
  type ContextItem,
  type ContextItems,
  parseContextItems,
} from "../../src/steering/context-items.js";
import { type ContextOutcomeLine, createContextRequests } from "../../src/steering/context-requests.js";
import { PROJECT } from "./fake-host.js";
import type { World } from "./world.js";

const SCREEN = `${PROJECT}/.opencode/strata/state/screen`;

/** What the screen is told of the session after its last request. */
export async function readItems(world: World, session = "ses_1"): Promise<ContextItems> {
  await world.strata.idle();
  const parsed = parseContextItems(
    JSON.parse(world.files.text(`${SCREEN}/${session}.context.json`) ?? "null"),
  );
  if (!parsed) throw new Error(`no items of ${session}`);
  return parsed;
}

export async function findItem(
  world: World,
  wanted: (item: ContextItem) => boolean,
  session?: string,
): Promise<ContextItem> {
  const found = (await readItems(world, session)).items.find(wanted);
  if (!found) throw new Error("no such item");
  return found;
}

export function openRequests({ clock, files, host }: World) {
  const locate = async () =>
    (await locateRecord(files, { project: PROJECT, stateFolder: host.stateFolder })).contextRequests;
  return createContextRequests({ clock, files, locate });
}

export async function ask(world: World, action: Action, item: string, session = "ses_1"): Promise<void> {
  await openRequests(world).ask({ action, item, session });
}

/** What became of all that was asked, oldest first. */
export async function readOutcomes(world: World): Promise<ContextOutcomeLine[]> {
  await world.strata.idle();
  return (await openRequests(world).read()).settled;
}
