/**
 * The machine's version of the notes: lines under headings, each with an ID by which it is recognised after its text
 * changes. Lines contain no ages or counters, so the file changes only when facts do. Text from tools is quoted.
 */
import { formatCount } from "../base/format.js";
import { cleanLine, cut, toCode, toLine } from "../base/text.js";
import { redactSecrets } from "../text/secrets/secrets.js";
import { findNumberAt, MOST_OF_A_REQUEST, numberOf } from "./ledger.js";
import { type PageLine, planCurrentState, planFailures, planFiles, planWorkflow } from "./page-lines.js";
import type { Ledger, Sections, UserRequest } from "./stored.js";
import { findNamesAndPaths } from "./wording.js";

/** The sections, in the order of the page. */
export const HEADINGS = [
  "Current State",
  "Task Specification",
  "Files and Functions",
  "Workflow",
  "Errors and Corrections",
  "Learnings",
] as const;

export type Heading = (typeof HEADINGS)[number];

/** The kind in a line's ID. */
export const kindOf = ({ id }: Pick<PageLine, "id">): string => id.slice(0, id.indexOf(":"));

/** ID of the title, which a person's own title replaces. */
export const TITLE_ID = "title:";

const INTRO =
  "What happened in this session, noted by opencode-strata. Change what you like: your lines stay, and what you take out does not come back.";

/** Characters of a request shown in the notes. The stored file has the rest. */
const SHOWN_OF_A_REQUEST = 4_000;
const LONGEST_NAMES = 600;

export interface PageOptions {
  project: string;
  /** IDs of lines that a person has removed. */
  removed: readonly string[];
  sessionID: string;
}

/** All lines of the machine but the removed ones, in the order of the six sections: the model's first, then the ledger's. */
export function planPage(
  given: Ledger,
  sections: Sections | undefined,
  { project, removed, sessionID }: PageOptions,
): PageLine[] {
  const gone = new Set(removed);
  const ledger = withoutFiles(given, gone);
  const known: Record<Heading, PageLine[]> = {
    "Current State": planCurrentState(ledger, project),
    "Task Specification": ledger.requests.flatMap((request, index) =>
      planRequest(request, numberOf(ledger, index), sessionID),
    ),
    "Files and Functions": planFiles(ledger, project),
    Workflow: planWorkflow(ledger, project),
    "Errors and Corrections": [...planRules(ledger, "correction"), ...planFailures(ledger, project)],
    Learnings: [
      ...planRules(ledger, "rule"),
      ...ledger.reasons.map(({ key, at, text }) => ({ id: `reason:${key}`, text: `- Agent: ${text}`, at })),
    ],
  };
  const body = HEADINGS.filter((heading) => !gone.has(`heading:${heading}`)).flatMap((heading) => [
    { id: `heading:${heading}`, text: `## ${heading}`, at: 0 },
    ...planModelLines(heading, sections?.[heading], known[heading]),
    ...known[heading],
  ]);
  const title = { id: TITLE_ID, text: formatTitle(ledger), at: 0 };
  return [title, { id: "intro:", text: INTRO, at: 0 }, ...body].filter(({ id }) => !gone.has(id));
}

/** A file whose line a person has removed is not named in the lines on several files either. */
function withoutFiles(ledger: Ledger, removed: ReadonlySet<string>): Ledger {
  const isShown = (path: string): boolean => !removed.has(`file:${path}`);
  return {
    ...ledger,
    files: ledger.files.filter(({ key }) => isShown(key)),
    changes: ledger.changes.filter(({ path }) => isShown(path)),
    looked: ledger.looked.filter(({ key }) => isShown(key)),
  };
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
  if (missing > 0) {
    const names = listNames(text.slice(SHOWN_OF_A_REQUEST), shown.join("\n"));
    lines.push(`  (${formatCount(missing)} more characters${names}; as it was kept in ${sessionID}.json)`);
  }
  if (files.length > 0) lines.push(`  Attached: ${files.map((name) => toCode(name, 200)).join(", ")}`);
  return lines.map((line, index) => ({
    id: index === 0 ? id : `${id}:${index}`,
    text: cleanLine(line),
    at,
  }));
}

/** What the rest of a text is about: " with src/a.ts, readPort", or nothing. */
export function listNames(rest: string, shown: string, limit = LONGEST_NAMES): string {
  const names = findNamesAndPaths(rest).filter((name) => !shown.includes(name));
  return names.length === 0 ? "" : ` with ${toLine(names.join(", "), limit)}`;
}

function formatTime(at: number): string {
  return `${new Date(Math.min(at, 8.64e15)).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function planRules(ledger: Ledger, wanted: "rule" | "correction"): PageLine[] {
  return ledger.rules
    .filter(({ kind }) => kind === wanted)
    .map(({ key, at, text }) => {
      const number = findNumberAt(ledger, at);
      const from = number === undefined ? "User" : `Request ${number}`;
      return { id: `${wanted}:${key}`, text: `- ${from}: ${text}`, at };
    });
}

/* The check of a model's text for the six sections. */

export const redactSections = (sections: Sections): Sections =>
  Object.fromEntries(Object.entries(sections).map(([name, text]) => [name, redactSecrets(text).text]));

/** Characters. Six sections fit into a request beside the machine's own lines. */
const MOST_OF_A_SECTION = 2_400;
const MOST_OF_ALL_SECTIONS = 9_000;
/** Generous bound, headings and white space included; longer answers are not read. */
const LONGEST_ANSWER = 10 * MOST_OF_ALL_SECTIONS;

/**
 * Accepts a model's answer if it has all six headings, once each and in order, with text under each, and is not too
 * long. Removes a code fence around it. Otherwise `problem` says what was expected and got.
 */
export function parseSections(answer: string): { sections: Sections } | { problem: string } {
  if (answer.length > LONGEST_ANSWER)
    return { problem: formatExcess("in all", MOST_OF_ALL_SECTIONS, answer.length) };
  const plain = answer.replaceAll("\r\n", "\n").trim();
  const text = /^```[\w-]*\n([\s\S]*?)\n?```$/.exec(plain)?.[1] ?? plain;
  const [before = "", ...parts] = text.split(/^##[^\S\n]+(\S.*)$/m).map((part) => part.trim());
  const titles = parts.filter((_, index) => index % 2 === 0).map((title) => title.replace(/\s+#*$/, ""));
  const bodies = parts.filter((_, index) => index % 2 === 1);
  if (titles.length !== HEADINGS.length || HEADINGS.some((heading, index) => heading !== titles[index])) {
    const got = titles.length === 0 ? "none" : titles.map((title) => `"${title}"`).join(", ");
    return {
      problem: `Expected the six "## " headings ${HEADINGS.join(", ")}, once each and in this order; got ${got}.`,
    };
  }
  if (before !== "")
    return {
      problem: `Expected nothing before "## ${HEADINGS[0]}"; got ${JSON.stringify(before.slice(0, 80))}.`,
    };
  for (const [index, body] of bodies.entries()) {
    const under = `under "${HEADINGS[index]}"`;
    if (body === "") return { problem: `Expected at least a line ${under}, if only "None."; got nothing.` };
    if (body.length > MOST_OF_A_SECTION)
      return { problem: formatExcess(under, MOST_OF_A_SECTION, body.length) };
  }
  const total = bodies.join("").length;
  if (total > MOST_OF_ALL_SECTIONS) return { problem: formatExcess("in all", MOST_OF_ALL_SECTIONS, total) };
  return { sections: Object.fromEntries(HEADINGS.map((heading, index) => [heading, bodies[index] ?? ""])) };
}

const formatExcess = (where: string, most: number, got: number): string =>
  `Expected at most ${formatCount(most)} characters ${where}; got ${formatCount(got)}.`;
