/** What the page shows of memories: a list, one memory, the changes of all, and what waits for the user. */
import { relative, sep } from "node:path";
import { StrataError } from "../base/error.js";
import { formatJudge } from "../memory/judge.js";
import type { Memory } from "../memory/memory.js";
import { type LedgerLine, sortByTime } from "../memory/store/ledger-line.js";
import type { DescribedCandidate } from "../operations/candidates.js";
import { findRevision } from "../operations/change.js";
import type { Core } from "../operations/core.js";
import { listPlaces, readLedger } from "../operations/memory-files.js";
import { perform } from "../operations/operation.js";
import type { Project } from "../operations/project.js";
import { readOpen } from "../operations/reconcile.js";
import { openConflictLog } from "../operations/record-rivals.js";
import { operations } from "../operations/table.js";
import { toLine } from "../text/text.js";
import type { Change, MemoryList, MemoryPage, MemoryRow, Step, Steps, Waiting } from "./answers.js";

const MOST_ROWS = 500;
const MOST_HITS = 50;
const LONGEST_LINE = 160;

/** Without words all memories, last changed first; with words the hits of a search, best first. */
export async function readMemories(
  core: Core,
  { withArchived, words }: { words: string; withArchived: boolean },
): Promise<MemoryList> {
  const { memories } = core;
  if (words === "") {
    const all = await memories.list({ archived: withArchived });
    const sorted = [...all].sort((a, b) => b.updated.localeCompare(a.updated) || a.id.localeCompare(b.id));
    const shown = sorted.slice(0, MOST_ROWS).map((memory) => toRow(memory));
    return { memories: shown, past: [], problems: memories.problems(), more: all.length - shown.length };
  }
  const search = await core.search();
  await search.waitForMeaning();
  const found = await search.find({ text: words, limit: MOST_HITS, archived: withArchived });
  await search.onIdle();
  return {
    memories: found.flatMap((one) => (one.kind === "memory" ? [toRow(one.memory, one.why)] : [])),
    past: found.flatMap((one) =>
      one.kind === "session"
        ? [{ session: one.sessionID, text: toLine(one.text, LONGEST_LINE), at: one.date }]
        : [],
    ),
    problems: memories.problems(),
    more: 0,
  };
}

/** @throws StrataError NO_MEMORY */
export async function readMemoryPage({ memories, root }: Core, id: string): Promise<MemoryPage> {
  const memory = (await memories.list({ archived: true })).find((one) => one.id === id);
  if (!memory)
    throw new StrataError("NO_MEMORY", `there is no memory ${JSON.stringify(id)}; it may have been renamed`);
  const path = await memories.locate(id);
  const below = path === undefined ? undefined : relative(root, path);
  const judge = formatJudge(memory);
  return {
    memory,
    ...(judge !== undefined && { judge }),
    revision: findRevision(memory),
    ...(below !== undefined && !below.startsWith(`..${sep}`) && { path: below }),
    uses: memories.useOf(id)?.count ?? 0,
    changes: planChanges(await memories.history(id)),
  };
}

function toRow(memory: Memory, why?: string): MemoryRow {
  const { content, id, isForeign, isPersonal, pinned, scope, sensitivity, status, tags, title, type } =
    memory;
  return {
    ...{ id, type, title, status, pinned, scope, sensitivity, tags, updated: memory.updated },
    isForeign: isForeign === true,
    isPersonal: isPersonal === true,
    text: toLine(content, LONGEST_LINE),
    ...(why !== undefined && { why }),
  };
}

/* Changes, from the ledger: those of one memory, or all, grouped into steps that can be undone as a whole. */

const MOST_STEPS = 60;
const MOST_CHANGES = 50;
/** Characters of a text; a longer one is cut. */
const LONGEST_TEXT = 20_000;

/** Steps of project and global memories; with `onlyDreams`, only dreams. Writes nothing. */
export async function readSteps(project: Project, { onlyDreams }: { onlyDreams: boolean }): Promise<Steps> {
  const { cli, log } = project;
  const places = listPlaces(project);
  const ledgers = await Promise.all(places.map((place) => readLedger({ files: cli.files, log }, place)));
  const lines = sortByTime(ledgers.flat());
  const runs = new Map<string, LedgerLine[]>();
  for (const line of lines) runs.set(runOf(line), [...(runs.get(runOf(line)) ?? []), line]);
  const all = [...runs.values()].filter(([first]) => !onlyDreams || first?.operation === "dream").reverse();
  const undone = new Set(lines.map(({ undoes }) => undoes));
  const texts = readTexts(lines);
  const steps = all.slice(0, MOST_STEPS).flatMap((own): Step[] => {
    const [first] = own;
    if (!first) return [];
    const { at, by, operation, reason, undoes } = first;
    const isUndone = undone.has(runOf(first));
    return [
      {
        ...{ run: runOf(first), at, operation, by, isUndone },
        ...(reason !== undefined && own.length === 1 && { reason }),
        canUndo: by === "strata" && undoes === undefined && !isUndone,
        changes: own.slice(0, MOST_CHANGES).map((line) => describeChange(line, texts)),
        moreChanges: Math.max(0, own.length - MOST_CHANGES),
      },
    ];
  });
  return { steps, more: all.length - steps.length };
}

/** The changes of one memory, newest first. Pure. */
function planChanges(lines: readonly LedgerLine[]): Change[] {
  const texts = readTexts(lines);
  const newest = sortByTime(lines).slice(-MOST_CHANGES).reverse();
  return newest.map((line) => describeChange(line, texts));
}

/** The texts in the ledger, by their hash. */
const readTexts = (lines: readonly LedgerLine[]): ReadonlyMap<string | null, string> =>
  new Map(lines.flatMap(({ after, contents }) => (contents === undefined ? [] : [[after, contents]])));

function describeChange(line: LedgerLine, texts: ReadonlyMap<string | null, string>): Change {
  const { after, at, before, by, from, id, key, operation, path, reason, session } = line;
  const [was, is] = [texts.get(before), texts.get(after)];
  return {
    ...{ id, memory: key, at, by, operation, run: runOf(line) },
    ...(reason !== undefined && { reason }),
    ...(session !== undefined && { session }),
    ...(was !== undefined && { before: was.slice(0, LONGEST_TEXT) }),
    ...(is !== undefined && { after: is.slice(0, LONGEST_TEXT) }),
    ...(from !== undefined && { movedTo: path }),
  };
}

const runOf = ({ id, run }: LedgerLine): string => run ?? id;

/* What waits for the user: candidates and conflicts. */

export async function readWaiting(core: Core, project: Project): Promise<Waiting> {
  const { memories } = core;
  const log = await openConflictLog(project);
  const conflicts = await readOpen({ cli: project.cli, log, memories });
  return {
    ...(await readCandidates(core)),
    conflicts: conflicts.map(({ inUse, name, other, otherText, record }) => {
      const { found, otherBy, standingBy, title } = record;
      return {
        ...{ name, title, found },
        this: { id: inUse.id, text: inUse.content, ...(standingBy !== undefined && { by: standingBy }) },
        that: {
          text: otherText,
          ...(other && { id: other.id }),
          ...(otherBy !== undefined && { by: otherBy }),
        },
      };
    }),
  };
}

/** None in an agent's shell, since no model may see them. */
async function readCandidates(core: Core): Promise<Omit<Waiting, "conflicts">> {
  try {
    const { data } = await perform(core, operations.candidates, {});
    return data as { candidates: DescribedCandidate[] };
  } catch (thrown) {
    if (thrown instanceof StrataError) return { candidatesWhy: thrown.message };
    throw thrown;
  }
}
