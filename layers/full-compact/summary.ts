/** Checks the host's summary of a session by what is known about it without a model. Pure. */
import { findOpenTodos, type SessionFacts } from "../../src/notes/facts.js";

export interface CheckedSummary {
  /** The summary, if it is one. */
  text: string | undefined;
  /** Why it is none, for people. */
  problem?: string;
  /** Lines on what it leaves out, ready to be appended. */
  missing: string[];
}

/** The headings that our prompt asks for (`prompts/compaction.md`); the host's own prompt has others. */
export const SUMMARY_HEADINGS = [
  "Request and Intent",
  "Concepts",
  "Files and Code",
  "Errors and Fixes",
  "Problem Solving",
  "User Messages",
  "Pending Tasks",
  "Current Work",
  "Next Step",
] as const;

/** A longer summary is no summary: it would fill the context that it is to empty. */
const MOST_CHARACTERS = 40_000;
/** A shorter one cannot be about a session that filled a window. */
const LEAST_CHARACTERS = 200;
const MOST_MUST_HAVE_CHARACTERS = 8_000;
/** A part of a longer text is enough to find it by. */
const COMPARED_CHARACTERS = 120;

export function checkSummary(summary: string, facts: SessionFacts | undefined): CheckedSummary {
  const problem = findProblem(summary);
  const text = problem === undefined ? summary.trim() : undefined;
  const missing = facts ? findMissing(normalize(text ?? ""), facts) : [];
  return { text, missing, ...(problem !== undefined && { problem }) };
}

/** What a summary must have in it, for the instruction; bounded. */
export function formatMustHave(facts: SessionFacts): string {
  const lines = findMissing("", facts);
  if (lines.length === 0) return "";
  const text = lines.join("\n").slice(0, MOST_MUST_HAVE_CHARACTERS);
  return `\nThese facts must be in the summary, word for word:\n${text}\n`;
}

function findProblem(summary: string): string | undefined {
  const { length } = summary.trim();
  if (length === 0) return "it is empty";
  if (length > MOST_CHARACTERS) return `it has ${length} characters, more than ${MOST_CHARACTERS}`;
  if (length < LEAST_CHARACTERS) return `it has only ${length} characters`;
  return undefined;
}

function findMissing(summary: string, facts: SessionFacts): string[] {
  const has = (text: string): boolean => summary.includes(normalize(text).slice(0, COMPARED_CHARACTERS));
  const list = (label: string, texts: readonly string[]): string[] =>
    texts.filter((text) => !has(text)).map((text) => `- ${label}: ${text}`);
  const edited = facts.files.filter(({ isEdited }) => isEdited).map(({ name }) => name);
  const failed = facts.errors.filter(({ laterSucceeded }) => !laterSucceeded).slice(-10);
  return [
    ...list(
      "The user's rule",
      facts.constraints.map(({ text }) => text),
    ),
    ...list(
      "The user's correction",
      facts.corrections.map(({ text }) => text),
    ),
    ...list(
      "Decided",
      facts.reasons.map(({ text }) => text),
    ),
    ...list(
      "Open todo",
      findOpenTodos(facts.todos).map(({ content }) => content),
    ),
    ...list("Edited", edited),
    ...list(
      "Failed",
      failed.map(
        ({ tool, input, exit }) => `${tool} ${input}${exit === undefined ? "" : ` (exit status ${exit})`}`,
      ),
    ),
  ];
}

function normalize(text: string): string {
  return text
    .replace(/[\s`*_"'“”‘’]+/g, " ")
    .trim()
    .toLowerCase();
}
