/**
 * The scripted model of a replay: says and calls what the recorded agent did, whatever the request holds, with one rule.
 *
 *     Lines that it is about to edit must be in sight. If they are gone, it reads them again first.
 *
 * So a run pays for what it took away. A request for a summary gets one made from the session.
 */
import {
  type ChatMessage,
  forgetTexts,
  isSummarizing,
  type ModelRequest,
} from "../host/stage/model-request.js";
import { type PlannedCall, type Step, say } from "../host/stage/steps.js";
import { listBlocks } from "./blocks.js";
import { createIdentifiers } from "./identifiers.js";
import type { RecordedClock } from "./recorded-clock.js";
import type { RecordedCall } from "./recorded-session.js";
import type { RequestRecord } from "./request-record.js";
import { argumentsOf, type ScriptStep, type ScriptTurn, textIn } from "./script.js";
import { isInSight, linesToChange, planLookAgain } from "./sight.js";
import { writeSummary } from "./summary.js";

export interface RecordedAgentOptions {
  turns: readonly ScriptTurn[];
  /** The project. */
  folder: string;
  clock: RecordedClock;
  /** Told of each call before it is sent. */
  onCall: (callID: string, call: RecordedCall) => void;
}

export interface RecordedAgent {
  /** Edits so far, and those of them whose lines nothing showed any more. */
  readonly edits: number;
  readonly blindEdits: number;
  /** Names the session that is played; requests of others are not the agent's. */
  enter(sessionID: string): void;
  /** Takes up a turn by its index. */
  begin(turn: number): void;
  /** Whether all answers of the turn have been given. */
  isTurnOver(): boolean;
  respond(request: ModelRequest): Step;
  /** All requests so far, once the last is answered. */
  close(): RequestRecord[];
}

export function createRecordedAgent({ turns, folder, clock, onCall }: RecordedAgentOptions): RecordedAgent {
  const identifiers = createIdentifiers(folder);
  const records: RequestRecord[] = [];
  const past: RecordedCall[] = [];
  const said: ScriptStep[] = [];
  const counts = { edits: 0, blindEdits: 0 };
  let sessionID: string | undefined;
  let turn = -1;
  let rest: ScriptStep[] = [];
  let hasLookedAgain = false;
  /** The last request, whose tokens are counted after it is answered. */
  let open: { request: ModelRequest; record: RequestRecord } | undefined;

  function settle(): void {
    if (!open) return;
    const { promptTokens, cachedTokens, outputTokens } = open.request;
    Object.assign(open.record, { sent: promptTokens, cached: cachedTokens, answered: outputTokens });
    forgetTexts(open.request);
    open = undefined;
  }

  function note(request: ModelRequest): RequestRecord {
    settle();
    const kind = isSummarizing(request) ? "summary" : request.sessionID === sessionID ? "agent" : "other";
    const counted = { at: request.at, sent: 0, cached: 0, answered: 0 };
    const record: RequestRecord = { kind, ...counted, blocks: listBlocks(request), readAgain: [] };
    records.push(record);
    open = { request, record };
    return record;
  }

  function send(step: ScriptStep): Step {
    if (step.calls.length === 0) return say(step.say);
    const calls = step.calls.map((call, index): PlannedCall => {
      const id = `call_${records.length}_${index}`;
      onCall(id, call);
      return { id, tool: call.tool, args: argumentsOf(call) };
    });
    return { kind: "calls", text: step.say, calls };
  }

  /** The looks that the edits of this answer need first. */
  function planLooks({ calls }: ScriptStep, text: string): RecordedCall[] {
    const hidden = calls.filter((call) => !isInSight(linesToChange(call), text));
    if (hasLookedAgain) {
      counts.blindEdits += hidden.length;
      return [];
    }
    const looks = hidden.flatMap((edit) => planLookAgain(edit, past) ?? []);
    return [...new Map(looks.map((look) => [look.result, look])).values()];
  }

  function act(record: RequestRecord, request: ModelRequest): Step {
    const next = rest[0];
    if (!next) return say("OK.");
    clock.reach(next.at);
    const text = request.messages.map(readMessage).join("\n");
    const looks = planLooks(next, text);
    if (looks.length > 0) {
      hasLookedAgain = true;
      record.readAgain = looks.map(({ result }) => result.length);
      return send({ at: next.at, say: "", calls: looks });
    }
    hasLookedAgain = false;
    record.leaning = identifiers.judge(next, text);
    identifiers.learn(next);
    counts.edits += next.calls.filter(({ tool }) => tool === "edit").length;
    rest.shift();
    past.push(...next.calls);
    said.push(next);
    return send(next);
  }

  return {
    get edits() {
      return counts.edits;
    },
    get blindEdits() {
      return counts.blindEdits;
    },
    enter(id) {
      sessionID = id;
    },
    begin(index) {
      turn = index;
      rest = [...(turns[index]?.steps ?? [])];
    },
    isTurnOver: () => rest.length === 0,
    respond(request) {
      const record = note(request);
      return record.kind === "agent"
        ? act(record, request)
        : say(writeSummary(turns.slice(0, turn + 1), said));
    },
    close() {
      settle();
      return records;
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
