/**
 * The machine's lines on the state, the files, what happened in its order, and failures. They contain no ages or counters,
 * so the file changes only when facts do. Text from tools is quoted. Pure.
 */
import { dirname, sep } from "node:path";
import { formatCount } from "../base/format.js";
import { groupBy } from "../base/shape.js";
import { quote, toCode, toLine } from "../base/text.js";
import { findNumberAt, findRequestAt, numberOf } from "./ledger.js";
import type { Answer, Change, Failure, Ledger } from "./stored.js";
import { isLooking, isSubstantive } from "./wording.js";

export interface PageLine {
  /** Kind, colon, key of the fact. Unique in a page. */
  id: string;
  /** One non-empty line without trailing space. */
  text: string;
  /** Time of the event in milliseconds since 1970; the newest are kept if space is short. */
  at: number;
}

/* Current state: the last answer that says something, what was changed, what is open. */

/** Files named as changed for one request, and changes told of one file. */
const MOST_FILES = 12;
const MOST_CHANGES_OF_A_REQUEST = 3;
const LONGEST_CHANGE_OF_A_REQUEST = 80;
const LONGEST_NEXT = 300;

export function planCurrentState(ledger: Ledger, project: string): PageLine[] {
  const { answers, plan, todos } = ledger;
  const lines: PageLine[] = [];
  if (plan) lines.push({ id: `plan:${plan.path}`, text: `- Plan: ${toCode(plan.path, 300)}`, at: plan.at });
  const state = findState(ledger);
  if (state) {
    const number = findNumberAt(ledger, state.at);
    const to = number === undefined ? "" : ` (to request ${number})`;
    const text = `- Last answer${to}: ${shortenPaths(state.whole ?? state.text, project)}`;
    lines.push({ id: `answer:${state.key}`, text, at: state.at });
  }
  const newest = planChanged(ledger).at(-1);
  if (newest) lines.push({ ...newest.line, text: newest.line.text + formatWhat(newest.changes) });
  const { at = 0, key = "", next, text = "", whole = text } = answers.at(-1) ?? {};
  // The step that the last answer announces, where the answer as shown does not have it.
  if (next !== undefined && !whole.includes(toLine(next, 40).replace(/…$/, "")))
    lines.push({ id: `next:${key}`, text: `- Open: ${toLine(next, LONGEST_NEXT)}`, at });
  const once = todos?.items.filter(
    ({ content }, at, all) => all.findIndex((one) => one.content === content) === at,
  );
  const shown = (once ?? []).map(({ content, status }) => {
    const box = status === "completed" ? "[x]" : "[ ]";
    const remark = status === "completed" || status === "pending" ? "" : ` (${status.replace("_", " ")})`;
    return { id: `todo:${content}`, text: `- ${box} ${content}${remark}`, at: todos?.at ?? 0 };
  });
  return [...lines, ...shown];
}

/** The last answer that says something, else the last. */
export function findState({ answers }: Pick<Ledger, "answers">): Answer | undefined {
  return answers.findLast(({ text, whole }) => isSubstantive(whole ?? text)) ?? answers.at(-1);
}

/** One line for each request that files were changed for, with the time of its last change. */
function planChanged(ledger: Ledger): { line: PageLine; changes: readonly Change[] }[] {
  const own = ledger.changes.filter(({ path }) => !isForeignFile(path));
  const byRequest = groupBy(own, ({ at }) => findRequestAt(ledger.requests, at));
  return [...byRequest].map(([index, changes]) => {
    const of = index === -1 ? "before the first request" : `for request ${numberOf(ledger, index)}`;
    const names = [...new Set(changes.map(({ path }) => nameOf(path)).reverse())].reverse();
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

const nameOf = (path: string): string => path.split("/").at(-1) ?? path;

function formatWhat(changes: readonly Change[]): string {
  const texts = changes.flatMap(({ path, what }) =>
    what === "" ? [] : `${nameOf(path)}: ${toLine(what, LONGEST_CHANGE_OF_A_REQUEST)}`,
  );
  const told = [...new Set(texts)].slice(-MOST_CHANGES_OF_A_REQUEST);
  return told.length === 0 ? "" : `; last ${told.map((text) => quote(text, 200)).join(", ")}`;
}

/* Paths. */

/** Folders like "/home/me" have everything below them; what is beside a project there is elsewhere. */
const NEAR_ROOT = 3;
/** Files of ours, of the host and of packages, which say nothing about the work. */
const FOREIGN =
  /(?:^|\/)node_modules\/|(?:^|\/)\.opencode\/(?:tool-results|session-memory|strata|memory)\/|\/opencode\/tool-output\//;

const isForeignFile = (path: string): boolean => FOREIGN.test(path);

/** The text with paths relative to the project, those beside it like a worktree included. */
export function shortenPaths(text: string, project: string): string {
  // Windows paths are written with either slash.
  const slashed = project.replaceAll(sep, "/");
  const parent = dirname(slashed);
  const isDeep = parent.split("/").length > NEAR_ROOT;
  const inside = shortenOwn(text.replaceAll(project, slashed), slashed);
  return isDeep ? inside.replaceAll(`${parent}/`, "../") : inside;
}

function shortenOwn(text: string, project: string): string {
  if (project.length < 2 || !text.includes(project)) return text;
  const pieces = text.replaceAll(`cd ${project} && `, "").replaceAll(`${project}/`, "").split(project);
  // A folder beside it may begin with its name.
  return pieces.reduce((before, piece) => before + (/^[\w.-]/.test(piece) ? project : ".") + piece);
}

const toShortCode = (text: string, limit: number, project: string): string =>
  toCode(shortenPaths(text, project), limit);

/* Files: the changed ones, then one line on those that were only read. */

const MOST_CHANGES_OF_A_FILE = 2;
const LONGEST_CHANGE_OF_A_FILE = 70;
const MOST_TOUCHED = 16;
const MOST_READ = 60;
const MOST_DECLARED = 2;

export function planFiles(ledger: Ledger, project: string): PageLine[] {
  const changes = groupBy(ledger.changes, ({ path }) => path);
  const edited = ledger.files.filter(({ isEdited, key }) => isEdited && !isForeignFile(key));
  const lines = edited.map(({ at, key, names, touched = [] }) => {
    const all = [...new Set([...names, ...touched])].slice(0, names.length + MOST_TOUCHED);
    const declared = all.length === 0 ? "" : `: ${all.join(", ")}`;
    const what = chooseChanges(changes.get(key) ?? []).map((one) => quote(one, LONGEST_CHANGE_OF_A_FILE));
    const changed = what.length === 0 ? "" : `: ${what.join(", ")}`;
    const text = `- ${toShortCode(key, 1_000, project)} (edited${changed})${declared}`;
    return { id: `file:${key}`, text, at };
  });
  return [...lines, ...planRead(ledger, project)];
}

/** The newest that say what has become of what, else the newest. */
function chooseChanges(changes: readonly Change[]): string[] {
  const whats = [...new Set(changes.map(({ what }) => what))].filter((what) => what !== "");
  const exact = whats.filter((what) => what.includes(" → "));
  return exact.length > 0 ? exact.slice(-MOST_CHANGES_OF_A_FILE) : whats.slice(-1);
}

/** The names of the newest by folder: "src/{a.ts, b.ts}". */
function planRead({ files, looked }: Ledger, project: string): PageLine[] {
  const edited = new Set(files.flatMap(({ isEdited, key }) => (isEdited ? key : [])));
  const seen = new Map<string, { at: number; declared: readonly string[] }>();
  const shown = files.map(({ at, key, touched = [] }) => ({ at, key, declared: touched }));
  const listed = looked.map(({ at, key, names }) => ({ at, key, declared: names }));
  for (const { at, declared, key } of [...shown, ...listed]) {
    if (edited.has(key) || isForeignFile(key)) continue;
    const known = seen.get(key);
    seen.set(key, {
      at: Math.max(at, known?.at ?? 0),
      declared: known?.declared.length ? known.declared : declared,
    });
  }
  if (seen.size === 0) return [];
  const newest = [...seen].sort((a, b) => b[1].at - a[1].at || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_READ);
  const folders = groupBy(newest, ([path]) => path.slice(0, path.lastIndexOf("/") + 1));
  const named = [...folders].map(([folder, some]) => {
    const names = some.map(([path, { declared }]) => {
      const own = declared.length === 0 ? "" : ` (${declared.slice(0, MOST_DECLARED).join(", ")})`;
      return path.slice(folder.length) + own;
    });
    return folder + (names.length === 1 ? names[0] : `{${names.join(", ")}}`);
  });
  const count = seen.size > newest.length ? `${formatCount(seen.size)}, the newest ` : "";
  const text = `- Only read: ${count}${quote(shortenPaths(named.join(" "), project), 4_000)}`;
  return [{ id: "reads:", text, at: newest[0]?.[1].at ?? 0 }];
}

/* Workflow: in the order of time what was said and found, commands, skills, subagents; what only looked is counted. */

const LONGEST_COMMAND = 200;
/** A longer command is easier to read with what the agent says it is for. */
const SHORT_COMMAND = 80;
const MOST_SOUGHT = 60;

export function planWorkflow(ledger: Ledger, project: string): PageLine[] {
  const { answers, commands, skills, subagents } = ledger;
  const state = findState(ledger);
  const lines: PageLine[] = planChanged(ledger)
    .slice(0, -1)
    .map(({ line }) => line);
  for (const { at, key, text } of answers.filter((one) => one !== state && isSubstantive(one.text))) {
    const number = findNumberAt(ledger, at);
    const of = number === undefined ? "Before the first request" : `Request ${number}`;
    lines.push({ id: `outcome:${key}`, text: `- ${of} → ${shortenPaths(text, project)}`, at });
  }
  for (const { at, key, text } of listFindings(ledger))
    lines.push({ id: `found:${key}`, text: `- Agent: ${shortenPaths(text, project)}`, at });
  for (const { at, key } of skills)
    lines.push({ id: `skill:${key}`, text: `- Skill loaded: ${toCode(key, 160)}`, at });
  for (const { at, description, files = [], key, result } of subagents) {
    const touched = (["changed", "read"] as const).flatMap((how) => {
      const names = files.filter(({ isEdited }) => isEdited === (how === "changed"));
      return names.length === 0 ? [] : `; ${how} ${names.map(({ name }) => toCode(name, 300)).join(", ")}`;
    });
    const found = quote(shortenPaths(result, project), 600);
    const text = `- Subagent ${quote(description, 160)} found: ${found}${touched.join("")}`;
    lines.push({ id: `subagent:${key}`, text, at });
  }
  for (const { at, description, exit, key } of commands.filter((command) => !isLooking(command.key))) {
    const end = exit === null ? "ended before it was done" : `exit ${exit}`;
    const what = description === "" || key.length <= SHORT_COMMAND ? "" : ` (${description})`;
    const text = `- ${toShortCode(key, LONGEST_COMMAND, project)} → ${end}${what}`;
    lines.push({ id: `command:${key}`, text, at });
  }
  return [...lines.sort((a, b) => a.at - b.at), ...planLooks(ledger)];
}

/** What was found, each once, without what an answer or a reason says. */
function listFindings({ answers, findings, reasons }: Ledger): Ledger["findings"] {
  const answered = new Set(answers.map(({ key }) => key));
  const newest = new Map(findings.map(({ key, text }) => [text, key]));
  return findings.filter(
    ({ key, text }) =>
      newest.get(text) === key && !answered.has(key) && !reasons.some((reason) => text.includes(reason.text)),
  );
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

/** Equal failures are one line, under the first of them. */
export function planFailures({ failures }: Ledger, project: string): PageLine[] {
  const groups = groupBy(
    failures.filter((failure) => !isEmptySearch(failure)),
    ({ error, exit, key, laterSucceeded, tool }) =>
      error === "" ? key : JSON.stringify([tool, exit, error, laterSucceeded]),
  );
  return [...groups.values()].map(([failure, ...others]) => {
    const { key = "", at = 0, tool = "", input = "", exit, error = "", laterSucceeded } = failure ?? {};
    const code = input === "" && tool !== "bash" ? "" : toShortCode(input, 160, project);
    const call = tool === "bash" ? code : `${toLine(tool, 80)} ${code}`.trimEnd();
    const end = exit === undefined ? "failed" : `exit ${exit}`;
    const what = error === "" ? "" : `: ${quote(shortenPaths(error, project), 300)}`;
    const more = others.length === 0 ? "" : ` (and ${others.length} more with the same)`;
    return {
      id: `failure:${key}`,
      text: `- ${call} → ${end}${what}${more}${laterSucceeded ? " (later succeeded)" : ""}`,
      at: Math.max(at, ...others.map((other) => other.at)),
    };
  });
}

/** A search that finds nothing ends with exit 1 and says nothing. */
const isEmptySearch = ({ error, exit, input, tool }: Failure): boolean =>
  tool === "bash" && exit === 1 && error === "" && isLooking(input);
