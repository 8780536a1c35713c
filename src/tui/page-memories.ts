/** The list of memories, and one of them with what can be done to it. */
import { toPrintable } from "../base/printable.js";
import { formatJudge } from "../memory/judge.js";
import type { Memory } from "../memory/memory.js";
import { formatDays } from "../memory/search/search.js";
import { fit, wrap } from "./format-sidebar.js";
import { type Pages, ROW_COLUMNS } from "./page.js";
import type { SelectOption, SelectPage } from "./screen-host.js";

const MOST_CONTENT_LINES = 40;

export type MemoryDeed = "edit" | "pin" | "unpin" | "archive" | "restore";

export async function showMemories(pages: Pages): Promise<void> {
  for (let current: string | undefined; ; ) {
    const { memories: all } = await pages.actions.read<{ memories: Memory[] }>("list");
    const page = planMemories(all, pages.nowMs());
    const id = await pages.host.dialogs.select({ ...page, ...(current !== undefined && { current }) });
    if (id === undefined) return;
    if (!(await showMemory(pages, id))) return;
    current = id;
  }
}

/** Pure. By type, pinned first, the last changed before the others. */
export function planMemories(all: readonly Memory[], nowMs: number): SelectPage<string> {
  const sorted = [...all].sort(
    (a, b) =>
      a.type.localeCompare(b.type) ||
      Number(b.pinned) - Number(a.pinned) ||
      b.updated.localeCompare(a.updated) ||
      a.id.localeCompare(b.id),
  );
  return {
    title: all.length === 0 ? "Nothing is remembered yet" : `Memories (${all.length})`,
    options: sorted.map((one) => ({
      title: fit(toPrintable(`${one.title}`), ROW_COLUMNS),
      value: one.id,
      footer: formatDays(one.updated, nowMs),
      category: one.type,
      ...(describeState(one) !== "" && { description: describeState(one) }),
    })),
  };
}

function describeState({ isForeign, pinned, sensitivity, scope, status }: Memory): string {
  return [
    ...(pinned ? ["pinned"] : []),
    ...(status === "active" ? [] : [status]),
    ...(isForeign ? ["not yours"] : []),
    ...(scope === "global" ? ["every project"] : []),
    ...(sensitivity === "private" ? ["private"] : []),
  ].join(", ");
}

/** Resolves with `false` once the user has closed the dialogs, `true` to go back to the list. */
export async function showMemory({ actions, host, nowMs }: Pages, id: string): Promise<boolean> {
  for (;;) {
    const memory = await actions.read<Memory>("show", { name: id });
    const deed = await host.dialogs.select(planMemoryView(memory, nowMs()));
    if (deed === undefined) return false;
    if (deed === "back") return true;
    if (typeof deed === "object") continue;
    if (!(await isWanted(host, deed, memory))) continue;
    const changed = await (deed === "edit" ? actions.editMemory(id) : actions.change(deed, { name: id }));
    host.dialogs.toast(toPrintable(changed.what), changed.isDone ? "success" : "error");
    if (deed === "archive") return true;
  }
}

/** What is easily undone is not asked about. */
async function isWanted(host: Pages["host"], deed: MemoryDeed, { title }: Memory): Promise<boolean> {
  if (deed !== "archive") return true;
  return host.dialogs.confirm(
    "Archive this memory?",
    `"${fit(toPrintable(title), 80)}" is no longer shown to the agent. Its file moves to the archive, from where it can be restored.`,
  );
}

type ViewChoice = MemoryDeed | "back" | { row: number };

/** Pure. */
export function planMemoryView(memory: Memory, nowMs: number): SelectPage<ViewChoice> {
  const { content, created, id, pinned, provenance, status, title, updated, when } = memory;
  const words = content
    .split("\n")
    .flatMap((line) => wrap(toPrintable(line), ROW_COLUMNS))
    .slice(0, MOST_CONTENT_LINES);
  const judge = formatJudge(memory);
  const facts = [
    id,
    `created ${formatDays(created, nowMs)}, changed ${formatDays(updated, nowMs)}`,
    ...(when.length > 0 ? [`shown when: ${when.join(", ")}`] : []),
    ...(provenance.evidence === undefined ? [] : [`said: "${provenance.evidence}"`]),
    ...(judge === undefined ? [] : [`judged by: ${judge}`]),
  ];
  const rows = (category: string, lines: readonly string[], from: number): SelectOption<ViewChoice>[] =>
    lines.map((line, index) => ({
      title: fit(toPrintable(line), ROW_COLUMNS),
      value: { row: from + index },
      category,
    }));
  const isArchived = status === "archived";
  const deed = (title: string, value: ViewChoice): SelectOption<ViewChoice> => ({
    title,
    value,
    category: "Do",
  });
  return {
    title: fit(toPrintable(title), ROW_COLUMNS),
    options: [
      ...(isArchived
        ? [deed("Restore", "restore")]
        : [
            deed("Edit in your editor", "edit"),
            pinned ? deed("Unpin", "unpin") : deed("Pin: shown before others, never faded out", "pin"),
            deed("Archive …", "archive"),
          ]),
      deed("Back to the list", "back"),
      ...rows("What it says", words, 0),
      ...rows("About it", facts, words.length),
    ],
  };
}
