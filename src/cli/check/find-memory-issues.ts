/** What the memories say that they should not: what they repeat or contradict, dead or private names, what is out of date. */
import { randomUUID } from "node:crypto";
import { createDryFiles } from "../../io/dry-files.js";
import { findPrivateID } from "../../memory/draft.js";
import {
  areBothKept,
  compareWorth,
  findContradictions,
  findDuplicates,
  findNearPairs,
  isOfOneKind,
  isProtected,
  mergeMetadata,
} from "../../memory/likeness.js";
import type { Memory } from "../../memory/memory.js";
import { isFinding } from "../../memory/memory.js";
import { findNameFault } from "../../memory/path.js";
import type { OpenMemories } from "../../memory/store/store.js";
import type { Project } from "../../operations/project.js";
import { openConflictLog } from "../../operations/record-rivals.js";
import { checkFacts } from "../../sources/bootstrap/plan-bootstrap.js";
import { readTaken } from "../../sources/bootstrap/taken.js";
import { readMeaning } from "../../text/wording.js";

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
export async function findMemoryIssues(project: Project, given: readonly MemoryFile[]): Promise<Issue[]> {
  const { cli } = project;
  const all = given.map(({ memory }) => memory);
  const fileOf = new Map(given.map(({ file, memory }) => [memory.id, file]));
  const issues: Issue[] = [];
  const contested = new Set<string | undefined>();
  // The log archives settled records.
  const dry: Project = { ...project, cli: { ...cli, files: createDryFiles(cli.files, cli.clock) } };
  for (const { id, otherID, path } of await (await openConflictLog(dry)).listOpen(all)) {
    contested.add(id).add(otherID);
    const what = `${id} has two conflicting versions`;
    issues.push({ level: "warning", file: path, what, todo: "decide with strata reconcile" });
  }
  const found = [
    ...findAlike(all.filter(({ id }) => !contested.has(id))),
    ...findNamed(all),
    ...findExpired(all, cli.clock.now()),
    ...(await findStaleFacts(project, all)),
  ];
  return [...issues, ...found.map(({ id, ...issue }) => ({ ...issue, file: fileOf.get(id) ?? id }))];
}

/** Memories that repeat or contradict another one. Findings quote pages, which may do so. */
function findAlike(memories: readonly Memory[]): MemoryIssue[] {
  const current = memories.filter((one) => one.status === "active" && !isFinding(one));
  const run = randomUUID().slice(0, 8);
  const merges = planMerges(current.filter((one) => !one.isForeign));
  const gone = new Set(merges.map(({ other }) => other.id));
  const left = current.filter(({ id }) => !gone.has(id));
  return [
    ...merges.map(
      (merge): MemoryIssue => ({
        level: "note",
        id: merge.other.id,
        what: `${merge.survivor.id} says all of it`,
        todo: "strata check --fix merges the two",
        fix: {
          says: `merge it into ${merge.survivor.id}, which strata undo --run ${run} takes back`,
          isAsked: true,
          run: (store) => mergeOne(store, merge, run),
        },
      }),
    ),
    ...findContradictions(left).map((pair): MemoryIssue => {
      const [older, newer] = [...pair].sort((a, b) => (a.updated <= b.updated ? -1 : 1)) as [Memory, Memory];
      const todo = "archive the one that no longer holds, or link the two to each other if both hold";
      return { level: "warning", id: newer.id, what: `it contradicts ${older.id}`, todo };
    }),
  ];
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

/** What a memory names: those that do not exist, and private ones. */
function findNamed(memories: readonly Memory[]): MemoryIssue[] {
  const ids = new Set(memories.map(({ id }) => id));
  return memories.flatMap(({ content, id, links, sensitivity, supersededBy, tags, title }) => {
    const found: MemoryIssue[] = [];
    const fault = findNameFault(id.slice(id.lastIndexOf("/") + 1));
    if (fault !== undefined) {
      const what = `${fault}; it is read and used, but has no history, and Strata does not change it`;
      found.push({ level: "warning", id, what, todo: "rename it" });
    }
    const todo = "correct or remove the name; strata list --archived shows all ids";
    for (const other of [...links, ...(supersededBy === undefined ? [] : [supersededBy])])
      if (!ids.has(other))
        found.push({ level: "note", id, what: `it names ${other}, which does not exist`, todo });
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

/** Memories taken from files that now state something else. */
async function findStaleFacts({ cli, root }: Project, all: readonly Memory[]): Promise<MemoryIssue[]> {
  const { clock, files } = cli;
  const taken = all.filter((memory) => readTaken(memory));
  const { changes, doubted } = await checkFacts(taken, { files, project: root, nowMs: clock.now() });
  const renewed = "strata bootstrap or the next dream renews it with its file";
  return [
    ...changes.map(({ before: { id }, file, reason = `${file} has changed` }): MemoryIssue => {
      return { level: "warning", id, what: reason, todo: renewed };
    }),
    ...[...doubted].map(([id, file]): MemoryIssue => {
      const what = `${file} cannot be read, or says otherwise; the memory was changed by hand`;
      const todo = `edit the memory so that it says what ${file} says, or archive it`;
      return { level: "warning", id, what, todo };
    }),
  ];
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
