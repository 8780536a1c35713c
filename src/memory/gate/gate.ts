/**
 * The gate before every addition to memory: checks the draft and compares it with existing memories.
 *
 *     the same again             the existing memory is updated
 *     the opposite, said later   the newer is written, the older becomes superseded and names the newer
 *     the opposite, said earlier or not by the user   refused
 *
 * It is the only way in: the extraction, the agent's tools, people's commands and imports of texts share it.
 *
 * The user's words never change: a later statement only adds aliases, tags and the like, and a repetition by an agent
 * adds nothing.
 *
 * Idempotent: after a crash the same statement may come again.
 */

import { toLine } from "../../base/text.js";
import { type Compare, compareStatements, type Relation } from "../../text/compare.js";
import { languages } from "../../text/language.js";
import { findSecrets, redactSecrets } from "../../text/secrets/secrets.js";
import { countShared, readStems } from "../../text/words.js";
import {
  isConfidential,
  isUsers,
  type Memory,
  type MemoryDraft,
  memoryTypes,
  usersTypes,
  withSession,
} from "../memory.js";
import type { MemorySearch } from "../search/search.js";
import type { Cause } from "../store/ledger.js";
import type { MemoryStore, Written } from "../store/store.js";

export type Gate = ReturnType<typeof createGate>;

interface GateOptions {
  memories: Pick<MemoryStore, "list" | "remember" | "update">;
  /** Finds what to compare with among many; absent: all are compared. */
  search?: Pick<MemorySearch, "find">;
}

/** All are compared while they are few: a contradiction need not share many words. */
const FEW_MEMORIES = 500;
const MOST_SIMILAR = 20;

export function createGate({ memories, search }: GateOptions) {
  return {
    /**
     * Saves a person's words verbatim, and refuses secrets. The same sentence stays one memory; the new memory supersedes
     * those it contradicts.
     */
    async keep(draft: MemoryDraft, cause: Cause): Promise<Written> {
      const similar = await readSimilar(draft);
      const older = similar.filter(
        (memory) => isNear(draft, memory) && relate(draft, memory) === "contradicts",
      );
      return add(draft, older, cause);
    },

    /**
     * `saidMs`: when it was said. `replaces`: ids of memories that a judge says are no longer true; those that are about
     * the same subject are superseded. Rejects when the disk fails; a refusal is a value.
     */
    async save(
      draft: MemoryDraft,
      saidMs: number,
      cause: Cause,
      replaces: readonly string[] = [],
    ): Promise<Written> {
      const checked = checkDraft(draft);
      return checked.kind === "refused" ? checked : write(checked.draft, { saidMs, replaces }, cause);
    },

    /**
     * For a person's texts from elsewhere, of unknown age: as `save`, but verbatim and of any length. What contradicts a
     * memory of the user's is refused.
     */
    takeIn: (draft: MemoryDraft, cause: Cause) => write(draft, { saidMs: 0, replaces: [] }, cause),
  };

  async function write(
    draft: MemoryDraft,
    { replaces, saidMs }: { replaces: readonly string[]; saidMs: number },
    cause: Cause,
  ): Promise<Written> {
    const similar = await readSimilar(draft);
    const named = replaces.length > 0 ? await memories.list() : [];
    const replaced = named.filter((one) => replaces.includes(one.id) && mayReplace(draft, one));
    const known = new Set(similar.map(({ id }) => id));
    const all = [...similar, ...replaced.filter(({ id }) => !known.has(id))];
    const plan = planWrite(draft, all, saidMs, new Set(replaced.map(({ id }) => id)));
    if (plan.kind === "refused") return plan;
    if (plan.kind === "merge")
      return memories.update(plan.into.id, (current) => mergeDraft(current, draft), cause);
    return add(draft, plan.supersedes, cause);
  }

  /** In the order of the store. Foreign memories neither contradict the user nor absorb the user's words. */
  async function readSimilar({ content, title = "" }: MemoryDraft): Promise<readonly Memory[]> {
    const all = (await memories.list()).filter(({ isForeign }) => !isForeign);
    if (!search || all.length <= FEW_MEMORIES) return all;
    const found = await search.find({ text: `${title}\n${content}`, limit: MOST_SIMILAR, byWords: true });
    const ids = new Set(found.flatMap((one) => (one.kind === "memory" ? [one.memory.id] : [])));
    return all.filter(({ id }) => ids.has(id));
  }

  /** Writes the newer first: if the process stops there, both exist. */
  async function add(draft: MemoryDraft, older: readonly Memory[], cause: Cause): Promise<Written> {
    const links = [...(draft.links ?? []), ...older.map(({ id }) => id)];
    const written = await memories.remember({ ...draft, ...(links.length > 0 && { links }) }, cause);
    // An existing memory superseded the others when it was written.
    if (written.kind === "refused" || written.isKnown) return written;
    const { id } = written.memory;
    for (const memory of older) await memories.update(memory.id, (current) => supersede(current, id), cause);
    return written.kind === "written" && older.length > 0 ? { ...written, superseded: older } : written;
  }
}

function supersede(memory: Memory, supersededBy: string): Memory | undefined {
  return memory.status === "superseded" ? undefined : { ...memory, status: "superseded", supersededBy };
}

/** Decides what to do with a draft, given the memories on the same subject. Pure. */
function planWrite(
  draft: MemoryDraft,
  similar: readonly Memory[],
  saidMs: number,
  replaced: ReadonlySet<string>,
) {
  const near = similar.filter((memory) => isNear(draft, memory));
  const again = near.find(({ provenance }) => isSameSource(draft, provenance));
  if (again) return { kind: "merge" as const, into: again };
  const relations = near.map((memory) => ({
    memory,
    relation: replaced.has(memory.id) ? ("contradicts" as const) : relate(draft, memory),
  }));
  const contradicted = relations
    .filter(({ relation }) => relation === "contradicts")
    .map(({ memory }) => memory);
  const stronger = contradicted.find((memory) => isStronger(memory, draft, saidMs));
  if (stronger) {
    const why = `Expected nothing that contradicts a memory, and ${stronger.id} says otherwise and is ${draft.provenance.by === "user" ? "newer" : "the user's"}; change that one if it is wrong.`;
    return { kind: "refused" as const, why, existing: stronger };
  }
  const same = relations.find(
    ({ memory, relation }) => relation === "same" && mayMerge(memory, draft),
  )?.memory;
  if (same && contradicted.length === 0) return { kind: "merge" as const, into: same };
  return { kind: "add" as const, supersedes: contradicted };
}

/** Of somebody's who may be contradicted, and about something that the draft is about. */
const mayReplace = ({ content, title = "" }: MemoryDraft, memory: Memory): boolean =>
  !memory.isForeign &&
  countShared(readStems(`${memory.title} ${memory.content}`), readStems(`${title} ${content}`)) > 0;

/** What the user calls private is compared with its like alone. */
function isNear(draft: MemoryDraft, memory: Memory): boolean {
  const { scope, status } = memory;
  return (
    status === "active" &&
    scope === (draft.scope ?? "project") &&
    isConfidential(memory) === (draft.sensitivity === "private")
  );
}

/** A user's rule is never merged into an agent's note. */
const mayMerge = (memory: Memory, draft: MemoryDraft): boolean =>
  usersTypes.has(memory.type) || !usersTypes.has(draft.type);

/** True for the same sentence of the same message. */
function isSameSource({ provenance }: MemoryDraft, other: Memory["provenance"]): boolean {
  const { evidence, message } = provenance;
  if (message === undefined || evidence === undefined) return false;
  return message === other.message && evidence === other.evidence;
}

/**
 * The relation of a later statement to a memory; all ways into memory use it. Compares the evidence too, if known:
 * a model's wording uses other words.
 */
export function relate(
  { content, provenance }: Pick<MemoryDraft, "content" | "provenance">,
  memory: Memory,
  compare: Compare = compareStatements,
): Relation {
  const worded = compare(content, memory.content);
  const { evidence } = provenance;
  // The evidence of a confirmed memory is an answer such as "yes", which is the same for any question.
  const isBare = [provenance, memory.provenance].some(({ how }) => how === "confirmed");
  return worded === "other" && !isBare && evidence !== undefined && memory.provenance.evidence !== undefined
    ? compare(evidence, memory.provenance.evidence)
    : worded;
}

const isStronger = (memory: Memory, { provenance }: MemoryDraft, saidMs: number): boolean =>
  isUsers(memory) && (provenance.by !== "user" || Date.parse(memory.updated) > saidMs);

const MOST_WORDS = 20;

/**
 * The existing memory with the draft's additions; `undefined` if there are none. Words that a person wrote or the user
 * said stay.
 */
function mergeDraft(memory: Memory, draft: MemoryDraft): Memory | undefined {
  const isRule = usersTypes.has(memory.type);
  if (isRule && draft.provenance.by !== "user") return undefined;
  const aliases = union(memory.aliases, draft.aliases);
  const tags = union(memory.tags, draft.tags);
  const entities = union(memory.entities, draft.entities);
  // Only the user's own sentence adds triggers to a rule.
  const when = isRule && !isVerbatim(draft) ? memory.when : union(memory.when, draft.when);
  const mayReword =
    draft.provenance.by === "user" &&
    (!isRule || (isVerbatim(draft) && !isVerbatim(memory))) &&
    memory.provenance.by !== "person" &&
    !isSameSource(draft, memory.provenance) &&
    compareStatements(draft.content, memory.content) !== "same";
  const words = { aliases, tags, entities, when };
  const isMore = (["aliases", "tags", "entities", "when"] as const).some(
    (name) => words[name].length !== memory[name].length,
  );
  const confirmed = withSession(memory, draft.provenance.session);
  if (!isMore && !mayReword) return confirmed;
  const reworded = { content: draft.content, provenance: draft.provenance };
  return { ...(confirmed ?? memory), ...words, ...(mayReword && reworded) };
}

/** True if the content is the user's own words, or confirmed by the user. */
function isVerbatim({ content, provenance }: Pick<Memory, "content" | "provenance">): boolean {
  return provenance.how === "confirmed" || provenance.evidence === content;
}

function union(known: readonly string[], added: readonly string[] = []): readonly string[] {
  const lower = new Set(known.map((word) => word.toLowerCase()));
  return [...known, ...added.filter((word) => !lower.has(word.toLowerCase()))].slice(
    0,
    Math.max(MOST_WORDS, known.length),
  );
}

/** For a person: the memories that their new statement contradicts. */
export function formatContradicted(written: Written): string[] {
  const contradicted = (written.kind === "written" && written.superseded) || [];
  return contradicted.map(
    ({ id, title }) =>
      `It contradicts ${id} ("${title}"), which no longer applies and is kept as superseded.`,
  );
}

/* Checks a draft before it is written to memory: complete, small, free of secrets, allowed to be a rule. Pure. */

const MOST_CONTENT = 8_000;
const LONGEST_TITLE = 120;
const LONGEST_WORD = 120;
/** A sentence and its reason. */
const LONGEST_EVIDENCE = 1_300;
/** Minimum number of letters left in a text after its secrets are removed. */
const LEAST_LEFT = 12;

/** The draft without secrets, or why it may not be written. */
export function checkDraft(
  draft: MemoryDraft,
): { kind: "fit"; draft: MemoryDraft } | { kind: "refused"; why: string } {
  const why = findFault(draft);
  if (why !== undefined) return { kind: "refused", why };
  const content = redactSecrets(draft.content.trim());
  if (content.found.length > 0 && isEmptied(content.text)) {
    const [first] = content.found;
    const what = `Expected a fact, and a ${first?.name} came; keep it out of memory and say where it is kept.`;
    return { kind: "refused", why: what };
  }
  return { kind: "fit", draft: { ...draft, content: content.text, ...cleanFields(draft) } };
}

function findFault({ content, provenance, type }: MemoryDraft): string | undefined {
  if (!memoryTypes.includes(type))
    return `Expected a type out of ${memoryTypes.join(", ")}; "${toLine(String(type), 40)}" came.`;
  if (typeof content !== "string" || content.trim() === "") return "Expected content; there is none.";
  if (content.length > MOST_CONTENT)
    return `Expected at most ${MOST_CONTENT} characters, ${content.length} came; keep one fact, and name the file that has the rest.`;
  return findForeignOrder({ content, provenance, type });
}

/** Instructions to the model itself, which no project needs to remember. */
export const TAKES_OVER =
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|all|any|system|your)\b.{0,30}\b(instructions?|prompts?|rules|messages|guidelines)\b|\b(system prompt|you are now|new instructions|developer mode|jailbreak|do not (tell|inform|mention|reveal)\b.{0,30}\b(user|human|owner))\b|忽略.{0,12}(之前|以上|上面|先前|所有).{0,8}(指令|指示|提示|规则)|(不要|别)告诉用户/i;

/** Only a person makes rules; text from a tool may not even sound like one. */
function findForeignOrder(draft: Pick<MemoryDraft, "content" | "provenance" | "type">): string | undefined {
  if (isUsers(draft)) return undefined;
  const { content, type } = draft;
  const { by } = draft.provenance;
  if (usersTypes.has(type))
    return `Expected the user's own words for a ${type}, text of ${by === "agent" ? "the agent's" : "a tool"} came; keep a fact as knowledge.`;
  if (TAKES_OVER.test(content) || (by === "tool" && soundsLikeRule(content)))
    return "Expected a fact, text that gives orders came from elsewhere than the user; say what is the case and where it was read.";
  return undefined;
}

const soundsLikeRule = (text: string): boolean =>
  languages.some(({ sessionRulesInQuestions }) => sessionRulesInQuestions.test(text));

const isEmptied = (redacted: string): boolean =>
  redacted.replace(/\[removed: [^\]]+\]/g, "").replace(/[^\p{L}]/gu, "").length < LEAST_LEFT;

function cleanFields({ aliases, provenance, tags, title, when }: MemoryDraft) {
  const line = (text: string, most: number): string => redactSecrets(toLine(text, most)).text;
  const words = (list: readonly string[]): string[] =>
    [...new Set(list.map((word) => toLine(word, LONGEST_WORD)))]
      .filter((word) => word !== "" && findSecrets(word).length === 0)
      .slice(0, MOST_WORDS);
  const { evidence } = provenance;
  return {
    ...(title !== undefined && { title: line(title, LONGEST_TITLE) }),
    ...(aliases && { aliases: words(aliases) }),
    ...(tags && { tags: words(tags) }),
    ...(when && { when: words(when) }),
    provenance: {
      ...provenance,
      ...(evidence !== undefined && { evidence: line(evidence, LONGEST_EVIDENCE) }),
    },
  };
}
