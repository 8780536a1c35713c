/**
 * The gate before a write to memory that nobody has looked at: checks the draft, and finds what is known already.
 *
 *     the same again             the known one is brought up to date
 *     the opposite, said later   the newer is written, the older becomes superseded and names it
 *     the opposite, said earlier or not by the user   refused
 *
 * What the user said stays as they said it: what comes later adds to how it is found, never to its words, and an agent
 * that says the same adds nothing.
 *
 * Doing it twice changes nothing: after a crash the same statement may come again.
 */

import { type Memory, type MemoryDraft, usersTypes } from "../memory/memory.js";
import { withSession } from "../memory/sessions.js";
import type { Cause } from "../memory/store/ledger-line.js";
import type { MemoryStore, Written } from "../memory/store.js";
import { compareStatements } from "../statement/compare.js";
import { checkDraft } from "./check-draft.js";

/** Memories that may be about the same, the most similar first. */
export type FindSimilar = (text: string, options: { limit: number }) => Promise<readonly { id: string }[]>;

export interface Gate {
  /**
   * What a person wants kept, as it is, secrets refused: the same sentence is one memory, and what it contradicts is
   * superseded by it and named.
   */
  keep(draft: MemoryDraft, cause: Cause): Promise<{ written: Written; contradicted: readonly Memory[] }>;
  /** `saidMs`: when it was said. Rejects when the disk does not take it; a refusal is a value. */
  save(draft: MemoryDraft, saidMs: number, cause: Cause): Promise<Written>;
}

export interface GateOptions {
  memories: Pick<MemoryStore, "list" | "remember" | "update">;
  /** Without it all memories are compared. */
  findSimilar?: FindSimilar;
}

const MOST_SIMILAR = 20;

export function createGate({ findSimilar, memories }: GateOptions): Gate {
  return {
    async keep(draft, cause) {
      const similar = await readSimilar(draft);
      const older = similar.filter(
        (memory) => isNear(draft, memory) && relate(draft, memory) === "contradicts",
      );
      const written = await add(draft, older, cause);
      const isNew = written.kind === "written" && !written.isKnown;
      return { written, contradicted: isNew ? older : [] };
    },

    async save(draft, saidMs, cause) {
      const checked = checkDraft(draft);
      if (checked.kind === "refused") return checked;
      const plan = planWrite(checked.draft, await readSimilar(checked.draft), saidMs);
      if (plan.kind === "refused") return plan;
      if (plan.kind === "merge")
        return memories.update(plan.into.id, (current) => mergeDraft(current, checked.draft), cause);
      return add(checked.draft, plan.supersedes, cause);
    },
  };

  async function readSimilar({ content, title = "" }: MemoryDraft): Promise<readonly Memory[]> {
    // What came with the repository neither stands against the user's word nor takes it in.
    const all = (await memories.list()).filter(({ isForeign }) => !isForeign);
    if (!findSimilar) return all;
    const found = await findSimilar(`${title}\n${content}`, { limit: MOST_SIMILAR });
    const ids = new Set(found.map(({ id }) => id));
    return all.filter(({ id }) => ids.has(id));
  }

  /** The newer first: if it goes no further than that, both are there. */
  async function add(draft: MemoryDraft, older: readonly Memory[], cause: Cause): Promise<Written> {
    const links = [...(draft.links ?? []), ...older.map(({ id }) => id)];
    const written = await memories.remember({ ...draft, ...(links.length > 0 && { links }) }, cause);
    // What is known already has had its say about the others.
    if (written.kind === "refused" || written.isKnown) return written;
    const { id } = written.memory;
    for (const memory of older) await memories.update(memory.id, (current) => supersede(current, id), cause);
    return written;
  }
}

function supersede(memory: Memory, supersededBy: string): Memory | undefined {
  return memory.status === "superseded" ? undefined : { ...memory, status: "superseded", supersededBy };
}

export type WritePlan =
  | { kind: "add"; supersedes: readonly Memory[] }
  | { kind: "merge"; into: Memory }
  | { kind: "refused"; why: string; existing: Memory };

/** What becomes of a draft beside the memories that are about the same. Pure. */
export function planWrite(draft: MemoryDraft, similar: readonly Memory[], saidMs: number): WritePlan {
  const near = similar.filter((memory) => isNear(draft, memory));
  const again = near.find(({ provenance }) => isSameSource(draft, provenance));
  if (again) return { kind: "merge", into: again };
  const relations = near.map((memory) => ({ memory, relation: relate(draft, memory) }));
  const contradicted = relations.flatMap(({ memory, relation }) =>
    relation === "contradicts" ? [memory] : [],
  );
  const stronger = contradicted.find((memory) => isStronger(memory, draft, saidMs));
  if (stronger) {
    const why = `Expected nothing that contradicts a memory, and ${stronger.id} says otherwise and is ${draft.provenance.by === "user" ? "newer" : "the user's"}; change that one if it is wrong.`;
    return { kind: "refused", why, existing: stronger };
  }
  const same = relations.find(
    ({ memory, relation }) => relation === "same" && mayTakeIn(memory, draft),
  )?.memory;
  if (same && contradicted.length === 0) return { kind: "merge", into: same };
  return { kind: "add", supersedes: contradicted };
}

function isNear(draft: MemoryDraft, { scope, sensitivity, status }: Memory): boolean {
  return (
    status === "active" &&
    scope === (draft.scope ?? "project") &&
    sensitivity === (draft.sensitivity ?? "internal")
  );
}

/** A rule of the user's does not vanish in what an agent has noted. */
const mayTakeIn = (memory: Memory, draft: MemoryDraft): boolean =>
  usersTypes.has(memory.type) || !usersTypes.has(draft.type);

/** The same sentence of the same message. */
function isSameSource({ provenance }: MemoryDraft, other: Memory["provenance"]): boolean {
  const { evidence, message } = provenance;
  if (message === undefined || evidence === undefined) return false;
  return message === other.message && evidence === other.evidence;
}

/** By what was said where that is known: a model's wording has other words. Of a command by the command alone. */
function relate({ content, provenance, title }: MemoryDraft, memory: Memory) {
  if (isCounted(provenance) || isCounted(memory.provenance))
    return isCounted(provenance) && isCounted(memory.provenance) && title === memory.title ? "same" : "other";
  const worded = compareStatements(content, memory.content);
  const { evidence } = provenance;
  // "Yes" says the same to any question.
  const isBare = [provenance, memory.provenance].some(({ how }) => how === "confirmed");
  return worded === "other" && !isBare && evidence !== undefined && memory.provenance.evidence !== undefined
    ? compareStatements(evidence, memory.provenance.evidence)
    : worded;
}

const isCounted = ({ how }: Memory["provenance"]): boolean => how === "counted";

function isStronger(memory: Memory, { provenance }: MemoryDraft, saidMs: number): boolean {
  const isUsers = memory.provenance.by === "user" || memory.provenance.by === "person";
  return isUsers && (provenance.by !== "user" || Date.parse(memory.updated) > saidMs);
}

const MOST_WORDS = 20;

/** The known memory with what the draft adds; `undefined` when that is nothing. What a person wrote, or the user said, stays. */
function mergeDraft(memory: Memory, draft: MemoryDraft): Memory | undefined {
  const isUsers = usersTypes.has(memory.type);
  if (isUsers && draft.provenance.by !== "user") return undefined;
  const aliases = unite(memory.aliases, draft.aliases);
  const tags = unite(memory.tags, draft.tags);
  const entities = unite(memory.entities, draft.entities);
  // A rule waits for what the user's own sentence names.
  const when = isUsers && !isVerbatim(draft) ? memory.when : unite(memory.when, draft.when);
  const mayReword =
    draft.provenance.by === "user" &&
    (!isUsers || (isVerbatim(draft) && !isVerbatim(memory))) &&
    memory.provenance.by !== "person" &&
    !isSameSource(draft, memory.provenance) &&
    compareStatements(draft.content, memory.content) !== "same";
  const isMore = [
    [aliases, memory.aliases],
    [tags, memory.tags],
    [entities, memory.entities],
    [when, memory.when],
  ].some(([merged, known]) => merged?.length !== known?.length);
  const confirmed = withSession(memory, draft.provenance.session);
  if (!isMore && !mayReword) return confirmed;
  const reworded = { content: draft.content, provenance: draft.provenance };
  return { ...(confirmed ?? memory), aliases, tags, entities, when, ...(mayReword && reworded) };
}

/** In the user's own words, or as the user has confirmed it. */
function isVerbatim({ content, provenance }: Pick<Memory, "content" | "provenance">): boolean {
  return provenance.how === "confirmed" || provenance.evidence === content;
}

function unite(known: readonly string[], added: readonly string[] = []): readonly string[] {
  const lower = new Set(known.map((word) => word.toLowerCase()));
  return [...known, ...added.filter((word) => !lower.has(word.toLowerCase()))].slice(
    0,
    Math.max(MOST_WORDS, known.length),
  );
}

/** For a person: what they have just said does not go with these. */
export function formatContradicted(contradicted: readonly Memory[]): string[] {
  return contradicted.map(
    ({ id, title }) =>
      `It contradicts ${id} ("${title}"), which does not hold any more and is kept as superseded.`,
  );
}
