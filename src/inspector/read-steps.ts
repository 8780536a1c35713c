/** Reads changes from the ledger: those of one memory, or all, grouped into steps that can be undone as a whole. */
import { groupByKey, type LedgerLine, sortByTime } from "../memory/store/ledger-line.js";
import { listPlaces, readLedger } from "../operations/memory-files.js";
import type { Project } from "../operations/project.js";
import type { Change, Step, Steps } from "./answers.js";

const MOST_STEPS = 60;
const MOST_CHANGES = 50;
/** Characters of a text; a longer one is cut. */
const LONGEST_TEXT = 20_000;

/** Steps of project and global memories; with `onlyDreams`, only dreams. Writes nothing. */
export async function readSteps(project: Project, { onlyDreams }: { onlyDreams: boolean }): Promise<Steps> {
  const { cli, log } = project;
  const places = listPlaces(project);
  const ledgers = await Promise.all(places.map((place) => readLedger({ files: cli.files, log }, place)));
  return planSteps(ledgers.flat(), { onlyDreams });
}

/** Pure. */
function planSteps(lines: readonly LedgerLine[], { onlyDreams }: { onlyDreams: boolean }): Steps {
  const undone = new Set(lines.flatMap(({ undoes }) => (undoes === undefined ? [] : [undoes])));
  const runs = new Map<string, LedgerLine[]>();
  for (const line of sortByTime(lines)) {
    const own = runs.get(runOf(line));
    if (own) own.push(line);
    else runs.set(runOf(line), [line]);
  }
  const all = [...runs.values()].filter(([first]) => !onlyDreams || first?.operation === "dream").reverse();
  const shown = all.slice(0, MOST_STEPS);
  const wanted = new Set(shown.flatMap((own) => own.slice(0, MOST_CHANGES).map(({ id }) => id)));
  const changes = new Map(
    [...groupByKey(lines).values()]
      .flatMap((own) => describeChanges(own, wanted))
      .map((change) => [change.id, change]),
  );
  return {
    steps: shown.flatMap((own) => describeStep(own, { undone, changes })),
    more: all.length - shown.length,
  };
}

function describeStep(
  own: readonly LedgerLine[],
  { changes, undone }: { changes: ReadonlyMap<string, Change>; undone: ReadonlySet<string> },
): Step[] {
  const [first] = own;
  if (!first) return [];
  const { at, by, operation, reason, undoes } = first;
  const run = runOf(first);
  const isUndone = undone.has(run);
  const shown = own.slice(0, MOST_CHANGES);
  return [
    {
      ...{ run, at, operation, by, isUndone },
      ...(reason !== undefined && own.length === 1 && { reason }),
      canUndo: by === "strata" && undoes === undefined && !isUndone,
      changes: shown.flatMap(({ id }) => changes.get(id) ?? []),
      moreChanges: own.length - shown.length,
    },
  ];
}

/** The changes of one memory, newest first. Pure. */
export function planChanges(lines: readonly LedgerLine[]): Change[] {
  const newest = sortByTime(lines).slice(-MOST_CHANGES);
  return describeChanges(lines, new Set(newest.map(({ id }) => id))).reverse();
}

/** The wanted lines of one memory, oldest first, with the texts before and after. */
function describeChanges(lines: readonly LedgerLine[], wanted: ReadonlySet<string>): Change[] {
  const own = sortByTime(lines);
  const texts = new Map<string | null, string>();
  for (const { after, contents } of own) if (contents !== undefined) texts.set(after, contents);
  return own
    .filter(({ id }) => wanted.has(id))
    .map((line): Change => {
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
    });
}

const runOf = ({ id, run }: LedgerLine): string => run ?? id;
