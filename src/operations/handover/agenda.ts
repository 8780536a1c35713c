import {
  type Agenda,
  createAgenda,
  findRecent,
  formatAgenda,
  USUAL_DAYS,
} from "../../../layers/7-across-agents/agenda/agenda.js";
import { isAgendaID } from "../../../layers/7-across-agents/agenda/plan-agenda.js";
import { createPlaces } from "../../../layers/7-across-agents/leases/edits.js";
import { createLeases, type Leases } from "../../../layers/7-across-agents/leases/leases.js";
import { HOUR_MS } from "../../base/days.js";
import { StrataError } from "../../base/error.js";
import type { OpenMemories } from "../../memory/store/store.js";
import { createOtherInstances, type Instance, PERSON } from "../../project/other-instances.js";
import { type CliContext, exitCodes, type Run, readWhole, WRONG_ARGUMENT } from "../command.js";
import { isInAgentsShell, withMemories } from "../open-memories.js";
import { openLocks, openOwnState, openProject, type Project } from "../project.js";

const MOST_HOURS = 8;

export const run: Run = async (cli, { all, hours, json }, [action, id, ...more]) => {
  const { clock, say } = cli;
  const forMs = readWhole("--hours", hours, { least: 1, most: MOST_HOURS, usual: MOST_HOURS }) * HOUR_MS;
  const isChange = (action === "claim" || action === "release") && id !== undefined && isAgendaID(id);
  if (action !== undefined && (!isChange || more.length > 0))
    throw new StrataError(
      WRONG_ARGUMENT,
      `expected nothing, or claim or release and the id of an item, "${[action, id, ...more].filter(Boolean).join(" ")}" came`,
    );
  const agenda = openAgenda(await openProject(cli));
  if (isChange) {
    await refuseAgents(cli);
    const item =
      action === "claim" ? await agenda.claim(id, PERSON, forMs) : await agenda.release(id, PERSON);
    say(`${action === "claim" ? "Claimed" : "Released"}: ${item.text}`);
    return exitCodes.fine;
  }
  const shown = { nowMs: clock.now(), days: all ? undefined : USUAL_DAYS };
  const items = await agenda.read();
  if (json) say(JSON.stringify(findRecent(items, shown), null, 2));
  else say(formatAgenda(items, { ...shown, command: "strata agenda" }));
  return exitCodes.fine;
};

/** Opens the agenda for a person, who can read and claim its items. `memories`: the project's, if they are open. */
export function openAgenda(project: Project, memories?: Pick<OpenMemories, "list">): Agenda {
  const { cli, folders } = project;
  const { files, sessions } = openOwnState(project);
  return createAgenda({
    ...{ clock: cli.clock, files, folders, sessions },
    ...openLeases(project),
    listMemories: () => (memories ? memories.list() : withMemories(project, (store) => store.list())),
  });
}

export interface PersonsLeases {
  /** Claims for a person. */
  leases: Leases;
  /** The running instances of OpenCode. Rejects with the system's error. */
  living(): Promise<readonly Instance[]>;
}

/** The project's leases, for a person to read and change. */
export function openLeases(project: Project): PersonsLeases {
  const { cli, folders, instance, processes, root } = project;
  const { files } = openOwnState(project);
  const others = createOtherInstances({
    ...{ clock: cli.clock, files, processes },
    folder: folders.instances,
    id: PERSON,
  });
  const living = async (): Promise<readonly Instance[]> => (await others.look()).alive;
  const leases = createLeases({
    ...{ clock: cli.clock, files },
    locks: openLocks(project, `${instance} leases`, files),
    // A person has no instance to announce or clean up.
    instances: { ownID: PERSON, join: async () => {}, living, onEnd: () => {} },
    places: createPlaces({ files, project: root, directory: cli.folder }),
    path: folders.leases,
  });
  return { leases, living };
}

/** @throws StrataError AGENT. `why`, as for leases: agents have their own tool, which cannot take another's. */
export async function refuseAgents(cli: CliContext, why = "which has the tool lease"): Promise<void> {
  if (await isInAgentsShell(cli))
    throw new StrataError("AGENT", `this shell is an agent's, ${why}; run the command in your own terminal`);
}
