/**
 * The scripted agent: goes through the beats of a turn, one a request, and answers when there is none left. It acts
 * on the request that it really got, with one rule for every run:
 *
 *     What it did not get whole and needs, because OpenCode cut it or Strata moved it out, it looks up at once; what
 *     it wants again and no longer has, because Strata cleared it or history was replaced, it looks up again.
 *
 * So every run pays for what it took away. A request to summarize gets a summary, one from another session an answer.
 */

import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isSummarizing, type ModelRequest } from "../host/stage/model-request.js";
import { type CallsStep, call, calls, type Step, say } from "../host/stage/steps.js";
import { HOST } from "../host/stage/which-host.js";
import { numberOf } from "../support/chance.js";
import { facts } from "./facts.js";
import { type Outcome, readOutcome } from "./outcome.js";
import type { Beat, Turn, WorkCall } from "./story.js";

export interface Agent {
  /** Every call of the story that was answered, by its id, as the model first got the result. */
  readonly seen: ReadonlyMap<string, Outcome>;
  /** How many calls it made to look at what it did not have, or no longer. */
  readonly looks: number;
  /** Takes up the next turn of the story. */
  begin(turn: Turn): void;
  respond(request: ModelRequest): Step;
}

/** The agent of this session, which works in this folder. */
export function createAgent(sessionID: string, folder: string): Agent {
  const seen = new Map<string, Outcome>();
  const done: Turn[] = [];
  let turn: Turn = { number: 0, user: "", beats: [], answer: "" };
  let beats: Beat[] = [];
  /** Calls whose results the next request brings. */
  let open: WorkCall[] = [];
  let looks = 0;

  /** What the agent lacks of the results that have just come. */
  function lookIntoOpen(context: Context): CallsStep[] {
    const outcomes = open.map(context);
    open = [];
    const refused = outcomes.find(({ text }) => REFUSED.test(text.slice(0, 200)));
    if (refused) throw new Error(`OpenCode refused ${refused.call.id}: ${refused.text.slice(0, 200)}`);
    for (const outcome of outcomes) seen.set(outcome.call.id, outcome);
    return outcomes
      .filter((outcome) => isNeeded(outcome))
      .flatMap((outcome) => lookInto(outcome, `${outcome.call.id}_look`) ?? []);
  }

  function takeUp(beat: Beat, context: Context): CallsStep[] {
    if (beat.kind === "again") {
      const planned = beat.targets.flatMap(
        (target) => lookAgain(context(target), `${target.id}_in${turn.number}`) ?? [],
      );
      looks += planned.length;
      return planned;
    }
    open = beat.calls;
    return beat.calls.map(({ tool, args, id }) => call(tool, args, { id }));
  }

  return {
    seen,
    get looks() {
      return looks;
    },
    begin(begun) {
      done.push(turn);
      turn = begun;
      beats = [...begun.beats];
    },
    respond(request) {
      if (isSummarizing(request)) return say(formatSummary([...done, turn]));
      if (request.sessionID !== sessionID) return say(formatSummary(done));
      const context = createContext(request, folder);
      const first = lookIntoOpen(context);
      looks += first.length;
      if (first.length > 0) return calls(...first);
      for (let beat = beats.shift(); beat; beat = beats.shift()) {
        const planned = takeUp(beat, context);
        if (planned.length > 0) return calls(...planned);
      }
      return say(turn.answer);
    },
  };
}

/** A story whose calls the host does not take would be another one, and cheaper. */
const REFUSED =
  /Invalid arguments for tool|No tool named|unavailable tool|The arguments provided to the tool are invalid/;

/** What stands in the request for a call. */
type Context = (call: WorkCall) => Outcome;

function createContext(request: ModelRequest, folder: string): Context {
  const results = new Map(request.toolResults().map(({ callID, text }) => [callID, text]));
  return (call) => readOutcome(call, results.get(call.id), folder);
}

/** What the scripted model answers when it is asked for a summary: about 600 tokens, as a real one might be. */

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
function formatSummary(turns: readonly Turn[]): string {
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

/**
 * How the scripted agent looks at what it does not have: it searches the file that holds the result, or reads 120
 * lines of it. There is no file where history was replaced: then it makes the call again, of a command the first
 * 120 lines.
 */

/** Lines that a look at a place in a large file takes. */
const LOOK_LINES = 120;

/** A large read, in bytes. */
const LARGE_READ = 20_000;

/**
 * Does the agent take a look at a place of this result at once? At half of those that it did not get whole: the
 * preview, or what OpenCode has left, is enough of the others. And at half of the large reads, as in a recorded
 * session, whether it got them whole or not. The same ones in every run.
 */
function isNeeded({ call: made, standing, wholeBytes }: Outcome): boolean {
  const isLargeRead = made.tool === "read" && wholeBytes > LARGE_READ;
  return numberOf(made.id) % 2 === 0 && (isLargeRead || standing !== "whole");
}

/** A first look: of two results one is searched, the other read. */
function lookInto(outcome: Outcome, id: string): CallsStep | undefined {
  const { call: made, standing } = outcome;
  const found =
    made.tool === "read" && standing === "whole"
      ? { ...outcome, standing: "cut" as const, lookIn: String(made.args.filePath) }
      : outcome;
  const isSearch = numberOf(id) % 4 < 2;
  return isSearch ? (searchIn(found, id) ?? lookAgain(found, id)) : lookAgain(found, id);
}

/** A look at some place of it, later on. No call where it still stands in the request. */
function lookAgain(outcome: Outcome, id: string): CallsStep | undefined {
  const { call: made, standing, lookIn } = outcome;
  if (standing === "whole") return undefined;
  if (lookIn === undefined) return repeat(made, id);
  // A JSON document on one line, of which Read shows the beginning only.
  if (made.tool === "mcp_json") return bash(`tail -c +2049 ${lookIn} | head -c 4000`, id);
  const offset = 1 + (numberOf(id) % Math.max(1, countLines(lookIn) - LOOK_LINES));
  return call("read", { filePath: lookIn, offset, limit: LOOK_LINES }, { id });
}

function searchIn({ call: made, standing, lookIn }: Outcome, id: string): CallsStep | undefined {
  if (standing === "whole" || lookIn === undefined || made.tool === "mcp_json") return undefined;
  const args = { pattern: made.pattern, path: dirname(lookIn), include: basename(lookIn) };
  return call("grep", args, { id });
}

function repeat({ tool, args }: WorkCall, id: string): CallsStep {
  if (tool === "bash") return bash(`(${args.command}) | head -n ${LOOK_LINES}`, id);
  return call(tool, args, { id });
}

function bash(command: string, id: string): CallsStep {
  return call("bash", { command, description: "Look again" }, { id });
}

function countLines(path: string): number {
  return readFileSync(path, "utf8").split("\n").length;
}
