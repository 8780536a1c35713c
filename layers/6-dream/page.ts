/** `.opencode/memory/DREAMS.md`: the changes of each dream, newest first, for people. */
import { join } from "node:path";
import { formatError } from "../../src/base/error.js";
import { formatCounted } from "../../src/base/format.js";
import { toLine } from "../../src/base/text.js";
import { type Files, readText } from "../../src/io/files.js";
import type { Log } from "../../src/io/log.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Cause } from "../../src/memory/store/ledger.js";
import type { Memories, Undone } from "../../src/memory/store/store.js";
import { type Move, readDreamState, writeDreamState } from "../../src/project/dream-state.js";
import { type Change, type ChangeKind, nameWords, type Plan } from "./plan.js";
import { bringBack } from "./put-away.js";

export interface DreamReport extends Pick<Plan, "contradictions" | "stale"> {
  id: string;
  time: string;
  changes: readonly Change[];
  moves: readonly Move[];
  refused: readonly string[];
  usedModel: boolean;
}

const HEAD = `# Dreams

What was tidied in memory, the newest first. Nothing is deleted: what went lies in \`archive/\` and names its successor.
\`/memory-undo\` or \`strata undo\` takes the last one back.
`;
const MOST_LINES = 500;
const MOST_REFUSALS = 20;
const LONGEST_LINE = 300;
const ENTRY = /^## /m;
const COUNTED: readonly ChangeKind[] = ["merged", "superseded", "archived", "confirmed", "reworded"];

/** Adds a dream on top of the page. Above 500 lines the oldest dreams are dropped whole. */
export function addDream(page: string, report: DreamReport): string {
  const start = page.search(ENTRY);
  const earlier = start === -1 ? [] : page.slice(start).split(/^(?=## )/m);
  const kept: string[] = [];
  let lines = HEAD.split("\n").length;
  for (const entry of [`${formatDream(report)}\n`, ...earlier]) {
    lines += entry.split("\n").length - 1;
    if (kept.length > 0 && lines > MOST_LINES) break;
    kept.push(entry);
  }
  return `${HEAD}\n${kept.join("").trimEnd()}\n`;
}

export function formatDream(report: DreamReport): string {
  const { changes, id, moves, refused, time, usedModel } = report;
  // Changes of one kind and reason share a line; superseded memories are named in the line of their successor.
  const groups = new Map<string, string[]>();
  for (const { before, kind, reason } of changes.filter((one) => one.kind !== "superseded")) {
    const key = `${kind} {ids}: ${toLine(reason, LONGEST_LINE)}`;
    groups.set(key, [...(groups.get(key) ?? []), `\`${before.id}\``]);
  }
  return [
    `## ${formatTime(time)} · ${id}`,
    "",
    `${formatCounts(report)}${usedModel ? ", with a model" : ""}.`,
    "",
    ...[...groups].map(([line, ids]) => `- ${line.replace("{ids}", () => ids.join(", "))}`),
    ...moves.map(({ from, to }) => `- put away \`${from}\`: now \`${to}\``),
    ...refused
      .slice(0, MOST_REFUSALS)
      .map((why) => `- not taken from the model: ${toLine(why, LONGEST_LINE)}`),
    "",
  ].join("\n");
}

const formatTime = (time: string): string => time.slice(0, 16).replace("T", " ");

/** For example "3 merged, 1 archived, 2 files put away". */
export function formatCounts({ changes, moves }: Pick<DreamReport, "changes" | "moves">): string {
  const counts = COUNTED.map((kind) => [changes.filter((one) => one.kind === kind).length, kind] as const);
  const all = [
    ...counts.flatMap(([count, kind]) => (count > 0 ? [`${count} ${kind}`] : [])),
    ...(moves.length > 0 ? [`${formatCounted(moves.length, "file")} put away`] : []),
  ];
  return all.join(", ") || "Nothing to change";
}

interface PageOptions {
  files: Files;
  folder: string;
  log: Log;
}

/** Private memories have a page of their own, so that committed files do not hint at them. */
const planPaths = (folder: string) =>
  [join(folder, "DREAMS.md"), join(folder, "private", "DREAMS.md")] as const;

export async function writeDream(options: PageOptions, report: DreamReport): Promise<void> {
  const [shared, hidden] = planPaths(options.folder);
  const isHidden = (id: string): boolean => id.startsWith("private/");
  await put(shared, (id) => !isHidden(id), report);
  await put(hidden, isHidden, { ...report, moves: [], refused: [], usedModel: false });

  async function put(path: string, isWanted: (id: string) => boolean, whole: DreamReport): Promise<void> {
    const changes = whole.changes.filter(({ before }) => isWanted(before.id));
    if (changes.length + whole.moves.length + whole.refused.length > 0)
      await edit(options, path, (page) => addDream(page, { ...whole, changes }));
  }
}

export async function markUndone(options: PageOptions, id: string, time: string): Promise<void> {
  const mark = (line: string): string =>
    line.startsWith("## ") && line.endsWith(` · ${id}`) ? `${line} · taken back ${formatTime(time)}` : line;
  for (const path of planPaths(options.folder))
    await edit(options, path, (page) => page.split("\n").map(mark).join("\n"));
}

async function edit({ files, log }: PageOptions, path: string, change: (page: string) => string) {
  try {
    const before = (await readText(files, path)) ?? "";
    const after = change(before);
    if (after !== before) await files.writeWhole(path, after);
  } catch (thrown) {
    log.warn("dream", `cannot write ${path}: ${formatError(thrown)}`);
  }
}

/* Undoes changes of memory, those of dreams among them. */

/**
 * Undoes the last change of memory, or the given run, and marks it in the dreams' change logs. The next dream does not
 * repeat the undone changes: it leaves these memories alone.
 */
export async function undoChange(
  {
    clock,
    files,
    folders,
    log,
    memories,
  }: Pick<LayerContext, "clock" | "files" | "folders" | "log"> & {
    memories: Pick<Memories, "list" | "undo">;
  },
  cause: Omit<Cause, "operation">,
  run?: string,
): Promise<Undone> {
  const all = (await readDreamState(files, folders.dreamState)).moved;
  const last = all.at(-1);
  // A dream that only put files away has no line in the ledger.
  const since = run === undefined ? last?.at : undefined;
  const changed = await memories.undo({ operation: "undo", ...cause }, run, since);
  const wanted = changed.kind === "undone" ? changed.run : (run ?? last?.run);
  const moved = all.filter((move) => move.run === wanted);
  const [first] = moved;
  if (changed.kind === "nothing" && !first) return changed;
  const back = await bringBack({ files, folders }, moved);
  const ofFiles = { operation: "dream", run: wanted ?? "", at: first?.at ?? "", ids: [], left: [] };
  const before = changed.kind === "undone" ? changed : { kind: "undone" as const, ...ofFiles };
  const undone = { ...before, ids: [...before.ids, ...back.ids], left: [...before.left, ...back.left] };
  await markUndone({ files, folder: folders.memory, log }, undone.run, new Date(clock.now()).toISOString());
  if (undone.operation !== "dream") return undone;
  try {
    const present = (await memories.list()).filter(({ id }) => undone.ids.includes(id));
    const state = await readDreamState(files, folders.dreamState);
    const spared = [...state.spared, ...present.map(nameWords)];
    const others = state.moved.filter((move) => move.run !== wanted);
    await writeDreamState(files, folders.dreamState, { ...state, moved: others, spared });
  } catch (thrown) {
    log.warn("dream", `the next dream may repeat the undone changes: ${formatError(thrown)}`);
  }
  return undone;
}

export function formatUndone(undone: Undone): string {
  if (undone.kind === "nothing") return `Nothing was changed: ${undone.why}.`;
  const { at, ids, left, operation } = undone;
  const name = operation === "extract" ? "memory" : operation;
  const what = `${name} of ${at.slice(0, 16).replace("T", " ")} UTC`;
  const head = ids.length > 0 ? `Taken back: ${what}` : `Nothing taken back: ${what}`;
  const stays = left.map(({ id, why }) => `Unchanged: ${id}, ${why}.`);
  return [head, ...ids, ...stays].join("\n");
}
