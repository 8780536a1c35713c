/** The pages behind commands and keys, loaded when the first one opens. */

import { fit, padTo, wrap } from "../base/columns.js";
import { formatError, StrataError } from "../base/error.js";
import { countMemories, formatCounted, formatPercent, formatTokens } from "../base/format.js";
import { toPrintable } from "../base/printable.js";
import { formatDays } from "../memory/found.js";
import type { DescribedCandidate } from "../operations/candidates.js";
import {
  ACTION_NAMES,
  ACTIONS,
  type Action,
  type ContextItem,
  type ContextItems,
  describeItem,
  formatCost,
  formatName,
  requireAction,
} from "../status/context-items.js";
import { KIND_NAMES } from "../status/format-figures.js";
import type { SessionScreen } from "../status/session-screen.js";
import type { Todo } from "../status/todo.js";
import type { OperationName } from "./actions.js";
import { formatLess, formatSaving, listProblems, rankKinds } from "./format-sidebar.js";
import {
  type Browsed,
  browse,
  type Choice,
  type Opening,
  type Page,
  type Pages,
  type Picked,
  planDeeds,
  planItemPage,
  ROW_COLUMNS,
  tell,
  toRow,
} from "./page.js";
import { memoriesOf, showRecall } from "./page-memories.js";
import type { SelectOption, SelectPage } from "./screen-host.js";

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
  if (next === "todo") return browse(pages, todosOf(pages));
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

/* What waits for the user: a key takes the usual way of each, another key the next one. */

const todosOf = ({ actions, host }: Pages): Browsed<Todo, string> => ({
  read: async () => (await actions.read<{ todos: Todo[] }>("todo")).todos,
  none: ["Nothing waits for you", "What only you can decide about memories is listed here."],
  list: planTodos,
  page: ({ ways, what }) =>
    planItemPage(
      what,
      ways.map(({ command, title }, n) => [String(n), title, command] as const),
      { "What it is": wrap(toPrintable(what), ROW_COLUMNS) },
    ),
  async act({ ways }, deed) {
    const { command, input, operation, title } = ways[Number(deed)] ?? {};
    if (command === undefined || title === undefined) return undefined;
    if (operation === undefined) {
      await host.dialogs.alert(title, `In a terminal: ${toPrintable(command)}`);
      return undefined;
    }
    return operation === "edit file"
      ? actions.editMemory((input as { name: string }).name)
      : actions.change(operation as OperationName, input);
  },
});

/** By kind, in the order of the list. */
function planTodos(todos: readonly Todo[]): SelectPage<Picked<string>> {
  return {
    title: `What waits for you (${todos.length})`,
    options: todos.map(({ id, kind, ways: [way], what }) => ({
      ...{ title: toRow(what), value: id, category: kind },
      ...(way && { description: way.title }),
    })),
    keys: planDeeds(["ctrl+y", "does what is named in the row", "0"], ["ctrl+d", "the other way", "1"]),
  };
}

/* Likely sentences that wait: each is kept or dropped. */

const candidatesOf = ({ actions, nowMs }: Pages): Browsed<DescribedCandidate, "keep" | "drop"> => ({
  read: async () => (await actions.read<{ candidates: DescribedCandidate[] }>("candidates")).candidates,
  none: ["Candidates", "No sentence is waiting."],
  list: (waiting) => planCandidates(waiting, nowMs()),
  page: planCandidate,
  act: ({ id }, deed) => actions.change(deed, { ids: [id] }),
});

/** In the store's order, which is that of worth. */
export function planCandidates(
  waiting: readonly DescribedCandidate[],
  nowMs: number,
): SelectPage<Picked<"keep" | "drop">> {
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
    keys: planDeeds<"keep" | "drop">(["ctrl+y", "keeps", "keep"], ["ctrl+d", "drops", "drop"]),
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
    none: ["Context", "Nothing in it can be changed yet. The list is updated after each request."],
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
  return planItemPage<Action>(
    formatName(item),
    describeItem(item).steps.map(({ action, name, price }) => [action, `${name} …`, price]),
    { "About it": facts },
  );
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

/* `/memory`: the session's figures, the project's, and what can be done. */

/** A row's page; a row without one has a sentence of its own, or only shows a figure. */
type MemoryChoice = { page: Exclude<Page, "memory"> } | { sentence: string } | { row: string };

type Option = SelectOption<MemoryChoice>;

const LABEL_COLUMNS = 18;

/** A row that opens a page. */
const door = (
  category: string,
  page: Exclude<Page, "memory">,
  title: string,
  description?: string,
): Option => ({ title, value: { page }, category, ...(description !== undefined && { description }) });

const STEERING: readonly Option[] = [
  door("Steer", "context", "See what fills the context …", "drop, pin, expand"),
  door("Steer", "notes", "Open the notes on this session …"),
];

/** Resolves with the page to open next; `undefined` once the user has closed this one. */
export async function showMemoryPage({ host, shown }: Opening): Promise<Exclude<Page, "memory"> | undefined> {
  const page = planMemoryPage(shown);
  let current: MemoryChoice | undefined;
  for (;;) {
    const choice = await host.dialogs.select({ ...page, ...(current && { current }) });
    if (!choice) return undefined;
    if ("page" in choice) return choice.page;
    if ("sentence" in choice) await host.dialogs.alert("Strata", choice.sentence);
    current = choice;
  }
}

/** Pure. */
export function planMemoryPage(screen: SessionScreen | undefined): SelectPage<MemoryChoice> {
  return {
    title: screen?.title ? `Strata: ${fit(screen.title, 50)}` : "Strata",
    options: [
      ...(screen
        ? [...planSession(screen), ...planNow(screen), ...planKinds(screen)]
        : [figure("This session", "context", "figures follow with the next request")]),
      ...planSettling(screen),
      ...(screen ? STEERING : []),
    ],
  };
}

const figure = (category: string, label: string, text: string): Option => ({
  title: padTo(label, LABEL_COLUMNS) + fit(text, ROW_COLUMNS - LABEL_COLUMNS),
  value: { row: `${category} ${label}` },
  category,
});

function planSession({ cache, context, saved }: SessionScreen): Option[] {
  const { isEstimate, now, threshold, without } = context;
  const of = threshold > 0 ? ` of ${formatTokens(threshold)}, ${formatPercent(now / threshold)}` : "";
  const category = "This session";
  const rates = [
    ...(cache.last === undefined ? [] : [`${formatPercent(cache.last)} in the last request`]),
    ...(cache.session === undefined ? [] : [`${formatPercent(cache.session)} in all`]),
  ];
  return [
    figure(category, "context", `${isEstimate ? "about " : ""}${formatTokens(now)} tokens${of}`),
    ...(without > now
      ? [figure(category, "without Strata", `${formatTokens(without)} tokens (${formatLess(context)})`)]
      : []),
    ...(rates.length > 0 ? [figure(category, "cache hits", rates.join(", "))] : []),
    figure(category, "saved", formatSaving(saved.session)),
    figure("Project", "saved today", formatSaving(saved.today)),
    figure("Project", "saved in all", formatSaving(saved.project)),
  ];
}

const planKinds = ({ context }: SessionScreen): Option[] =>
  rankKinds(context).map((kind) => {
    const tokens = context.kinds[kind];
    const part = context.now > 0 ? `, ${formatPercent(tokens / context.now)}` : "";
    return figure("In the context", KIND_NAMES[kind], `${formatTokens(tokens)} tokens${part}`);
  });

/** Sentences are shown whole when they are chosen. */
const planNow = (screen: SessionScreen): Option[] =>
  [...listProblems(screen), ...screen.background.map((one) => `in the background: ${one}`)].map(
    (sentence) => ({ title: fit(sentence, ROW_COLUMNS), value: { sentence }, category: "Now" }),
  );

function planSettling(screen: SessionScreen | undefined): Option[] {
  const category = "Memory";
  const { blockers = 0, candidates = 0, memories, todos = 0 } = screen?.memory ?? {};
  const known = [
    ...(memories === undefined ? [] : [countMemories(memories)]),
    ...(blockers > 0 ? [formatCounted(blockers, "open blocker")] : []),
  ];
  const likely = candidates > 0 ? formatCounted(candidates, "likely sentence") : "";
  return [
    door(
      category,
      "todo",
      "Settle what waits for you …",
      todos > 0 ? formatCounted(todos, "thing") : "nothing",
    ),
    door(category, "memories", "Look at the memories …", known.join(", ")),
    door(category, "keep", "Keep or drop candidates …", likely),
    door(category, "recall", "Search …", "memories and what was said in earlier sessions"),
    door(category, "undo", "Take back the last change …"),
  ];
}
