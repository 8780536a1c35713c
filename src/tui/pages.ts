/** The pages behind commands and keys, loaded when the first one opens. */

import { fit, padTo, wrap } from "../base/columns.js";
import { formatError, StrataError } from "../base/error.js";
import { formatCounted, formatMoney, formatPercent, formatTokens } from "../base/format.js";
import { toPrintable } from "../base/printable.js";
import { formatJudge } from "../memory/in-words.js";
import type { Memory } from "../memory/memory.js";
import { type Found, formatDays } from "../memory/search/search.js";
import type { DescribedCandidate } from "../operations/candidates.js";
import {
  ACTIONS,
  type Action,
  type ContextItem,
  type ContextItems,
  formatCost,
  formatName,
  requireAction,
} from "../status/context-items.js";
import {
  type Browsed,
  browse,
  type Choice,
  type Opening,
  type Page,
  type Pages,
  type Picked,
  planItemPage,
  ROW_COLUMNS,
  tell,
  toRow,
  visit,
} from "./page.js";
import { showMemoryPage } from "./page-memory.js";
import type { SelectPage } from "./screen-host.js";

/** Resolves when the page is closed. Never rejects: what fails is told in a dialog, and to `complain` if unexpected. */
export async function openPage(
  { complain, page, words = "" }: { page: Page; words?: string; complain(thrown: unknown): void },
  opening: Opening,
): Promise<void> {
  try {
    await show(page, words, opening);
  } catch (thrown) {
    const isExpected = thrown instanceof StrataError;
    if (!isExpected) complain(thrown);
    const why = isExpected ? thrown.message : formatError(thrown);
    await opening.host.dialogs.alert(`Strata: /${page}`, toPrintable(why));
  }
}

async function show(page: Page, words: string, opening: Opening): Promise<void> {
  const next = page === "memory" ? await showMemoryPage(opening) : page;
  if (next === undefined) return;
  const pages: Pages = { ...opening, actions: await opening.loadActions() };
  if (next === "context") return showContext(pages);
  if (next === "recall") return showRecall(pages, words);
  if (next === "keep") return browse(pages, candidatesOf(pages));
  if (next === "notes") return showNotes(pages);
  if (next === "memories") return browse(pages, memoriesOf(pages));
  return undo(pages);
}

async function undo({ actions, host }: Pages): Promise<void> {
  const isSure = await host.dialogs.confirm(
    "Take back the last change of memory",
    "Undoes what was last remembered, changed or archived, or the whole last dream. Memories changed since stay.",
  );
  if (isSure) await host.dialogs.alert("Taken back", toPrintable((await actions.change("undo")).what));
}

/* Memories. */

const MOST_CONTENT_LINES = 40;

type MemoryDeed = "edit" | "pin" | "unpin" | "archive" | "restore";

const memoriesOf = ({ actions, host, nowMs }: Pages): Browsed<Memory, MemoryDeed> => ({
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

const describeMemory = ({ isForeign, pinned, scope, sensitivity, status }: Memory): string =>
  [
    pinned && "pinned",
    status !== "active" && status,
    isForeign && "not yours",
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
  const pin = pinned
    ? (["unpin", "Unpin"] as const)
    : (["pin", "Pin: shown before others, never faded out"] as const);
  return planItemPage<MemoryDeed>(
    title,
    status === "archived"
      ? [["restore", "Restore"]]
      : [["edit", "Edit in your editor"], pin, ["archive", "Archive …"]],
    { "What it says": words.slice(0, MOST_CONTENT_LINES), "About it": facts },
  );
}

/* Likely sentences that wait: each is kept or dropped. */

const candidatesOf = ({ actions, nowMs }: Pages): Browsed<DescribedCandidate, "keep" | "drop"> => ({
  read: async () => (await actions.read<{ candidates: DescribedCandidate[] }>("candidates")).candidates,
  none: ["Candidates", "No sentence waits to become a memory."],
  list: (waiting) => planCandidates(waiting, nowMs()),
  page: planCandidate,
  act: ({ id }, deed) => actions.change(deed, { ids: [id] }),
});

/** In the store's order, which is that of worth. */
export function planCandidates(
  waiting: readonly DescribedCandidate[],
  nowMs: number,
): SelectPage<Picked<"keep" | "drop">> {
  const decide =
    (deed: "keep" | "drop") =>
    (picked: Picked<"keep" | "drop">): Picked<"keep" | "drop"> => ({ id: String(picked), deed });
  return {
    title: `Sentences that may become memories (${waiting.length})`,
    options: waiting.map(({ id, said, sessions, text, type, worth }) => ({
      title: toRow(text),
      value: id,
      footer: formatDays(said.at(-1)?.at ?? "", nowMs),
      description: [sessions > 1 && `said in ${sessions} sessions`, formatPercent(worth), type]
        .filter(Boolean)
        .join(", "),
    })),
    keys: [
      { key: "ctrl+y", title: "keeps", choose: decide("keep") },
      { key: "ctrl+d", title: "drops", choose: decide("drop") },
    ],
  };
}

const MARK = "▸ ";
const MOST_ROWS_BESIDE = 20;

/** The sentence is marked between those beside it. */
export function planCandidate(one: DescribedCandidate): SelectPage<Choice<"keep" | "drop">> {
  const { after = "", before = "", text, type } = one;
  const rows = (words: string): string[] => wrap(toPrintable(words), ROW_COLUMNS - MARK.length);
  const said = [...rows(before), ...rows(text).map((line) => `${MARK}${line}`), ...rows(after)];
  return planItemPage<"keep" | "drop">(
    text,
    [
      ["keep", "Keep", `as a ${type}`],
      ["drop", "Drop", "it does not come back"],
    ],
    { "What you said": said.slice(0, MOST_ROWS_BESIDE) },
  );
}

/* `/context`: what stands in the context, largest first, and what can be done about each item. */

/** Leaves room for the description in a dialog of 88 columns. */
const NAME_COLUMNS = 36;

const ACTION_NAMES: Readonly<Record<Action, string>> = {
  drop: "Drop",
  pin: "Pin",
  unpin: "Unpin",
  expand: "Expand",
  "undo-cut": "Undo the cut",
};

async function showContext(pages: Pages): Promise<void> {
  const { actions, host } = pages;
  const session = host.sessionID();
  if (session === undefined)
    return host.dialogs.alert("Context", "No session is on the screen. Open one first.");
  let read: (ContextItems & { asked: Record<string, Action> }) | undefined;
  return browse<ContextItem, Action>(pages, {
    async read() {
      try {
        read = await actions.read("context", { session });
      } catch (thrown) {
        // Nothing is written yet.
        if (!(thrown instanceof StrataError) || thrown.code !== "NO_SESSION") throw thrown;
      }
      return read?.items ?? [];
    },
    none: ["Context", "Nothing in it can be steered yet. The list is written behind each request."],
    list: () => planContext(read as ContextItems, new Map(Object.entries(read?.asked ?? {}))),
    page: planItem,
    async act(item, action) {
      const cost = toPrintable(formatCost(item, action, requireAction(item, action)));
      if (!(await host.dialogs.confirm(`${ACTION_NAMES[action]}?`, cost))) return undefined;
      const { isDone, what } = await actions.change(`context ${action}`, { session, ids: [item.id] });
      const done = `${action} ${fit(formatName(item), 60)}: with your next message`;
      return { isDone, what: isDone ? done : what };
    },
  });
}

/** In the order of the file, which is largest first. `asked`: what is done with the next message, by item. */
export function planContext(
  { budget, items, omitted, tokens }: ContextItems,
  asked: ReadonlyMap<string, Action> = new Map(),
): SelectPage<string> {
  const of =
    budget > 0 ? ` of ${formatTokens(budget)} tokens (${formatPercent(tokens / budget)})` : " tokens";
  const more = omitted > 0 ? `, ${omitted} smaller ones left out` : "";
  const describe = ({ id, isPinned, state, superseded, turn }: ContextItem): string =>
    [
      asked.has(id) && `${asked.get(id)} asked for`,
      `turn ${turn}`,
      isPinned && "pinned",
      state !== "whole" && state,
      superseded !== undefined && toPrintable(superseded),
    ]
      .filter(Boolean)
      .join(", ");
  return {
    title: `Context: ${formatTokens(tokens)}${of}${more}`,
    options: items.map((item) => ({
      title: padTo(toRow(formatName(item), NAME_COLUMNS), NAME_COLUMNS),
      value: item.id,
      description: describe(item),
      footer: formatTokens(item.tokens),
    })),
  };
}

/** What is not possible says why. */
export function planItem(item: ContextItem): SelectPage<Choice<Action>> {
  const { actions, age, file, isPinned, not, state, superseded, tokens, turn, wholeTokens } = item;
  const facts = [
    `turn ${turn}, ${formatCounted(age, "answer")} ago, ${state}${isPinned ? ", pinned" : ""}`,
    `${formatTokens(tokens)} tokens as sent now, ${formatTokens(wholeTokens)} whole`,
    ...(superseded === undefined ? [] : [superseded]),
    ...(file === undefined ? [] : [`whole in ${file}`]),
    ...ACTIONS.filter((one) => actions[one] === undefined && not?.[one] !== undefined).map(
      (one) => `${ACTION_NAMES[one]}: not possible, ${not?.[one]}`,
    ),
  ];
  const possible = ACTIONS.filter((one) => actions[one] !== undefined);
  return planItemPage<Action>(
    formatName(item),
    possible.map((one) => [one, `${ACTION_NAMES[one]} …`, formatPrice(item, one)]),
    { "About it": facts },
  );
}

/** "frees 12.3K, loses 8.1K of cache ($0.02)". */
function formatPrice({ actions }: ContextItem, action: Action): string {
  const { cacheLost = 0, dollars = 0, frees = 0 } = actions[action] ?? {};
  const money = dollars > 0 ? ` (${formatMoney(dollars)})` : "";
  return [
    ...(frees > 0 ? [`frees ${formatTokens(frees)}`] : []),
    ...(frees < 0 ? [`adds ${formatTokens(-frees)}`] : []),
    cacheLost > 0 ? `loses ${formatTokens(cacheLost)} of cache${money}` : "loses no cache",
  ].join(", ");
}

/* The notes on the session, and the user's own editor for them. */

const MOST_ROWS = 300;

async function showNotes({ actions, host }: Pages): Promise<void> {
  const { dialogs } = host;
  const session = host.sessionID();
  const notes = session === undefined ? undefined : await actions.readNotes(session);
  if (!notes)
    return dialogs.alert(
      "Notes",
      "There are no notes on this session yet. They are written after each answer.",
    );
  const editor = actions.editor();
  const first =
    editor === undefined
      ? { title: "Set EDITOR to open them here", description: notes.path, value: -1 }
      : { title: `Open in ${fit(editor, 30)}`, description: "what you change stays", value: "edit" as const };
  const lines = notes.text.split("\n").filter((line) => line.trim() !== "");
  const choice = await dialogs.select<"edit" | number>({
    title: "Notes on this session",
    options: [
      { ...first, category: "File" },
      ...lines
        .slice(0, MOST_ROWS)
        .map((line, value) => ({ title: toRow(line), value, category: "What they say" })),
    ],
  });
  if (choice !== "edit") return dialogs.close();
  const changed = await actions.editFile(notes.path);
  dialogs.close();
  tell(host, changed);
}

/* `/recall` as a list to pick from. */

const MOST_HITS = 30;

async function showRecall(pages: Pages, given: string): Promise<void> {
  const { actions, host, nowMs } = pages;
  const placeholder = "which port does the server use";
  const asked = given || (await host.dialogs.prompt("Search memories and notes", { placeholder }));
  const words = asked?.trim() ?? "";
  if (words === "") return host.dialogs.close();
  const { found } = await actions.read<{ found: Found[] }>("recall", { words, limit: MOST_HITS });
  if (found.length === 0)
    return host.dialogs.alert(`Nothing found for "${fit(words, 40)}"`, "Try other words.");
  for (;;) {
    const index = await host.dialogs.select(planFound(words, found, nowMs()));
    const chosen = index === undefined ? undefined : found[index];
    if (!chosen) return;
    if (chosen.kind === "session")
      await host.dialogs.alert(
        `From an earlier session, ${formatDays(chosen.date, nowMs())}`,
        toPrintable(chosen.text),
      );
    else if (!(await visit(host, memoriesOf(pages), chosen.memory))) return;
  }
}

/** The value is the index in `found`. */
function planFound(words: string, found: readonly Found[], nowMs: number): SelectPage<number> {
  return {
    title: `"${fit(words, 40)}": ${found.length} found`,
    options: found.map((one, value) => {
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
