/** What the scripted model answers when it is asked for a summary: about 600 tokens, as a real one might be. */
import { HOST } from "../host/stage/which-host.js";
import { facts } from "./facts.js";
import type { Turn } from "./story.js";

/** About as long as a summary is, by four bytes a token. */
const MAX_CHARACTERS = 2_400;

/** OpenCode 2 takes no summary without its four headings. */
const [GOAL, INSTRUCTIONS, ACCOMPLISHED, END] =
  HOST === 1
    ? ["Goal", "Instructions", "Accomplished", ""]
    : [
        "Objective",
        "Important Details",
        "Work State",
        "\n\n## Next Move\n- Go on with the user's next request.",
      ];

/** What was asked and answered, the latest last; the older turns fall out. */
export function formatSummary(turns: readonly Turn[]): string {
  const head = `## ${GOAL}
Go through this repository piece by piece with the user, and mark what is found.

## ${INSTRUCTIONS}
${Object.values(facts)
  .map((fact) => `- ${fact}`)
  .join("\n")}

## ${ACCOMPLISHED}
`;
  const lines = turns.filter(({ number }) => number > 0).map(formatTurn);
  const from = lines.findIndex((_, index) => countFrom(lines, index) <= MAX_CHARACTERS - head.length);
  const done = lines.slice(from === -1 ? lines.length : from).join("\n");
  return `${head}${done}${END}`;
}

function formatTurn({ number, user, answer }: Turn): string {
  return `- Turn ${number}, "${user}": ${answer.slice(0, 200)}`;
}

function countFrom(lines: readonly string[], index: number): number {
  return lines.slice(index).reduce((sum, line) => sum + line.length + 1, 0);
}
