/** Tells whether a command's non-zero exit is a failure or the answer that the command was run for. */
import { expectedExits, misuses, reports } from "./expected-exits.js";

export interface EndedCommand {
  command: string;
  /** `null` if the command was killed. */
  exit: number | null;
  output: string;
}

/** The shell's own exit codes: not executable, and not found (POSIX). */
const ALWAYS_A_FAILURE = [126, 127];
/** Characters read from each end: reports are at the end, complaints about misuse at either. */
const LOOKED_AT = 8_000;

/** Has the command failed in a way worth remembering? Not if it succeeded or gave an answer. */
export function isFailedCommand({ command, exit, output }: EndedCommand): boolean {
  if (exit === 0) return false;
  if (exit === null || ALWAYS_A_FAILURE.includes(exit)) return true;
  const seen =
    output.length > 2 * LOOKED_AT ? `${output.slice(0, LOOKED_AT)}\n${output.slice(-LOOKED_AT)}` : output;
  // A silent exit code 1 is the answer to a question.
  if (exit === 1 && isSilent(seen)) return false;
  const isAnswer = isExpectedExit(command, exit) || reports.some((pattern) => pattern.test(seen));
  return !isAnswer || misuses.some((pattern) => pattern.test(seen));
}

const isSilent = (output: string): boolean => ["", "(no output)"].includes(output.trim());

/** Can this exit code be the answer of one of the commands in this line? */
function isExpectedExit(command: string, exit: number): boolean {
  // `pnpm vitest` runs vitest, `pnpm test` a script of that name.
  const simple = splitCommand(command).flatMap((one) => [one, one.replace(/^(pnpm|yarn|bun) (-\S+ )*/, "")]);
  return expectedExits.some(
    ({ exits, pattern }) =>
      (exits === undefined || exits.includes(exit)) && simple.some((one) => pattern.test(one)),
  );
}

/** In characters; longer commands write scripts to a file. */
const LONGEST_COMMAND = 10_000;
/** Prefixes that run another command: `timeout 30 npx --yes tsc` is `tsc`. */
const RUNNERS =
  /^((\w+=("[^"]*"|'[^']*'|\S*)|sudo|time|nice|nohup|exec|env|command(?! -v)|npx|bunx|pnpx|(pnpm|yarn|bundle|poetry|pipenv|pdm|npm) exec|pnpm dlx|(poetry|pipenv|uv|pdm|rye|hatch) run|uvx|xvfb-run|timeout (-\S+ )*\d+\S*|docker[ -]compose exec (-\S+ )*\S+|if|then|while|until|do|else)\s+(-{1,2}[\w-]+\s+)*)+/;

/** The simple commands of a line, each from its program's name on. Respects quotes, expands nothing. */
export function splitCommand(command: string): string[] {
  const pieces =
    command
      .slice(0, LONGEST_COMMAND)
      .match(/"(\\.|[^"\\])*"|'[^']*'|\\.|[&|;\n()]+|[^&|;\n()"'\\]+|["'\\]/g) ?? [];
  const simple = [""];
  for (const piece of pieces) {
    if (/^[&|;\n()]+$/.test(piece)) simple.push("");
    else simple[simple.length - 1] += piece;
  }
  return simple
    .map((one) =>
      one
        .replace(/\s+/g, " ")
        .trim()
        .replace(RUNNERS, "")
        .replace(/^\S*\//, ""),
    )
    .filter((one) => one !== "");
}
