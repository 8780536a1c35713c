/** For the commands: which candidates a person means, and what becomes of those kept. */
import { StrataError } from "../../base/error.js";
import { formatContradicted, type Gate } from "../gate/gate.js";
import type { MemoryType } from "../memory.js";
import type { Cause } from "../store/ledger-line.js";
import type { MemoryStore, Written } from "../store/store.js";
import { planDraft, type WaitingCandidate } from "./candidate.js";
import type { Candidates } from "./candidates.js";

const SHORTEST_ID = 3;

/**
 * The candidates with these ids, or with ids that begin so, in this order.
 *
 * @throws StrataError NO_CANDIDATE or MANY_CANDIDATES, before anything is done. `listing` is the command that lists them.
 */
export function findCandidates(
  all: readonly WaitingCandidate[],
  ids: readonly string[],
  listing: string,
): readonly WaitingCandidate[] {
  return [...new Set(ids.map((id) => findCandidate(all, id, listing)))];
}

function findCandidate(all: readonly WaitingCandidate[], given: string, listing: string): WaitingCandidate {
  const wanted = given.toLowerCase();
  const exact = all.find(({ id }) => id === wanted);
  if (exact) return exact;
  const found = wanted.length < SHORTEST_ID ? [] : all.filter(({ id }) => id.startsWith(wanted));
  const [only] = found;
  if (only && found.length === 1) return only;
  if (!only)
    throw new StrataError(
      "NO_CANDIDATE",
      `expected the id of a waiting candidate, "${given}" came; ${listing} lists them. Nothing was changed`,
    );
  const named = found.map(({ id }) => id).join(", ");
  throw new StrataError(
    "MANY_CANDIDATES",
    `"${given}" begins the ids ${named}; write one of them whole. Nothing was changed`,
  );
}

export interface KeptCandidate {
  written: Written;
  /** A sentence for each memory that it contradicts. */
  contradicted: readonly string[];
}

export interface KeepOptions {
  candidates: Pick<Candidates, "settle">;
  cause: Cause;
  gate: Pick<Gate, "save">;
  memories: Pick<MemoryStore, "list">;
  nowMs: number;
  /** Default: the candidate's own. */
  type?: MemoryType | undefined;
}

/** Makes a candidate a memory because the user says so now. If the gate refuses it, it still waits. */
export async function keepCandidate(
  candidate: WaitingCandidate,
  { candidates, cause, gate, memories, nowMs, type }: KeepOptions,
): Promise<KeptCandidate> {
  const draft = planDraft(candidate, { how: "confirmed", type });
  if (!draft) return { written: { kind: "refused", why: "its message was taken back" }, contradicted: [] };
  const written = await gate.save(draft, nowMs, cause);
  if (written.kind === "refused") return { written, contradicted: [] };
  await candidates.settle([candidate.id]);
  const { id } = written.memory;
  const all = written.kind === "written" ? await memories.list({ archived: true }) : [];
  return { written, contradicted: formatContradicted(all.filter(({ supersededBy }) => supersededBy === id)) };
}
