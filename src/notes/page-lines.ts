/**
 * The machine's lines on the state, the files, what happened in its order, and failures. They contain no ages or counters,
 * so the file changes only when facts do. Text from tools is quoted. Pure.
 */
import { dirname } from "node:path";
import { formatCount } from "../base/format.js";
import { quote, toCode, toLine } from "../text/text.js";
import { isLooking } from "./commands.js";
import { findNumberAt, findRequestAt, numberOf } from "./ledger.js";
import type { Answer, Change, Failure, Ledger, SubagentRun, Todo, TouchedFile } from "./stored.js";
import { isTelling } from "./wording.js";

export interface PageLine {
  /** Kind, colon, key of the fact. Unique in a page. */
  id: string;
  /** One non-empty line without trailing space. */
  text: string;
  /** Time of the event in milliseconds since 1970; the newest are kept if space is short. */
  at: number;
}

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

/** Folders like "/home/me" have everything below them; what is beside a project there is elsewhere. */
const NEAR_ROOT = 3;

/** The text with paths relative to the project, those beside it like a worktree included. */
export function shortenPaths(text: string, project: string): string {
  const parent = dirname(project);
  const isDeep = parent.split("/").length > NEAR_ROOT;
  const inside = shortenOwn(text, project);
  return isDeep ? inside.replaceAll(`${parent}/`, "../") : inside;
}

function shortenOwn(text: string, project: string): string {
  if (project.length < 2 || !text.includes(project)) return text;
  const pieces = text.replaceAll(`cd ${project} && `, "").replaceAll(`${project}/`, "").split(project);
  // A folder beside it may begin with its name.
  return pieces.reduce((before, piece) => before + (/^[\w.-]/.test(piece) ? project : ".") + piece);
}

/** A command or an input as inline code, with paths relative to the project. */
export function toShortCode(text: string, limit: number, project: string): string {
  return toCode(shortenPaths(text, project), limit);
}

/** Files of ours, of the host and of packages, which say nothing about the work. */
const FOREIGN =
  /(?:^|\/)node_modules\/|(?:^|\/)\.opencode\/(?:tool-results|session-memory|strata|memory)\/|\/opencode\/tool-output\//;

export const isForeignFile = (path: string): boolean => FOREIGN.test(path);

const LONGEST_COMMAND = 200;
/** A longer command is easier to read with what the agent says it is for. */
const SHORT_COMMAND = 80;
const MOST_CHANGES = 2;
const LONGEST_CHANGE_OF_A_FILE = 70;
const MOST_READ = 60;
const MOST_DECLARED = 2;
const MOST_SOUGHT = 60;
const MOST_TOUCHED = 16;

/** Changed files, then one line on those that were only read. */
export function planFiles(ledger: Ledger, project: string): PageLine[] {
  const files = ledger.files.filter(({ key }) => !isForeignFile(key));
  const byPath = new Map<string, Change[]>();
  for (const change of ledger.changes) byPath.set(change.path, [...(byPath.get(change.path) ?? []), change]);
  const edited = files.filter(({ isEdited }) => isEdited);
  const lines = edited.map((file) => planFile(file, byPath.get(file.key) ?? [], project));
  return [...lines, ...planRead(ledger, files, project)];
}

function planFile(
  { key, at, names, touched = [] }: TouchedFile,
  changes: readonly Change[],
  project: string,
): PageLine {
  const all = [...new Set([...names, ...touched])].slice(0, names.length + MOST_TOUCHED);
  const declared = all.length === 0 ? "" : `: ${all.join(", ")}`;
  const what = chooseChanges(changes).map((one) => quote(one, LONGEST_CHANGE_OF_A_FILE));
  const changed = what.length === 0 ? "" : `: ${what.join(", ")}`;
  return {
    id: `file:${key}`,
    text: `- ${toShortCode(key, 1_000, project)} (edited${changed})${declared}`,
    at,
  };
}

/** The newest that say what has become of what, else the newest. */
function chooseChanges(changes: readonly Change[]): string[] {
  const whats = [...new Set(changes.map(({ what }) => what))].filter((what) => what !== "");
  const exact = whats.filter((what) => what.includes(" → "));
  return exact.length > 0 ? exact.slice(-MOST_CHANGES) : whats.slice(-1);
}

/** The names of the newest by folder: "src/{a.ts, b.ts}". */
function planRead(ledger: Ledger, touched: readonly TouchedFile[], project: string): PageLine[] {
  const edited = new Set(touched.flatMap(({ isEdited, key }) => (isEdited ? key : [])));
  const seen = new Map<string, number>();
  const names = new Map<string, string>();
  for (const { at, isEdited, key, touched: declared = [] } of touched) {
    if (isEdited) continue;
    seen.set(key, at);
    if (declared.length > 0) names.set(key, formatNames(declared));
  }
  for (const { at, key, names: declared } of ledger.looked) {
    if (edited.has(key) || isForeignFile(key)) continue;
    seen.set(key, Math.max(at, seen.get(key) ?? 0));
    if (declared.length > 0 && !names.has(key)) names.set(key, formatNames(declared));
  }
  if (seen.size === 0) return [];
  const newest = [...seen].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_READ);
  const folders = new Map<string, string[]>();
  for (const [path] of newest) {
    const slash = path.lastIndexOf("/") + 1;
    const folder = path.slice(0, slash);
    folders.set(folder, [...(folders.get(folder) ?? []), path.slice(slash) + (names.get(path) ?? "")]);
  }
  const shown = [...folders]
    .map(([folder, files]) => folder + (files.length === 1 ? files[0] : `{${files.join(", ")}}`))
    .join(" ");
  const count = seen.size > newest.length ? `${formatCount(seen.size)}, the newest ` : "";
  return [
    {
      id: "reads:",
      text: `- Only read: ${count}${quote(shortenPaths(shown, project), 4_000)}`,
      at: newest[0]?.[1] ?? 0,
    },
  ];
}

const formatNames = (names: readonly string[]): string => ` (${names.slice(0, MOST_DECLARED).join(", ")})`;

/** In the order of time: what was said and found, commands, skills, subagents; what only looked is counted. */
export function planWorkflow(ledger: Ledger, project: string): PageLine[] {
  const state = findState(ledger);
  const outcomes = ledger.answers
    .filter((answer) => answer !== state && isTelling(answer.text))
    .map((answer) => planOutcome(ledger, answer, project));
  const answered = new Set(ledger.answers.map(({ key }) => key));
  const newest = new Map(ledger.findings.map(({ key, text }) => [text, key]));
  const findings = ledger.findings
    .filter(({ key, text }) => newest.get(text) === key)
    .filter(
      ({ key, text }) => !answered.has(key) && !ledger.reasons.some((reason) => text.includes(reason.text)),
    )
    .map(({ key, at, text }) => ({
      id: `found:${key}`,
      text: `- Agent: ${shortenPaths(text, project)}`,
      at,
    }));
  const changed = planChanged(ledger)
    .slice(0, -1)
    .map(({ line }) => line);
  const commands = ledger.commands
    .filter(({ key }) => !isLooking(key))
    .map(({ key, at, exit, description }) => {
      const end = exit === null ? "ended before it was done" : `exit ${exit}`;
      const what = description === "" || key.length <= SHORT_COMMAND ? "" : ` (${description})`;
      return {
        id: `command:${key}`,
        text: `- ${toShortCode(key, LONGEST_COMMAND, project)} → ${end}${what}`,
        at,
      };
    });
  const skills = ledger.skills.map(({ key, at }) => ({
    id: `skill:${key}`,
    text: `- Skill loaded: ${toCode(key, 160)}`,
    at,
  }));
  const subagents = ledger.subagents.map((run) => planSubagent(run, project));
  const all = [...changed, ...outcomes, ...findings, ...skills, ...subagents, ...commands];
  return [...all.sort((a, b) => a.at - b.at), ...planLooks(ledger)];
}

function planOutcome(ledger: Ledger, answer: Answer, project: string): PageLine {
  const number = findNumberAt(ledger, answer.at);
  const of = number === undefined ? "Before the first request" : `Request ${number}`;
  return {
    id: `outcome:${answer.key}`,
    text: `- ${of} → ${shortenPaths(answer.text, project)}`,
    at: answer.at,
  };
}

/** How many calls only looked, and the newest of what they asked for. */
function planLooks({ calls, sought }: Ledger): PageLine[] {
  const looks = Object.entries(calls.looks ?? {}).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (looks.length === 0) return [];
  const counts = looks.map(([tool, count]) => `${formatCount(count)} ${toLine(tool, 40)}`).join(", ");
  const newest = sought.slice(-MOST_SOUGHT).reverse();
  const asked = newest.length === 0 ? "" : `; for ${quote(newest.map(({ key }) => key).join(", "), 1_500)}`;
  return [{ id: "looks:", text: `- Calls that only looked: ${counts}${asked}`, at: 0 }];
}

function planSubagent({ key, at, description, files = [], result }: SubagentRun, project: string): PageLine {
  const names = (isEdited: boolean): string =>
    files.flatMap((file) => (file.isEdited === isEdited ? toCode(file.name, 300) : [])).join(", ");
  const touched = [names(true) && `changed ${names(true)}`, names(false) && `read ${names(false)}`]
    .filter((one) => one !== "")
    .map((one) => `; ${one}`);
  const found = quote(shortenPaths(result, project), 600);
  const text = `- Subagent ${quote(description, 160)} found: ${found}${touched.join("")}`;
  return { id: `subagent:${key}`, text, at };
}

/** Equal failures are one line, under the first of them. */
export function planFailures({ failures }: Ledger, project: string): PageLine[] {
  const groups = new Map<string, Failure[]>();
  for (const failure of failures) {
    const { error, exit, key, laterSucceeded, tool } = failure;
    if (isEmptySearch(failure)) continue;
    const group = error === "" ? key : JSON.stringify([tool, exit, error, laterSucceeded]);
    const same = groups.get(group);
    if (same) same.push(failure);
    else groups.set(group, [failure]);
  }
  return [...groups.values()].map((group) => planFailure(group, project));
}

/** A search that finds nothing ends with exit 1 and says nothing. */
const isEmptySearch = ({ error, exit, input, tool }: Failure): boolean =>
  tool === "bash" && exit === 1 && error === "" && isLooking(input);

function planFailure([failure, ...others]: Failure[], project: string): PageLine {
  const { key = "", at = 0, tool = "", input = "", exit, error = "", laterSucceeded } = failure ?? {};
  const call =
    tool === "bash"
      ? toShortCode(input, 160, project)
      : `${toLine(tool, 80)}${input === "" ? "" : ` ${toShortCode(input, 160, project)}`}`;
  const end = exit === undefined ? "failed" : `exit ${exit}`;
  const what = error === "" ? "" : `: ${quote(shortenPaths(error, project), 300)}`;
  const more = others.length === 0 ? "" : ` (and ${others.length} more with the same)`;
  return {
    id: `failure:${key}`,
    text: `- ${call} → ${end}${what}${more}${laterSucceeded ? " (later succeeded)" : ""}`,
    at: Math.max(at, ...others.map((other) => other.at)),
  };
}
