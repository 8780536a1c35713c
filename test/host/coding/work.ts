/**
 * An agent at work, by chance that is the same in every run: it reads, runs commands, edits, keeps todos and asks MCP
 * tools, often several at once; now and then a call fails, and now and then one has the call id of an earlier one.
 *
 *     const work = createWork(7, project);
 *     const { user, answers } = work.nextTurn();
 */
import { existsSync, readFileSync } from "node:fs";
import { createChance } from "../../support/chance.js";
import type { Project } from "../stage/project.js";
import { type CallsStep, call, calls, type SayStep, say } from "../stage/steps.js";

export interface WorkTurn {
  user: string;
  /** One a request; the last is text. */
  answers: [...CallsStep[], SayStep];
}

export interface Work {
  nextTurn(): WorkTurn;
}

const FILES = 12;
const pathOf = (number: number): string => `src/part-${number}.ts`;

/** The project that is worked on. */
export function createWorkFiles(): Record<string, string> {
  const paths = Array.from({ length: FILES }, (_, number) => pathOf(number));
  return Object.fromEntries(paths.map((path, number) => [path, formatFile(path, 20 + 10 * number)]));
}

function formatFile(path: string, count: number): string {
  const lines = Array.from({ length: count }, (_, n) => `export const value${n} = "${path} ${n * 37}";`);
  return [`// ${path}`, "// revision 0", ...lines, ""].join("\n");
}

/** The work that this seed gives. What an edit replaces is read from the file as it is. */
export function createWork(seed: number, { file }: Pick<Project, "file">): Work {
  const chance = createChance(seed);
  let turns = 0;
  const pick = (): number => chance(FILES);
  const kinds: (() => CallsStep)[] = [
    () => call("read", { filePath: file(pathOf(pick())) }),
    () => call("read", { filePath: file(pathOf(pick())), offset: 1 + chance(10), limit: 10 + chance(30) }),
    () => bash(`cat ${pathOf(pick())}`),
    () => bash(`seq 1 ${100 + chance(900)}`),
    () => bash(`head -n ${5 + chance(20)} ${pathOf(pick())}; exit ${chance(3)}`),
    () => call("grep", { pattern: `value${chance(20)} `, path: file("src") }),
    () => call("glob", { pattern: `src/part-${chance(3)}*.ts` }),
    () => call("mcp_blob", { bytes: 200 + chance(3_000), seed: chance(1_000) }),
    () => call("mcp_json", { records: 5 + chance(20) }),
    () => call("mcp_blob", { bytes: 30_001 + chance(20_000), seed: chance(1_000) }),
    () => call("mcp_fail", { message: `no luck, ${chance(1_000)}` }),
    () => call("read", { filePath: file(`src/nowhere-${chance(5)}.ts`) }),
    () => edit(pathOf(pick())),
    () => todos(),
  ];

  return {
    nextTurn() {
      turns++;
      const rule = turns % 25 === 0 ? ` Always keep part-${pick()} as it is.` : "";
      const user = `Turn ${turns}: see to ${pathOf(pick())}.${rule}`;
      const steps = Array.from({ length: chance(3) }, () => calls(...takeSome()));
      return { user, answers: [...steps, say(`Turn ${turns} is done.`)] };
    },
  };

  function takeSome(): CallsStep[] {
    const count = 1 + (chance(3) === 0 ? chance(3) : 0);
    const chosen = Array.from({ length: count }, () => kinds[chance(kinds.length)]?.() ?? todos());
    return chosen.map((step, index) => withReusedID(step, index));
  }

  /** Some providers begin anew with each answer. */
  function withReusedID(step: CallsStep, index: number): CallsStep {
    if (chance(4) !== 0) return step;
    return { ...step, calls: step.calls.map((one) => ({ ...one, id: `call_again_${index}` })) };
  }

  function edit(path: string): CallsStep {
    const revision = readRevision(file(path));
    const [oldString, newString] = [`// revision ${revision}\n`, `// revision ${revision + 1}\n`];
    return call("edit", { filePath: file(path), oldString, newString });
  }

  function todos(): CallsStep {
    const content = (number: number) => `see to ${pathOf(number)}`;
    const todo = (number: number, status: string) => ({ content: content(number), status, priority: "high" });
    return call("todowrite", { todos: [todo(pick(), "completed"), todo(pick(), "in_progress")] });
  }
}

function readRevision(path: string): number {
  return existsSync(path) ? Number(/revision (\d+)/.exec(readFileSync(path, "utf8"))?.[1]) : 0;
}

const bash = (command: string): CallsStep => call("bash", { command, description: "Look at it" });
