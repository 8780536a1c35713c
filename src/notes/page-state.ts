/** The lines under "Current State": the last answer that says something, what was changed, what is open. */
import { quote, toCode, toLine } from "../text/text.js";
import { type Answer, type Change, findRequestAt, type Ledger, numberOf, type Todo } from "./ledger.js";
import { findNumberAt, isForeignFile, type PageLine, shortenPaths } from "./page-line.js";
import { isTelling } from "./telling.js";

/** Files named as changed for one request, and changes told of one file. */
const MOST_FILES = 12;
const MOST_OF_A_FILE = 3;
const LONGEST_CHANGE = 80;
const LONGEST_NEXT = 300;

export function planCurrentState(ledger: Ledger, project: string): PageLine[] {
  const { plan } = ledger;
  const lines: PageLine[] = [];
  if (plan) lines.push({ id: `plan:${plan.path}`, text: `- Plan: ${toCode(plan.path, 300)}`, at: plan.at });
  const last = findState(ledger);
  if (last) {
    const number = findNumberAt(ledger, last.at);
    const to = number === undefined ? "" : ` (to request ${number})`;
    const text = shortenPaths(last.whole ?? last.text, project);
    lines.push({ id: `answer:${last.key}`, text: `- Last answer${to}: ${text}`, at: last.at });
  }
  const changed = planChanged(ledger);
  const newest = changed.at(-1);
  if (newest) lines.push({ ...newest.line, text: `${newest.line.text}${formatWhat(newest.changes)}` });
  return [...lines, ...planNext(ledger.answers.at(-1)), ...planTodos(ledger)];
}

/** The last answer that says something, else the last. */
export function findState({ answers }: Pick<Ledger, "answers">): Answer | undefined {
  return answers.findLast(({ text, whole }) => isTelling(whole ?? text)) ?? answers.at(-1);
}

/** The step that the last answer announces, where the answer as shown does not have it. */
function planNext(answer: Answer | undefined): PageLine[] {
  const { at = 0, key = "", next, text = "", whole = text } = answer ?? {};
  if (next === undefined || whole.includes(toLine(next, 40).replace(/…$/, ""))) return [];
  return [{ id: `next:${key}`, text: `- Open: ${toLine(next, LONGEST_NEXT)}`, at }];
}

function planTodos({ todos }: Ledger): PageLine[] {
  const seen = new Set<string>();
  return (todos?.items ?? []).flatMap((todo) => {
    if (seen.has(todo.content)) return [];
    seen.add(todo.content);
    return planTodo(todo, todos?.at ?? 0);
  });
}

function planTodo({ content, status }: Todo, at: number): PageLine {
  const box = status === "completed" ? "[x]" : "[ ]";
  const remark = status === "completed" || status === "pending" ? "" : ` (${status.replace("_", " ")})`;
  return { id: `todo:${content}`, text: `- ${box} ${content}${remark}`, at };
}

export interface ChangedForRequest {
  line: PageLine;
  changes: readonly Change[];
}

/** One line for each request that files were changed for, with the time of its last change. */
export function planChanged(ledger: Ledger): ChangedForRequest[] {
  const byRequest = new Map<number, Change[]>();
  for (const change of ledger.changes) {
    if (isForeignFile(change.path)) continue;
    const index = findRequestAt(ledger.requests, change.at);
    const same = byRequest.get(index);
    if (same) same.push(change);
    else byRequest.set(index, [change]);
  }
  return [...byRequest].map(([index, changes]) => {
    const of = index === -1 ? "before the first request" : `for request ${numberOf(ledger, index)}`;
    const newest = changes.map(({ path }) => path.split("/").at(-1) ?? path).reverse();
    const names = [...new Set(newest)].reverse();
    const more = names.length > MOST_FILES ? ` and ${names.length - MOST_FILES} more` : "";
    return {
      line: {
        id: `changed:${ledger.requests[index]?.key ?? ""}`,
        text: `- Changed ${of}: ${quote(names.slice(-MOST_FILES).join(", "), 600)}${more}`,
        at: changes.at(-1)?.at ?? 0,
      },
      changes,
    };
  });
}

function formatWhat(changes: readonly Change[]): string {
  const texts = changes.flatMap(({ path, what }) =>
    what === "" ? [] : `${path.split("/").at(-1)}: ${toLine(what, LONGEST_CHANGE)}`,
  );
  const told = [...new Set(texts)].slice(-MOST_OF_A_FILE);
  return told.length === 0 ? "" : `; last ${told.map((text) => quote(text, 200)).join(", ")}`;
}
