/** What the memories say that they should not: what is due, what they repeat or contradict, and dead or private names. */
import { randomUUID } from "node:crypto";
import { findAged } from "../../../layers/5-auto-memory/findings/finding.js";
import { findOldNotes } from "../../../layers/6-dream/archive-notes.js";
import { isBlockerOver } from "../../../layers/6-dream/plan.js";
import { findPrivateID } from "../../memory/draft.js";
import { isFinding } from "../../memory/finding.js";
import type { Memory } from "../../memory/memory.js";
import { findNameFault } from "../../memory/path.js";
import type { OpenMemories } from "../../memory/store/store.js";
import type { Project } from "../../operations/project.js";
import { openConflictLog } from "../../operations/record-rivals.js";
import { checkFacts } from "../../sources/bootstrap/plan-bootstrap.js";
import { readTaken } from "../../sources/bootstrap/taken.js";
import type { Issue } from "./issue.js";
import { findContradictions, type Merge, planMerges, toChanges } from "./merges.js";

/** `all`: archived ones too. */
export async function findMemoryIssues(
  project: Project,
  memories: OpenMemories,
  all: readonly Memory[],
): Promise<Issue[]> {
  const log = await openConflictLog(project);
  const open = await log.listOpen(all);
  const contested = new Set(open.flatMap(({ id, otherID }) => [id, otherID ?? id]));
  const conflicts = open.map(({ id, path }): Issue => {
    const what = `${id} has two conflicting versions`;
    return { level: "warning", file: path, what, todo: "decide with strata reconcile" };
  });
  const issues: Omit<Issue, "file">[] = [];
  const ids: string[] = [];
  const add = (id: string, issue: Omit<Issue, "file">): void => {
    ids.push(id);
    issues.push(issue);
  };
  findAlike(
    all.filter(({ id }) => !contested.has(id)),
    add,
  );
  findNamed(all, add);
  findExpired(all, project.cli.clock.now(), add);
  await findStaleFacts(project, all, add);
  const files = await Promise.all(ids.map((id) => memories.locate(id)));
  const inMemories = issues.map((issue, n): Issue => ({ ...issue, file: files[n] ?? ids[n] ?? "" }));
  return [...conflicts, ...inMemories, ...(await findDue(project, memories, all))];
}

type Add = (id: string, issue: Omit<Issue, "file">) => void;

/** Memories that repeat or contradict another one. Findings quote pages, which may do so. */
function findAlike(memories: readonly Memory[], add: Add): void {
  const current = memories.filter((one) => one.status === "active" && !isFinding(one));
  const run = randomUUID().slice(0, 8);
  const gone = new Set<string>();
  for (const merge of planMerges(current.filter((one) => !one.isForeign)))
    for (const { id } of merge.others) {
      gone.add(id);
      add(id, {
        level: "note",
        what: `${merge.survivor.id} says all of it`,
        todo: "strata check --fix merges the two",
        fix: {
          says: `merge it into ${merge.survivor.id}, which strata undo --run ${run} takes back`,
          isAsked: true,
          run: (store) =>
            mergeOne(store, { ...merge, others: merge.others.filter((one) => one.id === id) }, run),
        },
      });
    }
  for (const [older, newer] of findContradictions(current.filter(({ id }) => !gone.has(id))))
    add(newer.id, {
      level: "warning",
      what: `it contradicts ${older.id}`,
      todo: "archive the one that no longer holds, or link the two to each other if both hold",
    });
}

/** Into the survivor as it is by now. */
async function mergeOne(memories: OpenMemories, { others, survivor }: Merge, run: string): Promise<void> {
  const now = (await memories.read(survivor.id)) ?? survivor;
  const allChanged = await memories.changeAll(toChanges({ survivor: now, others }), {
    operation: "merge",
    run,
  });
  if (allChanged.kind === "refused") throw new Error(allChanged.why);
}

/** What a memory names: those that do not exist, and those that must not be seen where it is seen. */
function findNamed(memories: readonly Memory[], add: Add): void {
  const ids = new Set(memories.map(({ id }) => id));
  for (const memory of memories) {
    const { content, id, links, sensitivity, supersededBy = [], tags, title } = memory;
    const fault = findNameFault(id.slice(id.lastIndexOf("/") + 1));
    if (fault !== undefined)
      add(id, {
        level: "warning",
        what: `${fault}; it is read and used, but has no history, and Strata does not change it`,
        todo: "rename it",
      });
    for (const other of [...links, supersededBy].flat().filter((one) => !ids.has(one)))
      add(id, {
        level: "note",
        what: `it names ${other}, which does not exist`,
        todo: "correct or remove the name; strata list --archived shows all ids",
      });
    if (sensitivity === "private") continue;
    const text = [title, content, ...tags, ...links].join("\n");
    const hidden = findPrivateID(text);
    if (hidden !== undefined)
      add(id, {
        level: "problem",
        what: `it names the private memory ${hidden} and may be committed`,
        todo: "remove the name, or move the file to private/",
      });
  }
}

function findExpired(memories: readonly Memory[], nowMs: number, add: Add): void {
  for (const { expires, id, status } of memories) {
    const isCurrent = status === "active" || status === "resolved";
    if (!isCurrent || expires === undefined || !(Date.parse(expires) <= nowMs)) continue;
    add(id, {
      level: "note",
      what: `it expired on ${expires.slice(0, 10)}`,
      todo: "nothing, or set another date; it is no longer shown",
      fix: {
        says: "move it to the archive",
        async run(memories) {
          const written = await memories.archive(id, { operation: "archive", reason: "expired" });
          if (written.kind === "refused") throw new Error(written.why);
        },
      },
    });
  }
}

/** Memories taken from files that now state something else. */
async function findStaleFacts({ cli, root }: Project, all: readonly Memory[], add: Add): Promise<void> {
  const { clock, files } = cli;
  const options = { files, project: root, nowMs: clock.now() };
  const { changes, doubted } = await checkFacts(
    all.filter((memory) => readTaken(memory)),
    options,
  );
  const todo = "strata bootstrap or the next dream renews it with its file";
  for (const { before, file, reason = `${file} has changed` } of changes)
    add(before.id, { level: "warning", what: reason, todo });
  for (const [id, file] of doubted)
    add(id, {
      level: "warning",
      what: `${file} cannot be read, or says otherwise; the memory was changed by hand`,
      todo: `edit the memory so that it says what ${file} says, or archive it`,
    });
}

/** What the next dream or session archives by the settings. */
async function findDue(
  { cli: { clock, files }, folders, settings }: Project,
  { useOf }: OpenMemories,
  all: readonly Memory[],
): Promise<Issue[]> {
  const { findings, retention } = (await settings()).config;
  const limits = { nowMs: clock.now(), retention };
  const blockers = all.filter(
    ({ scope, status, type }) => `${scope} ${type} ${status}` === "project blocker resolved",
  );
  const over = blockers.filter((memory) => isBlockerOver(memory, limits)).length;
  const notes = (await findOldNotes({ clock, files, folders, retention })).length;
  const aged = findAged(all, { days: findings.maxAgeDays, nowMs: clock.now(), useOf }).length;
  const due = (count: number, file: string, what: string, by: string): Issue[] =>
    count === 0
      ? []
      : [{ level: "note", file, what: `${count} ${what}`, todo: `nothing; the next ${by} archives them` }];
  return [
    ...due(
      over,
      folders.memory,
      `resolved blockers older than ${retention.resolvedBlockersDays} days`,
      "dream",
    ),
    ...due(notes, folders.sessionMemory, `notes of sessions unused for ${retention.notesDays} days`, "dream"),
    ...due(aged, folders.memory, `findings unused for ${findings.maxAgeDays} days`, "session"),
  ];
}
