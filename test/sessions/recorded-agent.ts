/**
 * The scripted model of a replay: says and calls what the recorded agent did, whatever the request holds, with one rule.
 *
 *     Lines that it is about to edit must be in sight. If they are gone, it reads them again first.
 *
 * So a run pays for what it took away. A request for a summary gets one made from the session.
 */
import type { ChatMessage, ModelRequest } from "../host/stage/model-request.js";
import { type Step, say } from "../host/stage/steps.js";
import { HOST } from "../host/stage/which-host.js";
import { createIdentifiers } from "./identifiers.js";
import type { RecordedCall } from "./recorded-session.js";
import type { RecordedClock } from "./replay.js";
import type { Played, RequestRecord } from "./request-record.js";
import { createRequestRecorder } from "./request-record.js";
import { type ScriptStep, type ScriptTurn, textIn, toPlanned } from "./script.js";
import { createLooks } from "./sight.js";

export interface RecordedAgentOptions {
  turns: readonly ScriptTurn[];
  /** The project. */
  folder: string;
  clock: RecordedClock;
  /** Told of each call before it is sent. */
  onCall: (callID: string, call: RecordedCall) => void;
}

export interface RecordedAgent {
  /** Names the session that is played; requests of others are not the agent's. */
  enter(sessionID: string): void;
  /** Takes up a turn by its index. */
  begin(turn: number): void;
  /** Lets the recorded time until the next answer pass: its calls take it. */
  wait(): void;
  /** Whether all answers of the turn have been given. */
  isTurnOver(): boolean;
  respond(request: ModelRequest): Step;
  /** What there was to see, once the last request is answered. */
  close(): Played;
}

export function createRecordedAgent(options: RecordedAgentOptions): RecordedAgent {
  const { turns, folder, clock, onCall } = options;
  const recorder = createRequestRecorder();
  const identifiers = createIdentifiers(folder);
  const looks = createLooks();
  const given: ScriptStep[] = [];
  let sessionID: string | undefined;
  let turn = -1;
  let rest: ScriptStep[] = [];
  let callCount = 0;

  function send({ say: text, calls }: Pick<ScriptStep, "say" | "calls">): Step {
    if (calls.length === 0) return say(text);
    const made = calls.map((call) => {
      const id = `call_${++callCount}`;
      onCall(id, call);
      return toPlanned(call, id);
    });
    return { kind: "calls", text, calls: made };
  }

  function act(record: RequestRecord, request: ModelRequest): Step {
    const next = rest[0];
    if (!next) return say("OK.");
    clock.reach(next.at);
    const text = request.messages.map(readMessage).join("\n");
    const first = looks.plan(next.calls, text);
    if (first.length > 0) {
      record.readAgain = first.map(({ result }) => result.length);
      return send({ say: "", calls: first });
    }
    record.leaning = identifiers.judge(next, text);
    identifiers.learn(next);
    looks.remember(next.calls);
    given.push(next);
    rest.shift();
    return send(next);
  }

  return {
    enter(id) {
      sessionID = id;
    },
    begin(index) {
      turn = index;
      rest = [...(turns[index]?.steps ?? [])];
    },
    wait: () => clock.reach(rest[0]?.at),
    isTurnOver: () => rest.length === 0,
    respond(request) {
      const record = recorder.open(request, sessionID);
      if (record.kind === "agent") return act(record, request);
      return say(writeSummary(turns.slice(0, turn + 1), given));
    },
    close() {
      const { edits, blindEdits } = looks;
      return { records: recorder.close(), edits, blindEdits };
    },
  };
}

/** All text of a message, with the arguments of its calls. */
function readMessage({ content, tool_calls = [] }: ChatMessage): string {
  const own =
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
  return [own, ...tool_calls.map((call) => textIn(parse(call.function.arguments)))].join("\n");
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** What a replay answers when it is asked for a summary: about 1,000 tokens, made from what was asked and said. */

/** Characters kept of one request or answer. */
const REQUEST_CHARACTERS = 400;
const ANSWER_CHARACTERS = 300;
/** How many of the latest count. */
const REQUESTS = 4;
const ANSWERS = 12;
const DONE = 4;
const FILES = 30;

/** `turns` were asked for so far, `given` are the answers to them. */
function writeSummary(turns: readonly ScriptTurn[], given: readonly ScriptStep[]): string {
  const asked = turns.slice(-REQUESTS).map(({ user }) => user.slice(0, REQUEST_CHARACTERS));
  const said = given.filter(({ say }) => say !== "").map(({ say }) => say.replaceAll("\n", " "));
  const shortened = said.map((text) => text.slice(0, ANSWER_CHARACTERS));
  const paths = given.flatMap(({ calls }) => calls.flatMap(({ args }) => args.filePath ?? []));
  return [
    section(HOST === 1 ? "Goal" : "Objective", asked),
    section("Discoveries", shortened.slice(-ANSWERS)),
    section("Accomplished", shortened.slice(-DONE)),
    section("Relevant files", [...new Set(paths.map(String))].slice(-FILES)),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return [`## ${title}`, ...lines.map((line) => `- ${line}`)].join("\n");
}
