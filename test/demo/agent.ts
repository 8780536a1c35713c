/**
 * The scripted agent: goes through the beats of a turn, one a request, and answers when there is none left. It acts
 * on the request that it really got, with one rule for every run:
 *
 *     What it did not get whole and needs, because OpenCode cut it or Strata moved it out, it looks up at once; what
 *     it wants again and no longer has, because Strata cleared it or history was replaced, it looks up again.
 *
 * So every run pays for what it took away. A request to summarize gets a summary, one from another session an answer.
 */
import { isSummarizing, type ModelRequest } from "../host/stage/model-request.js";
import { type CallsStep, call, calls, type Step, say } from "../host/stage/steps.js";
import { isNeeded, lookAgain, lookInto } from "./look.js";
import { type Outcome, readOutcome } from "./outcome.js";
import type { Beat, Turn, WorkCall } from "./story.js";
import { formatSummary } from "./summary.js";

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
