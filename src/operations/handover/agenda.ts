/** Open work in all sessions, and what is held: for a person to read, claim and release. */
import * as z from "zod";
import {
  type Agenda,
  createAgenda,
  findRecent,
  formatAgenda,
  isAgendaID,
  USUAL_DAYS,
} from "../../../layers/7-across-agents/agenda/agenda.js";
import { createPlaces } from "../../../layers/7-across-agents/leases/edits.js";
import {
  createLeases,
  formatHolder,
  formatLease,
  type LeaseOutcome,
} from "../../../layers/7-across-agents/leases/leases.js";
import { StrataError } from "../../base/error.js";
import type { OpenMemories } from "../../memory/store/store.js";
import {
  createOtherInstances,
  type Instance,
  LONGEST_ITEM,
  LONGEST_WHY,
  PERSON,
} from "../../project/instances.js";
import {
  defineOperation,
  defineTerminalOperation,
  flag,
  option,
  requireProject,
  text,
  wholeNumber,
} from "../operation.js";
import { openOwnState } from "../own-state.js";
import { openLocks, type Project } from "../project.js";

const agendaInput = z.object({
  all: flag.default(false).describe(`also items older than ${USUAL_DAYS} days`),
});

export const agenda = defineOperation(agendaInput, async (core, { all }) => {
  const shown = { nowMs: core.clock.now(), days: all ? undefined : USUAL_DAYS };
  const items = await openAgenda(requireProject(core), core.memories).read();
  const text = formatAgenda(items, { ...shown, command: core.nameOf("agenda") });
  return { text, data: findRecent(items, shown) };
});

export const leases = defineTerminalOperation(z.object({}), async (project) => {
  const held = await openLeases(project).leases.list();
  return { text: held.length === 0 ? "Nothing is held." : held.map(formatLease).join("\n"), data: held };
});

const MINUTE_MS = 60_000;
const MOST_MINUTES = 480;
const USUAL_MINUTES = { agenda: MOST_MINUTES, lease: 60 };

const item = text("must name an item, such as a-3fa2b1c, '#34' or src/a.ts").max(
  LONGEST_ITEM,
  `must have at most ${LONGEST_ITEM} characters`,
);
const claimInput = z.object({
  item,
  minutes: wholeNumber(1, MOST_MINUTES)
    .optional()
    .meta({ value: "count" })
    .describe("duration (default: 480 for an item of the agenda, else 60; maximum 480)"),
  hours: option(wholeNumber(1, MOST_MINUTES / 60), "count", "the same in hours"),
  why: z
    .string()
    .max(LONGEST_WHY, `must have at most ${LONGEST_WHY} characters`)
    .optional()
    .describe("the purpose, in a few words"),
});

/** An item of the agenda by its id, or whatever a lease can name. */
export const claim = defineOperation(claimInput, async (core, { hours, item, minutes, why }) => {
  const project = requireProject(core);
  const planMs = (usual: number): number =>
    (minutes ?? (hours === undefined ? usual : hours * 60)) * MINUTE_MS;
  if (isAgendaID(item)) {
    const agenda = openAgenda(project, core.memories);
    return { text: `Claimed: ${(await agenda.claim(item, PERSON, planMs(USUAL_MINUTES.agenda))).text}` };
  }
  const asked = { session: PERSON, forMs: planMs(USUAL_MINUTES.lease), ...(why !== undefined && { why }) };
  return { text: describe(await openLeases(project).leases.claim(item, asked), item, core.nameOf) };
});

/** Ends a claim, even an agent's. */
export const release = defineOperation(z.object({ item }), async (core, { item }) => {
  const project = requireProject(core);
  if (isAgendaID(item))
    return { text: `Released: ${(await openAgenda(project, core.memories).release(item, PERSON)).text}` };
  const outcome = await openLeases(project).leases.release(item, { session: PERSON });
  return { text: describe(outcome, item, core.nameOf) };
});

function describe(outcome: LeaseOutcome, item: string, nameOf: (operation: string) => string): string {
  if (outcome.kind === "held") return `Claimed: ${formatLease(outcome.lease)}`;
  if (outcome.kind === "released")
    return `Released: ${outcome.leases.map((lease) => `${lease.item} (was held by ${formatHolder(lease)})`).join(", ")}`;
  if (outcome.kind === "none")
    throw new StrataError("NOT_HELD", `${item} is not held; ${nameOf("agenda leases")} lists what is`);
  const { by } = outcome;
  throw new StrataError("TAKEN", `${formatLease(by)}; ${nameOf("agenda release")} '${by.item}' releases it`);
}

/** Opens the agenda for a person, who can read and claim its items. */
export function openAgenda(project: Project, memories: Pick<OpenMemories, "list">): Agenda {
  const { cli, folders } = project;
  const { files, sessions } = openOwnState(project);
  return createAgenda({
    ...{ clock: cli.clock, files, folders, sessions },
    ...openLeases(project),
    listMemories: () => memories.list(),
  });
}

/** The project's leases, for a person to read and change, and the running instances of OpenCode. */
export function openLeases(project: Project) {
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
    instances: { ownID: PERSON, join: async () => {}, living },
    places: createPlaces({ files, project: root, directory: cli.folder }),
    path: folders.leases,
  });
  return { leases, living };
}
