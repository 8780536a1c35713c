/**
 * The machine's version of the notes: lines under headings, each with an ID by which it is recognised after its text
 * changes. Lines contain no ages or counters, so the file changes only when facts do. Text from tools is quoted.
 */
import { formatCount } from "../format.js";
import { cleanLine, cut, quote, toCode, toLine } from "../text.js";
import {
  type Failure,
  findRequestAt,
  type Ledger,
  MOST_OF_A_REQUEST,
  numberOf,
  type SubagentRun,
  type Todo,
  type TouchedFile,
  type UserRequest,
} from "./ledger.js";
import { HEADINGS, type Heading, type Sections } from "./sections.js";

export interface PageLine {
  /** Kind, colon, key of the fact. Unique in a page. */
  id: string;
  /** One non-empty line without trailing space. */
  text: string;
  /** Time of the event in milliseconds since 1970; the newest are kept if space is short. */
  at: number;
}

export interface PageSection {
  /** `""` for the lines before the first heading. */
  heading: Heading | "";
  lines: PageLine[];
}

/** ID of the title, which a person's own title replaces. */
export const TITLE_ID = "title:";

const INTRO =
  "What happened in this session, noted by opencode-strata. Change what you like: your lines stay, and what you take out does not come back.";

/** Characters of a request shown in the notes. The stored file has the rest. */
const SHOWN_OF_A_REQUEST = 4_000;

/** All lines of the machine, in the order of the six sections: the model's first, then the ledger's. */
export function planPage(ledger: Ledger, sections: Sections | undefined, sessionID: string): PageSection[] {
  const written: Record<Heading, PageLine[]> = {
    "Current State": planCurrentState(ledger),
    "Task Specification": ledger.requests.flatMap((request, index) =>
      planRequest(request, numberOf(ledger, index), sessionID),
    ),
    "Files and Functions": ledger.files.map(planFile),
    Workflow: planWorkflow(ledger),
    "Errors and Corrections": [...planRules(ledger, "correction"), ...ledger.failures.map(planFailure)],
    Learnings: [...planRules(ledger, "rule"), ...planReasons(ledger)],
  };
  const title: PageSection = {
    heading: "",
    lines: [
      { id: TITLE_ID, text: formatTitle(ledger), at: 0 },
      { id: "intro:", text: INTRO, at: 0 },
    ],
  };
  const body = HEADINGS.map((heading) => ({
    heading,
    lines: [...planModelLines(heading, sections?.[heading], written[heading]), ...written[heading]],
  }));
  return [title, ...body];
}

function formatTitle({ requests }: Ledger): string {
  const first = requests[0]?.text.trim().split("\n")[0] ?? "";
  return cleanLine(`# Session notes${first === "" ? "" : `: ${toLine(first, 72)}`}`);
}

/**
 * Lines that a model repeats, its own or the ledger's, appear once. IDs are made from the text, so that a line that a
 * person removed stays out.
 */
function planModelLines(heading: Heading, text = "", ledgerLines: readonly PageLine[]): PageLine[] {
  const known = new Set(ledgerLines.map((line) => line.text));
  const lines = text
    .split("\n")
    .map((line) => cleanLine(line).replace(/^##(?=\s)/, "###"))
    .filter((line) => line.trim() !== "" && !known.has(line));
  return [...new Set(lines)].map((line) => ({ id: `model:${heading}:${line}`, text: line, at: 0 }));
}

function planCurrentState(ledger: Ledger): PageLine[] {
  const lines: PageLine[] = [];
  const { plan, todos, answers, requests } = ledger;
  if (plan) lines.push({ id: `plan:${plan.path}`, text: `- Plan: ${toCode(plan.path, 300)}`, at: plan.at });
  const last = answers.at(-1);
  if (last) {
    const index = findRequestAt(requests, last.at);
    const to = index === -1 ? "" : ` (to request ${numberOf(ledger, index)})`;
    lines.push({ id: `answer:${last.key}`, text: `- Last answer${to}: ${last.text}`, at: last.at });
  }
  const seen = new Set<string>();
  for (const todo of todos?.items ?? []) {
    if (!seen.has(todo.content)) lines.push(planTodo(todo, todos?.at ?? 0));
    seen.add(todo.content);
  }
  return lines;
}

function planTodo({ content, status }: Todo, at: number): PageLine {
  const box = status === "completed" ? "[x]" : "[ ]";
  const remark = status === "completed" || status === "pending" ? "" : ` (${status.replace("_", " ")})`;
  return { id: `todo:${content}`, text: `- ${box} ${content}${remark}`, at };
}

function planRequest(request: UserRequest, number: number, sessionID: string): PageLine[] {
  const { key, at, text, length, files } = request;
  const id = `request:${key}`;
  const time = at > 0 ? ` (${formatTime(at)})` : "";
  const shown = cut(text, SHOWN_OF_A_REQUEST)
    .split("\n")
    .map((line) => cleanLine(line));
  const lines =
    shown.length === 1
      ? [`- Request ${number}${time}: ${shown[0]}`]
      : [`- Request ${number}${time}:`, ...shown.map((line) => `  > ${line}`)];
  // A text shorter than the limit is complete, even if removed secrets made it shorter than `length`.
  const missing = length - (text.length < SHOWN_OF_A_REQUEST ? MOST_OF_A_REQUEST : SHOWN_OF_A_REQUEST);
  if (missing > 0)
    lines.push(`  (${formatCount(missing)} more characters; as it was kept in ${sessionID}.json)`);
  if (files.length > 0) lines.push(`  Attached: ${files.map((name) => toCode(name, 200)).join(", ")}`);
  return lines.map((line, index) => ({
    id: index === 0 ? id : `${id}:${index}`,
    text: cleanLine(line),
    at,
  }));
}

function formatTime(at: number): string {
  return `${new Date(Math.min(at, 8.64e15)).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function planFile({ key, at, isRead, isEdited, names }: TouchedFile): PageLine {
  const done = [isRead ? "read" : [], isEdited ? "edited" : []].flat().join(" and ");
  const declared = names.length === 0 ? "" : `: ${names.join(", ")}`;
  return { id: `file:${key}`, text: `- ${toCode(key, 1_000)} (${done})${declared}`, at };
}

/** Results of earlier requests, then commands, skills and subagents. */
function planWorkflow(ledger: Ledger): PageLine[] {
  const outcomes = ledger.answers.slice(0, -1).map((answer) => {
    const index = findRequestAt(ledger.requests, answer.at);
    const of = index === -1 ? "Before the first request" : `Request ${numberOf(ledger, index)}`;
    return { id: `outcome:${answer.key}`, text: `- ${of} → ${answer.text}`, at: answer.at };
  });
  const commands = ledger.commands.map(({ key, at, exit, description }) => {
    const end = exit === null ? "ended before it was done" : `exit ${exit}`;
    const what = description === "" ? "" : ` (${description})`;
    return { id: `command:${key}`, text: `- ${toCode(key, 300)} → ${end}${what}`, at };
  });
  const skills = ledger.skills.map(({ key, at }) => ({
    id: `skill:${key}`,
    text: `- Skill loaded: ${toCode(key, 160)}`,
    at,
  }));
  const subagents = ledger.subagents.map(planSubagent);
  return [...outcomes, ...skills, ...subagents, ...commands];
}

function planSubagent({ key, at, description, files = [], result }: SubagentRun): PageLine {
  const names = (isEdited: boolean): string =>
    files.flatMap((file) => (file.isEdited === isEdited ? toCode(file.name, 300) : [])).join(", ");
  const touched = [names(true) && `changed ${names(true)}`, names(false) && `read ${names(false)}`]
    .filter((one) => one !== "")
    .map((one) => `; ${one}`);
  const text = `- Subagent ${quote(description, 160)} found: ${quote(result, 600)}${touched.join("")}`;
  return { id: `subagent:${key}`, text, at };
}

function planRules(ledger: Ledger, wanted: "rule" | "correction"): PageLine[] {
  return ledger.rules
    .filter(({ kind }) => kind === wanted)
    .map(({ key, at, text }) => {
      const index = findRequestAt(ledger.requests, at);
      const from = index === -1 ? "User" : `Request ${numberOf(ledger, index)}`;
      return { id: `${wanted}:${key}`, text: `- ${from}: ${text}`, at };
    });
}

function planReasons(ledger: Ledger): PageLine[] {
  return ledger.reasons.map(({ key, at, text }) => ({ id: `reason:${key}`, text: `- Agent: ${text}`, at }));
}

function planFailure({ key, at, tool, input, exit, error, laterSucceeded }: Failure): PageLine {
  const call =
    tool === "bash"
      ? toCode(input, 160)
      : `${toLine(tool, 80)}${input === "" ? "" : ` ${toCode(input, 160)}`}`;
  const end = exit === undefined ? "failed" : `exit ${exit}`;
  const what = error === "" ? "" : `: ${quote(error, 300)}`;
  return {
    id: `failure:${key}`,
    text: `- ${call} → ${end}${what}${laterSucceeded ? " (later succeeded)" : ""}`,
    at,
  };
}
