/** A small invented session in the form of the recorded ones: the tests play it. */
import type { RecordedCall, RecordedSession, RecordedStep } from "./recorded-session.js";

const CWD = "/home/somebody/projects/shop";
const BEGIN = Date.UTC(2026, 0, 12, 9);
const SECOND_MS = 1_000;
const LINES = 220;

/** Lines that name what they are about, so that an edit finds its own. */
const source = (name: string): string[] =>
  Array.from(
    { length: LINES },
    (_, line) => `export const ${name}Rate${line} = computeRate("${name}", ${line * 7});`,
  );

const path = (name: string): string => `${CWD}/src/${name}.ts`;

const read = (name: string): RecordedCall => ({
  tool: "read",
  args: { filePath: path(name) },
  result: source(name)
    .map((line, index) => `${String(index + 1).padStart(5)}→${line}`)
    .join("\n"),
});

const edit = (name: string, line: number): RecordedCall => ({
  tool: "edit",
  args: {
    filePath: path(name),
    oldString: source(name)
      .slice(line, line + 2)
      .join("\n"),
    newString: `export const ${name}Rate${line} = 0;`,
  },
  result: "The file has been updated.",
});

const test = (count: number, error = false): RecordedCall => ({
  tool: "bash",
  args: { command: `npm test -- --run ${count}`, description: "Run the tests" },
  result: `${error ? "Exit code 1\n" : ""}${Array.from({ length: count }, (_, n) => `ok ${n} checkout_total_${n}`).join("\n")}`,
  ...(error ? { error } : {}),
});

const other: RecordedCall = {
  tool: "other",
  name: "AskUserQuestion",
  args: { input: { question: "Which rate?" } },
  result: "The user answered: zero",
};

/** Steps twenty seconds apart; `pauseMs` comes before the first. */
function createClock() {
  let at = BEGIN;
  return (pauseMs = 20 * SECOND_MS): number => {
    at += pauseMs;
    return at;
  };
}

/** Three turns; an hour lies before the last. Its edits change lines that were read in the first. */
export function createInventedSession(): RecordedSession {
  const next = createClock();
  const step = (say: string, ...calls: RecordedCall[]): RecordedStep => ({ at: next(), say, calls });
  const turn = (user: string, pauseMs: number, plan: () => RecordedStep[]) => ({
    user,
    at: next(pauseMs),
    steps: plan(),
  });
  return {
    id: "invented",
    cwd: CWD,
    turns: [
      turn(`Look through the rates in ${CWD}/src and tell me which are wrong.`, 0, () => [
        step("I read the files first.", read("apples"), read("pears")),
        step("", read("plums"), read("cherries")),
        step("Now the tests."),
        step("", test(400)),
        step("", read("quinces")),
        step("", read("grapes")),
        step("applesRate40 and cherriesRate50 are wrong."),
      ]),
      turn("Which tests cover them?", 30 * SECOND_MS, () => [
        step("", test(420, true)),
        step("", other),
        step("", read("melons")),
        step("Those of checkout_total_17."),
      ]),
      turn("Set them to zero.", 3_600 * SECOND_MS, () => [
        step("", edit("apples", 40)),
        step("", edit("cherries", 50), test(30)),
        step("Both are zero now, as plumsRate12 was."),
      ]),
    ],
  };
}
