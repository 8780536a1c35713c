/**
 * What waits for a person, in one list: what no rule, no dream and no model may decide. `/memory`, the number in the sidebar,
 * `strata todo` and its page on the screen all come from here. Nothing is written.
 */
import { basename, join } from "node:path";
import { countMemories } from "../base/format.js";
import { quoteForShell, toLine } from "../base/text.js";
import type { Config } from "../config/schema.js";
import { type Files, pathBelow, readPlainText } from "../io/files.js";
import { isHandedOver, readLatest } from "../memory/candidates/candidate.js";
import type { Candidates } from "../memory/candidates/candidates.js";
import { isContradiction } from "../memory/found.js";
import { findGoneFiles } from "../memory/gone-files.js";
import { formatTeamQuestion } from "../memory/in-words.js";
import { isCurrent, type Memory } from "../memory/memory.js";
import { CONFLICTS } from "../memory/path.js";
import {
  type ConflictLog,
  type ConflictRecord,
  fingerprint,
  formatConflictName,
  readOtherVersion,
} from "../memory/store/conflict-log.js";
import type { Memories } from "../memory/store/store.js";
import { type DreamState, readDreamState } from "../project/dream-state.js";
import type { Folders } from "../project/folders.js";

export interface Todo {
  kind: "conflict" | "candidate" | "damaged" | "outdated" | "trust";
  /** Each is in the list once. */
  id: string;
  /** One line. */
  what: string;
  /** What settles it; the first is the usual one. */
  ways: readonly Way[];
}

export interface Way {
  title: string;
  /** As typed in a terminal. */
  command: string;
  /** The same for other doors; absent if it is no operation. */
  operation?: string;
  input?: object;
}

interface TodoWorld {
  files: Files;
  folders: Folders;
  memories: Pick<Memories, "foreign" | "problems" | "team">;
  candidates: Pick<Candidates, "list">;
  conflicts: Pick<ConflictLog, "findOpen">;
  config: Pick<Config, "autoMemory">;
}

const LONGEST = 400;

/** `all`: the memories in use, as they are now. Rejects with the system's error. */
export async function findTodos(world: TodoWorld, all: readonly Memory[]): Promise<Todo[]> {
  const state = await readDreamState(world.files, world.folders.dreamState);
  const found = [
    ...(await findConflicts(world, state, all)),
    ...(await findDamaged(world)),
    ...(await findOutdated(world, state, all)),
    ...findUntrusted(world.memories),
    ...(await findCandidates(world)),
  ];
  return found.map((todo) => ({ ...todo, what: toLine(todo.what, LONGEST) }));
}

async function findConflicts(
  { conflicts, files, folders }: TodoWorld,
  state: DreamState,
  all: readonly Memory[],
): Promise<Todo[]> {
  const open = await conflicts.findOpen(all);
  const todos: Todo[] = [];
  for (const record of [...open, ...planConflicts(state, all, { open, folder: folders.memory })]) {
    const { id, otherID, title } = record;
    // A record without the other text leaves nothing to choose.
    const other = otherID ?? toLine(readOtherVersion(await readPlainText(files, record.path)) ?? "", 60);
    if (other === "") continue;
    const name = basename(record.path, ".md");
    const way = (keep: string, what: string): Way => ({
      title: `Keep ${what}`,
      command: `strata reconcile ${name} --keep ${keep}`,
      ...{ operation: "decide", input: { name, keep } },
    });
    todos.push({
      ...{ kind: "conflict", id: `conflict ${name}` },
      what: `two versions of "${title}": ${id} and ${other}`,
      ways: [way("this", `${id}, the one in use`), way("that", "the other"), way("both", "both")],
    });
  }
  return todos;
}

/** What the last dream has found to contradict each other, and still does, as conflicts that have no record. Pure. */
export function planConflicts(
  { contradictions }: Pick<DreamState, "contradictions">,
  all: readonly Memory[],
  { folder, open }: { folder: string; open: readonly ConflictRecord[] },
): ConflictRecord[] {
  const recorded = new Set(open.flatMap(({ id, otherID = "" }) => [`${id} ${otherID}`, `${otherID} ${id}`]));
  return contradictions.flatMap(([id, otherID]): ConflictRecord[] => {
    const [one, other] = [id, otherID].map((wanted) =>
      all.find((memory) => memory.id === wanted && isMine(memory)),
    );
    if (!one || !other || recorded.has(`${id} ${otherID}`) || !isContradiction(one, other)) return [];
    const prints = { standing: fingerprint(one), other: fingerprint(other) };
    const path = join(folder, CONFLICTS, formatConflictName({ id, ...prints }));
    return [{ v: 1, id, otherID, title: one.title, ...prints, found: one.updated, path, hash: "" }];
  });
}

const isMine = (memory: Memory): boolean => !memory.isForeign && isCurrent(memory);

/** Files in the folder of memories that cannot be used. */
async function findDamaged({ files, folders: { project }, memories }: TodoWorld): Promise<Todo[]> {
  const todos: Todo[] = [];
  for (const { path, what } of memories.problems()) {
    const name = pathBelow(project, path) ?? path;
    const isFile = (await files.statItself(path))?.kind === "file";
    const edit = { title: "Edit the file", operation: "edit file", input: { name } };
    todos.push({
      ...{ kind: "damaged", id: `damaged ${name}`, what: `${name} is not used: ${what}` },
      ways: [
        ...(isFile ? [{ ...edit, command: `strata memory edit ${quoteForShell(name)}` }] : []),
        { title: "Remove it", command: `rm -r ${quoteForShell(name)}` },
      ],
    });
  }
  return todos;
}

/** Memories about files that are gone, as the last dream has found them. */
async function findOutdated(
  { files, folders: { project } }: TodoWorld,
  { stale }: DreamState,
  all: readonly Memory[],
): Promise<Todo[]> {
  const named = new Set(stale);
  const due = all.filter((memory) => named.has(memory.id) && isMine(memory) && !memory.pinned);
  const way = (title: string, operation: string, id: string): Way => ({
    ...{ title, operation, input: { name: id } },
    command: `strata memory ${operation === "edit file" ? "edit" : operation} ${id}`,
  });
  return [...(await findGoneFiles({ files, project }, due))].map(([id, paths]) => ({
    ...{ kind: "outdated", id: `outdated ${id}` },
    what: `${id} names files that are not there: ${paths.join(", ")}`,
    ways: [
      way("Archive it", "archive", id),
      way("Edit it", "edit file", id),
      way("It is still true: pin it", "pin", id),
    ],
  }));
}

function findUntrusted({ foreign, team }: TodoWorld["memories"]): Todo[] {
  const asked = team?.question();
  const waiting = foreign().filter((one) => one.status !== "archived").length;
  const way = (title: string, flags: string, input: object): Way => ({
    ...{ title, command: `strata trust --${flags}`, operation: "trust", input },
  });
  const plan = (what: string, ways: readonly Way[]): Todo[] => [{ kind: "trust", id: "trust", what, ways }];
  if (asked) {
    const { address } = asked;
    // Memories that are still untrusted after the answer are listed then.
    return plan(formatTeamQuestion(asked), [
      way("Yes, they are my team's", `team ${quoteForShell(address)}`, { team: address }),
      way("No, they stay the repository's", `not-team ${quoteForShell(address)}`, { notTeam: address }),
    ]);
  }
  const what = `${countMemories(waiting)} came with the repository, or changed while the agent worked`;
  return waiting === 0 ? [] : plan(what, [way("Accept as yours", "yes", { yes: true })]);
}

/** Those that no judge will decide any more. */
async function findCandidates({ candidates, config }: TodoWorld): Promise<Todo[]> {
  const waiting = await candidates.list();
  const isUnjudged = config.autoMemory.judge === "off";
  const way = (operation: "keep" | "drop", id: string): Way => ({
    ...{ title: operation === "keep" ? "Keep it" : "Drop it", operation, input: { ids: [id] } },
    command: `strata candidates ${operation} ${id}`,
  });
  return waiting
    .filter((one) => isUnjudged || one.isJudged || isHandedOver(one))
    .map((one) => ({
      ...{ kind: "candidate", id: `candidate ${one.id}` },
      what: `may be a ${one.type} of yours: ${readLatest(one)?.text ?? ""}`,
      ways: [way("keep", one.id), way("drop", one.id)],
    }));
}

/** Each on a line, with what settles it below. */
export function formatTodos(todos: readonly Todo[]): string {
  if (todos.length === 0) return "Nothing waits for you.";
  const head = todos.length === 1 ? "1 thing waits for you." : `${todos.length} things wait for you.`;
  const blocks = todos.map(({ kind, ways, what }) => {
    const lines = ways.map(({ command, title }) => `  ${command}  (${title})`);
    return [`${kind}: ${what}`, ...lines].join("\n");
  });
  return [head, ...blocks].join("\n\n");
}
