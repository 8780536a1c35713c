/** The lines under "Current State": the last answer that says something, what was changed, what is open. */
import { dirname } from "node:path";
import { quote, toCode, toLine } from "../text/text.js";
import { type Answer, type Change, findRequestAt, type Ledger, numberOf, type Todo } from "./ledger.js";

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

export interface PageLine {
  /** Kind, colon, key of the fact. Unique in a page. */
  id: string;
  /** One non-empty line without trailing space. */
  text: string;
  /** Time of the event in milliseconds since 1970; the newest are kept if space is short. */
  at: number;
}

/** Number of the request at a time, as the notes name it; `undefined` before the first. */
export function findNumberAt(ledger: Ledger, at: number): number | undefined {
  const index = findRequestAt(ledger.requests, at);
  return index === -1 ? undefined : numberOf(ledger, index);
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

/*
 * Tells what an answer says from what it merely utters: thanks, acknowledgements, questions, offers, and words on what
 * will be looked at next are no state of a session. Pure.
 */

/** A sentence of nothing else. */
const UTTERED =
  /^(?:(?:ok(?:ay)?|yes|no|sure|right|great|perfect|good|nice|excellent|done|understood|noted|got it|will do|agreed|exactly|of course|certainly|absolutely|thanks?|thank you|you(?:'|’)?re (?:very )?welcome|welcome|no problem|my pleasure|any ?time|sorry|hello|hi|hey|glad|happy|ready|waiting|standing by|sounds good|let me know|feel free|good luck|have (?:a|fun)|enjoy|cheers|bye)\b[^\n]{0,60}|(?:verstanden|danke|bitte|gern|klar|erledigt|alles klar|in ordnung)\b[^\n]{0,40}|(?:好的?|谢谢|不客气|明白|收到|了解)[^\n]{0,20})$/i;
const TELLS = /\d|[a-z][A-Z]|_|`|\/|→/;
const QUESTION = /[?？]["')\]*_]*$/;
const OFFER =
  /\b(?:let me know|if you(?:'d)? (?:want|like|wish|prefer)|feel free|shall i|should i|would you|do you want|ready when you are|anything else)\b/i;
/** What the agent is about to do. */
const INTENDED =
  /^(?:(?:now|next|first|then|so|ok(?:ay)?|good|great|perfect|alright)[,.!:]?\s+)*(?:let(?:'|’)?s|let me|i(?:'|’)?ll|i will|i(?:'|’)?m (?:going|about) to|i need to|i should|i(?:'|’)?m (?:checking|looking|reading|running|waiting|now))\b/i;
/** What it does, without a result. */
const ANNOUNCED = /^(?:now|next|first|then|step \d+|checking|looking|reading|running|waiting)\b/i;

/** Sentences, those of a list or a table included. */
function splitSentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+(?=[\p{L}\d"'`*(])/u)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

const says = (sentence: string): boolean =>
  !QUESTION.test(sentence) &&
  !OFFER.test(sentence) &&
  !INTENDED.test(sentence) &&
  (!UTTERED.test(sentence) || TELLS.test(sentence));

/** Characters looked at: what an answer says first. */
const LOOKED_AT = 8_000;

/** Is this answer a state to go on from? */
export function isTelling(text: string): boolean {
  return splitSentences(text.slice(0, LOOKED_AT)).some(says);
}

/** What an agent has found while it works, with names or numbers; `""` if it only says what comes next. */
export function findFindings(text: string): string {
  return splitSentences(text.slice(0, LOOKED_AT))
    .filter((sentence) => says(sentence) && TELLS.test(sentence) && !ANNOUNCED.test(sentence))
    .join(" ");
}
