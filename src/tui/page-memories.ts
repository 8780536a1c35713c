/** The pages of memories: all of them, one with what can be done, and what a search found, conversations included. */
import { fit, wrap } from "../base/columns.js";
import { toPrintable } from "../base/printable.js";
import { formatDays } from "../memory/found.js";
import { formatJudge } from "../memory/in-words.js";
import type { Memory } from "../memory/memory.js";
import type { Found } from "../memory/search/search.js";
import type { SaidQuote } from "../operations/find.js";
import {
  type Browsed,
  type Choice,
  type Pages,
  type Picked,
  planItemPage,
  ROW_COLUMNS,
  toRow,
  visit,
} from "./page.js";
import type { SelectPage } from "./screen-host.js";

const MOST_CONTENT_LINES = 40;

type MemoryDeed = "edit" | "pin" | "unpin" | "archive" | "restore";

export const memoriesOf = ({ actions, host, nowMs }: Pages): Browsed<Memory, MemoryDeed> => ({
  read: async () => (await actions.read<{ memories: Memory[] }>("list")).memories,
  list: (all) => planMemories(all, nowMs()),
  open: (name) => actions.read<Memory>("show", { name }),
  page: (memory) => planMemory(memory, nowMs()),
  stays: (deed) => deed !== "archive",
  async act({ id, title }, deed) {
    // What is easily undone is not asked about.
    const isSure =
      deed !== "archive" ||
      (await host.dialogs.confirm(
        "Archive this memory?",
        `"${toRow(title, 80)}" is no longer shown to the agent. Its file moves to the archive, from where it can be restored.`,
      ));
    if (!isSure) return undefined;
    return deed === "edit" ? actions.editMemory(id) : actions.change(deed, { name: id });
  },
});

/** By type, pinned first, the last changed before the others. */
function planMemories(all: readonly Memory[], nowMs: number): SelectPage<Picked<MemoryDeed>> {
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
      ...{ title: toRow(one.title), value: one.id, category: one.type },
      ...{ description: describeMemory(one), footer: formatDays(one.updated, nowMs) },
    })),
  };
}

const describeMemory = ({ author, isForeign, pinned, scope, sensitivity, status }: Memory): string =>
  [
    pinned && "pinned",
    status !== "active" && status,
    isForeign && (author === undefined ? "not yours" : `by ${author}`),
    scope === "global" && "every project",
    sensitivity === "private" && "private",
  ]
    .filter(Boolean)
    .join(", ");

function planMemory(memory: Memory, nowMs: number): SelectPage<Choice<MemoryDeed>> {
  const { content, created, id, pinned, provenance, status, title, updated, when } = memory;
  const words = content.split("\n").flatMap((line) => wrap(toPrintable(line), ROW_COLUMNS));
  const judge = formatJudge(memory);
  const facts = [
    id,
    `created ${formatDays(created, nowMs)}, changed ${formatDays(updated, nowMs)}`,
    ...(when.length > 0 ? [`shown when: ${when.join(", ")}`] : []),
    ...(provenance.evidence === undefined ? [] : [`said: "${provenance.evidence}"`]),
    ...(judge === undefined ? [] : [`judged by: ${judge}`]),
  ];
  const pin = pinned ? (["unpin", "Unpin"] as const) : (["pin", "Pin: always shown before others"] as const);
  return planItemPage<MemoryDeed>(
    title,
    status === "archived"
      ? [["restore", "Restore"]]
      : [["edit", "Edit in your editor"], pin, ["archive", "Archive …"]],
    { "What it says": words.slice(0, MOST_CONTENT_LINES), "About it": facts },
  );
}

/* `/recall` as a list to pick from. */

const MOST_HITS = 30;

export async function showRecall(pages: Pages, given: string): Promise<void> {
  const { actions, host, nowMs } = pages;
  const placeholder = "which port does the server use";
  const asked = given || (await host.dialogs.prompt("Search memories and conversations", { placeholder }));
  const words = asked?.trim() ?? "";
  if (words === "") return host.dialogs.close();
  const { conversations = [], found: known } = await actions.read<{
    found: Found[];
    conversations?: SaidQuote[];
  }>("recall", { words, limit: MOST_HITS }, host.sessionID());
  const found = [...known, ...conversations.map((one) => ({ kind: "quote" as const, ...one }))];
  if (found.length === 0)
    return host.dialogs.alert(`Nothing found for "${fit(words, 40)}"`, "Try other words.");
  for (;;) {
    const index = await host.dialogs.select(planFound(words, found, nowMs()));
    const chosen = index === undefined ? undefined : found[index];
    if (!chosen) return;
    if (chosen.kind === "quote") {
      host.dialogs.close();
      if (host.openSession(chosen.session.id)) return;
      return host.dialogs.alert(toPrintable(chosen.session.title), `In a terminal: ${chosen.open}`);
    }
    if (chosen.kind === "session")
      await host.dialogs.alert(
        `From an earlier session, ${formatDays(chosen.date, nowMs())}`,
        toPrintable(chosen.text),
      );
    else if (!(await visit(host, memoriesOf(pages), chosen.memory))) return;
  }
}

/** The value is the index in `found`. */
function planFound(
  words: string,
  found: readonly (Found | ({ kind: "quote" } & SaidQuote))[],
  nowMs: number,
): SelectPage<number> {
  return {
    title: `"${fit(words, 40)}": ${found.length} found`,
    options: found.map((one, value) => {
      if (one.kind === "quote")
        return {
          ...{ title: toRow(one.text), value, category: "Conversations: enter opens the session" },
          ...{
            description: toRow(one.session.title, 30),
            footer: formatDays(new Date(one.atMs).toISOString(), nowMs),
          },
        };
      const isMemory = one.kind === "memory";
      return {
        title: toRow(isMemory ? one.memory.title : one.text),
        value,
        footer: formatDays(isMemory ? one.memory.updated : one.date, nowMs),
        category: isMemory ? "Memories" : "Earlier sessions",
        ...(isMemory && { description: one.memory.type }),
      };
    }),
  };
}
