/** Asks for changes of a context as the command line does, and reads what the screen would show. */

import { isToolPart, type Message, readResultText } from "../../src/io/message.js";
import { locateRecord } from "../../src/project/state-owner.js";
import {
  type Action,
  type ContextItem,
  type ContextItems,
  parseContextItems,
} from "../../src/status/context-items.js";
import { type ContextOutcomeLine, createContextRequests } from "../../src/status/context-requests.js";
import { PROJECT } from "./fake-host.js";
import { call, lines } from "./messages.js";
import { createSession, type Session } from "./session.js";
import { openWorld, type World, type WorldOptions } from "./world.js";

/** No layer moves anything by itself. */
export const QUIET = { microCompact: { enabled: false }, autoCompact: { threshold: 60_000 } };

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

export const read = (name: string, count = 200) =>
  call("read", `${name}\n${lines(count)}`, { state: { input: { filePath: `${PROJECT}/${name}` } } });

/** Two turns with results, an answer that ends each, and a new question. */
export async function talk(options: Record<string, unknown> = QUIET, more: WorldOptions = {}) {
  const world = await openWorld({ options, ...more });
  const session = createSession(world.clock);
  session.user("Look at the first.");
  session.answer([read("a.ts")]);
  session.answer([read("b.ts", 400)]);
  session.answer([], { text: "That is the first." });
  session.user("Now the second.");
  session.answer([read("c.ts")]);
  session.answer([], { text: "That is the second." });
  session.user("And?");
  await world.request([...session.messages]);
  return { world, session };
}

export const isOf =
  (name: string, kind: ContextItem["kind"] = "result") =>
  (item: ContextItem) =>
    item.kind === kind && item.name.includes(name);

/** The next request, after an answer and another question. */
export async function goOn(
  world: World,
  session: Session,
  words = "Go on.",
  sent = 20_000,
): Promise<readonly Message[]> {
  session.answer([], { text: "Well.", sent });
  session.user(words);
  return world.request([...session.messages]);
}

export const textsOf = (messages: readonly Message[]): string =>
  messages
    .flatMap(({ parts }) => parts.map((part) => (isToolPart(part) ? readResultText(part) : part.text) ?? ""))
    .join("\n");
