/** What is wrong with what the memories say: what they repeat, private or impossible names, what is out of date. */
import { randomUUID } from "node:crypto";
import { findPrivateID } from "../../memory/draft.js";
import {
  areBothKept,
  compareWorth,
  findDuplicates,
  findNearPairs,
  isOfOneKind,
  isProtected,
  mergeMetadata,
} from "../../memory/likeness.js";
import { isFinding, type Memory } from "../../memory/memory.js";
import { findNameFault } from "../../memory/path.js";
import type { OpenMemories } from "../../memory/store/store.js";
import { readMeaning } from "../../text/compare.js";

/** What is wrong, and what can be done about it. */
export interface Issue {
  /** `problem`: does not work. `warning`: needs attention. `note`: worth knowing, and nothing is wrong. */
  level: "problem" | "warning" | "note";
  /** Absolute path. */
  file: string;
  what: string;
  /** What the user can do. */
  todo: string;
  /** What `--fix` does about it; absent if only the user can decide. */
  fix?: Fix;
}

export interface Fix {
  /** In the imperative. */
  says: string;
  /** It removes or archives what only the user can judge, so the user is asked first. */
  isAsked?: true;
  /** Called before the store is opened, which itself finishes, records and rebuilds whatever is due. */
  prepare?(): Promise<void>;
  /** Throws if it could not be done. */
  run?(memories: OpenMemories): Promise<void>;
}

export interface MemoryFile {
  /** Absolute path. */
  file: string;
  memory: Memory;
}

/** An issue of the memory with this id. */
type MemoryIssue = Omit<Issue, "file"> & { id: string };

/** `given`: archived ones too. */
export function findMemoryIssues(given: readonly MemoryFile[], nowMs: number): Issue[] {
  const all = given.map(({ memory }) => memory);
  const fileOf = new Map(given.map(({ file, memory }) => [memory.id, file]));
  const found = [...findAlike(all), ...findNamed(all), ...findExpired(all, nowMs)];
  return found.map(({ id, ...issue }) => ({ ...issue, file: fileOf.get(id) ?? id }));
}

/** Memories that repeat another one. Findings quote pages, which may do so. */
function findAlike(memories: readonly Memory[]): MemoryIssue[] {
  const own = memories.filter((one) => one.status === "active" && !one.isForeign && !isFinding(one));
  const run = randomUUID().slice(0, 8);
  return planMerges(own).map((merge) => ({
    level: "note",
    id: merge.other.id,
    what: `${merge.survivor.id} says all of it`,
    todo: "strata check --fix merges the two",
    fix: {
      says: `merge it into ${merge.survivor.id}, which strata undo --run ${run} takes back`,
      isAsked: true,
      run: (store) => mergeOne(store, merge, run),
    },
  }));
}

/** Archives the other memory, after the survivor as it is by now has taken over what only the other has. */
async function mergeOne(memories: OpenMemories, { other, survivor }: MergedPair, run: string): Promise<void> {
  const before = (await memories.read(survivor.id)) ?? survivor;
  const archived = { ...other, status: "archived" as const, supersededBy: survivor.id };
  const changes = [
    { before, after: mergeMetadata(before, [other]), reason: `takes in ${other.id}` },
    { before: other, after: archived, reason: `${survivor.id} says it` },
  ];
  const changed = await memories.changeAll(changes, { operation: "merge", run });
  if (changed.kind === "refused") throw new Error(changed.why);
}

/** Names that other disks refuse, and private memories that a file names which may be committed. */
function findNamed(memories: readonly Memory[]): MemoryIssue[] {
  return memories.flatMap(({ content, id, links, sensitivity, tags, title }) => {
    const found: MemoryIssue[] = [];
    const fault = findNameFault(id.slice(id.lastIndexOf("/") + 1));
    if (fault !== undefined) {
      const what = `${fault}; it is read and used, but has no history, and Strata does not change it`;
      found.push({ level: "warning", id, what, todo: "rename it" });
    }
    const hidden = findPrivateID([title, content, ...tags, ...links].join("\n"));
    if (hidden !== undefined && sensitivity !== "private") {
      const what = `it names the private memory ${hidden} and may be committed`;
      found.push({ level: "problem", id, what, todo: "remove the name, or move the file to private/" });
    }
    return found;
  });
}

function findExpired(memories: readonly Memory[], nowMs: number): MemoryIssue[] {
  return memories.flatMap(({ expires, id, status }): MemoryIssue[] => {
    const isCurrent = status === "active" || status === "resolved";
    if (!isCurrent || expires === undefined || !(Date.parse(expires) <= nowMs)) return [];
    const run = async (store: OpenMemories): Promise<void> => {
      const written = await store.archive(id, { operation: "archive", reason: "expired" });
      if (written.kind === "refused") throw new Error(written.why);
    };
    const what = `it expired on ${expires.slice(0, 10)}`;
    const todo = "nothing, or set another date; it is no longer shown";
    return [{ level: "note", id, what, todo, fix: { says: "move it to the archive", run } }];
  });
}

/*
 * Which memories another one fully contains: it has the same sentences in the same order, maybe in other wording, and
 * maybe more. Cautious: texts that share nearly all words may still say different things, and a wrong merge loses a fact.
 * Pure.
 */

export interface MergedPair {
  survivor: Memory;
  other: Memory;
}

/** Each memory goes once at most. Never archives pinned memories, directives, decisions or corrections. */
export function planMerges(memories: readonly Memory[]): MergedPair[] {
  const merges: MergedPair[] = [];
  const going = new Set<string>();
  const staying = new Set<string>();
  const add = (survivor: Memory, other: Memory): void => {
    if (isProtected(other) || going.has(other.id) || going.has(survivor.id) || staying.has(other.id)) return;
    going.add(other.id);
    staying.add(survivor.id);
    merges.push({ survivor, other });
  };
  for (const { others, survivor } of findDuplicates(memories))
    for (const other of others) add(survivor, other);
  for (const [one, other] of findNearPairs(memories)) {
    if (!isOfOneKind(one, other) || areBothKept(one, other)) continue;
    const [a, b] = [readSentences(one.content), readSentences(other.content)];
    const [inOther, inOne] = [isWithin(a, b), isWithin(b, a)];
    if (inOther && (!inOne || compareWorth(one, other) > 0)) add(other, one);
    else if (inOne) add(one, other);
  }
  return merges;
}

/** Text with code is compared as a whole, because every character of code counts. */
function readSentences(text: string): readonly string[] {
  const meaning = readMeaning(text);
  return text.includes("```") ? [meaning] : meaning.split(" . ").filter((sentence) => sentence !== "");
}

/** In another text, "it" may refer to something else. */
const POINTING = /^(?:it|its|this|that|these|those|they|there|then|he|she)(?: |$)/i;

/** Are the sentences among the others, in the same order? */
function isWithin(sentences: readonly string[], others: readonly string[]): boolean {
  const isSame = sentences.length === others.length;
  if (sentences.length === 0 || (!isSame && sentences.some((one) => POINTING.test(one)))) return false;
  let next = 0;
  for (const other of others) if (other === sentences[next]) next++;
  return next === sentences.length;
}
