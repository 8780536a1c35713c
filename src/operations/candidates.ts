/** Operations on what waits to become a memory. For the user alone: no model sees candidates, and none decides. */
import * as z from "zod";
import { StrataError } from "../base/error.js";
import {
  isHandedOver,
  planDraft,
  readSessions,
  type WaitingCandidate,
} from "../memory/candidates/candidate.js";
import {
  findReasons,
  formatCandidates,
  formatReasons,
  planNext,
  readSurroundings,
} from "../memory/candidates/why.js";
import { formatContradicted } from "../memory/gate/gate.js";
import { findByID } from "../status/context-items.js";
import { noteNew } from "./change.js";
import {
  answerWritten,
  defineOperation,
  flag,
  memoryType,
  names,
  planCause,
  REFUSED,
  text,
  type WrittenData,
} from "./operation.js";

const LISTING = "candidates";
const NONE = "No candidates wait.";
const BY_IDS = "must name candidates by their ids";
const ids = z.array(text(BY_IDS), BY_IDS).min(1, BY_IDS);

const listInput = z.object({ type: memoryType.optional().describe("only those of this type") });

export const list = defineOperation(listInput, async (core, { type }) => {
  const all = await (await core.candidates()).list();
  const shown = all.filter((one) => type === undefined || one.type === type);
  return {
    text: shown.length === 0 ? NONE : formatCandidates(shown, core.clock.now()).join("\n"),
    data: { candidates: shown.map(describe) },
  };
});

export type DescribedCandidate = ReturnType<typeof describe>;

export function describe(candidate: WaitingCandidate) {
  const { id, said, type, worth } = candidate;
  return {
    ...{ id, type, worth, sessions: readSessions(candidate).length, ...readSurroundings(candidate) },
    ...(isHandedOver(candidate) && { isHandedOver: true }),
    said: said
      .filter(({ isTakenBack }) => !isTakenBack)
      .map(({ message, saidMs, session }) => ({ session, message, at: new Date(saidMs).toISOString() })),
  };
}

const keepInput = z.object({
  ids,
  type: memoryType.optional().describe("the type that they get (default: the candidate's own)"),
});

export const keep = defineOperation(keepInput, async (core, { ids: wanted, type }) => {
  const candidates = await core.candidates();
  const { clock } = core;
  const chosen = findCandidates(await candidates.list(), wanted, core.nameOf(LISTING));
  const gate = await core.gate();
  const cause = planCause(core, "keep");
  const lines: string[] = [];
  const notes: string[] = [];
  const kept: WrittenData[] = [];
  for (const one of chosen) {
    const draft = planDraft(one, { how: "confirmed", type });
    const written = draft && (await gate.save(draft, clock.now(), cause));
    if (!written || written.kind === "refused") {
      notes.push(`${one.id} still waits: ${written?.why ?? "its message was taken back"}`);
      continue;
    }
    await candidates.settle([one.id]);
    const { text, data } = answerWritten(written, "Remembered", cause.run);
    lines.push(text, ...formatContradicted(written));
    kept.push(data as WrittenData);
    if (written.kind === "written" && !written.isKnown) notes.push(...(await noteNew(core, written.memory)));
  }
  if (kept.length === 0) throw new StrataError(REFUSED, notes.join("\n"));
  const data = kept.length === 1 ? kept[0] : { kept };
  return { text: lines.join("\n"), data, notes, isProblem: kept.length < chosen.length, run: cause.run };
});

const SHORTEST_ID = 3;

/** The candidates with these ids, or with ids that begin so, in this order. @throws StrataError before anything is done */
function findCandidates(all: readonly WaitingCandidate[], wanted: readonly string[], listing: string) {
  const how = { listing, shortest: SHORTEST_ID, what: "a candidate" };
  return [...new Set(wanted.map((given) => findByID(all, given, how)))];
}

const dropInput = z.object({ ids: names.default([]), all: flag.default(false).describe("all that wait") });

export const drop = defineOperation(
  dropInput.refine(
    ({ all, ids: wanted }) => all !== wanted.length > 0,
    "expected ids of candidates, or all of them",
  ),
  async (core, { all, ids: wanted }) => {
    const candidates = await core.candidates();
    const waiting = await candidates.list();
    const chosen = all ? waiting : findCandidates(waiting, wanted, core.nameOf(LISTING));
    await candidates.drop(chosen.map(({ id }) => id));
    const dropped = chosen.map(({ id }) => id);
    return { text: dropped.length === 0 ? NONE : `Dropped: ${dropped.join(", ")}`, data: { dropped } };
  },
);

const whyInput = z.object({ words: text("must say about what: invoice numbers") });

export const why = defineOperation(whyInput, async (core, { words }) => {
  const candidates = await core.candidates();
  const reasons = await findReasons(words, { candidates, memories: core.memories });
  const door = core.session === undefined ? "terminal" : "session";
  const found = reasons.found.map(({ atMs, ...one }) => ({
    ...{ ...one, at: new Date(atMs).toISOString() },
    todo: planNext({ atMs, ...one }, door),
  }));
  return { text: formatReasons(reasons, door), data: { ...reasons, found } };
});
