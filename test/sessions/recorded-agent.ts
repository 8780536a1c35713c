/**
 * The scripted model of a replay: says and calls what the recorded agent did, whatever the request holds, with one rule.
 *
 *     Lines that it is about to edit must be in sight. If they are gone, it reads them again first.
 *
 * So a run pays for what it took away. A request for a summary gets one made from the session.
 */
import { nodeFiles } from "../../src/io/node-files.js";
import { createLookUps } from "../../src/trial/look-ups.js";
import { readSent, writeSummary } from "../../src/trial/requests.js";
import type { ModelRequest } from "../host/stage/model-request.js";
import { type Step, say } from "../host/stage/steps.js";
import { createIdentifiers } from "./identifiers.js";
import { createNeeds } from "./needs.js";
import type { RecordedCall } from "./recorded-session.js";
import type { RecordedClock } from "./replay.js";
import type { Played, RequestRecord } from "./request-record.js";
import { createRequestRecorder } from "./request-record.js";
import { type ScriptStep, type ScriptTurn, toPlanned } from "./script.js";

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
  respond(request: ModelRequest): Promise<Step>;
  /** What there was to see, once the last request is answered. */
  close(): Played;
}

export function createRecordedAgent(options: RecordedAgentOptions): RecordedAgent {
  const { turns, folder, clock, onCall } = options;
  const recorder = createRequestRecorder();
  const identifiers = createIdentifiers(folder);
  const looks = createLookUps(nodeFiles);
  const needs = createNeeds(folder);
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

  async function act(record: RequestRecord, request: ModelRequest): Promise<Step> {
    const next = rest[0];
    if (!next) return say("OK.");
    clock.reach(next.at);
    const text = request.messages.map(readSent).join("\n");
    needs.judge(next, text);
    const first = await looks.plan(next.calls, () => text);
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
    async respond(request) {
      const record = recorder.open(request, sessionID);
      if (record.kind === "agent") return act(record, request);
      const asked = turns.slice(0, turn + 1).map(({ user }) => user);
      const paths = given.flatMap(({ calls }) => calls.flatMap(({ args }) => args.filePath ?? []));
      return say(writeSummary({ asked, said: given.map(({ say: text }) => text), paths: paths.map(String) }));
    },
    close() {
      const { edits, blindEdits } = looks.counts;
      return { records: recorder.close(), edits, blindEdits, needs: needs.all };
    },
  };
}
