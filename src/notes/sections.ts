/** The six sections of the notes, and the check of a model's text for them. */
import { formatCount } from "../base/format.js";
import type { Sliced } from "../base/slices.js";
import { removeSecrets } from "../text/secrets/secrets.js";

export const HEADINGS = [
  "Current State",
  "Task Specification",
  "Files and Functions",
  "Workflow",
  "Errors and Corrections",
  "Learnings",
] as const;

export type Heading = (typeof HEADINGS)[number];

/** A model's text by heading. */
export type Sections = Readonly<Record<Heading, string>>;

export function* redactSections(sections: Sections): Sliced<Sections> {
  const redacted: Record<string, string> = {};
  for (const [name, text] of Object.entries(sections)) redacted[name] = (yield* removeSecrets(text)).text;
  return redacted as Sections;
}

/** Characters. Six of them fit into a request beside the machine's own lines. */
const MOST_OF_A_SECTION = 2_400;
const MOST_OF_ALL_SECTIONS = 9_000;

/** Generous bound, headings and white space included; longer answers are not read. */
const LONGEST_ANSWER = 10 * MOST_OF_ALL_SECTIONS;

/**
 * Accepts a model's answer if it has all six headings, once each and in order, with text under each, and is not too
 * long. Removes a code fence around it. Otherwise `problem` says what was expected and what came.
 */
export function parseSections(answer: string): { sections: Sections } | { problem: string } {
  if (answer.length > LONGEST_ANSWER) return { problem: formatExcess(answer.length) };
  const lines = withoutFence(answer.replaceAll("\r\n", "\n").trim()).split("\n");
  const starts = lines.flatMap((line, index) => (/^##\s+\S/.test(line) ? [index] : []));
  const before = lines
    .slice(0, starts[0] ?? lines.length)
    .join("\n")
    .trim();
  const found = starts.map((start) => titleOf(lines[start] ?? ""));
  const problem = findHeadingProblem(found) ?? findPreambleProblem(before);
  if (problem !== undefined) return { problem };
  const bodies = starts.map((start, index) =>
    lines
      .slice(start + 1, starts[index + 1])
      .join("\n")
      .trim(),
  );
  const sizeProblem = findSizeProblem(bodies);
  if (sizeProblem !== undefined) return { problem: sizeProblem };
  return { sections: Object.fromEntries(HEADINGS.map((heading, n) => [heading, bodies[n]])) as Sections };
}

/** Text of a heading line, without its marks. */
export function titleOf(line: string): string {
  return line
    .replace(/^##\s+/, "")
    .replace(/\s+#*\s*$/, "")
    .trim();
}

function findHeadingProblem(found: readonly string[]): string | undefined {
  if (found.length === HEADINGS.length && HEADINGS.every((heading, index) => heading === found[index]))
    return undefined;
  const came = found.length === 0 ? "none" : found.map((title) => `"${title}"`).join(", ");
  return `Expected the six "## " headings ${HEADINGS.join(", ")}, once each and in this order; came ${came}.`;
}

function findPreambleProblem(before: string): string | undefined {
  if (before === "") return undefined;
  return `Expected nothing before "## ${HEADINGS[0]}"; came ${JSON.stringify(before.slice(0, 80))}.`;
}

function findSizeProblem(bodies: readonly string[]): string | undefined {
  for (const [index, body] of bodies.entries()) {
    const heading = HEADINGS[index];
    if (body === "") return `Expected at least a line under "${heading}", if only "None."; came nothing.`;
    if (body.length > MOST_OF_A_SECTION)
      return `Expected at most ${formatCount(MOST_OF_A_SECTION)} characters under "${heading}"; came ${formatCount(body.length)}.`;
  }
  const total = bodies.reduce((sum, body) => sum + body.length, 0);
  if (total <= MOST_OF_ALL_SECTIONS) return undefined;
  return formatExcess(total);
}

function formatExcess(characters: number): string {
  return `Expected at most ${formatCount(MOST_OF_ALL_SECTIONS)} characters in all; came ${formatCount(characters)}.`;
}

function withoutFence(answer: string): string {
  return /^```[\w-]*\n([\s\S]*?)\n?```$/.exec(answer)?.[1]?.trim() ?? answer;
}
