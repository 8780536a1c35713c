/** What the scripted model answers when it is asked for a summary: about 600 tokens, as a real one might be. */
import { facts } from "./facts.js";
import type { Turn } from "./story.js";

/** About as long as a summary is, by four bytes a token. */
const MAX_CHARACTERS = 2_400;

/** What was asked and answered, the latest last; the older turns fall out. */
export function formatSummary(turns: readonly Turn[]): string {
  const head = `## Goal
Go through this repository piece by piece with the user, and mark what is found.

## Instructions
${Object.values(facts)
  .map((fact) => `- ${fact}`)
  .join("\n")}

## Accomplished
`;
  const lines = turns.filter(({ number }) => number > 0).map(formatTurn);
  const from = lines.findIndex((_, index) => countFrom(lines, index) <= MAX_CHARACTERS - head.length);
  return head + lines.slice(from === -1 ? lines.length : from).join("\n");
}

function formatTurn({ number, user, answer }: Turn): string {
  return `- Turn ${number}, "${user}": ${answer.slice(0, 200)}`;
}

function countFrom(lines: readonly string[], index: number): number {
  return lines.slice(index).reduce((sum, line) => sum + line.length + 1, 0);
}
