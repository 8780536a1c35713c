/**
 * Plays a recorded session in this process, in seconds, with what `replay` plays in the real host: the same agent, the
 * same prompt cache, the same opening. Requests are the same to the byte, but for the host's own summaries, which are near.
 *
 *     const opening = await readOpening([session], { hostTools: await readHostTools(), plugin: withStrata });
 *     const strata = await simulateSession(session, { opening, arm: { plugin: { microCompact: { horizon: 20 } } } });
 *
 * A change in the sources counts at once; a change in the tools or the system prompt with the next build.
 */
import { join } from "node:path";
import { stack } from "../../layers/index.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { planPlugin } from "../../src/host/1/simulated.js";
import { systemClock } from "../../src/io/clock.js";
import { createDryFiles } from "../../src/io/dry-files.js";
import { decodeText, type Files } from "../../src/io/files.js";
import { isToolPart, type Message, type ModelName, type Part, withResultText } from "../../src/io/message.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { readSent } from "../../src/trial/requests.js";
import { type Arm, type ArmGiven, bare, type PlayedRequest, simulate } from "../../src/trial/simulate.js";
import { usersOptions } from "../support/fake-host.js";
import { listBlocks } from "./blocks.js";
import { createIdentifiers } from "./identifiers.js";
import { createNeeds } from "./needs.js";
import { planOpening, type SeenOpening } from "./opening.js";
import { toAnswer } from "./recorded-answers.js";
import type { RecordedCall, RecordedSession } from "./recorded-session.js";
import { type ReplayOptions, sumClaims } from "./replay.js";
import type { Replay, RequestRecord } from "./request-record.js";
import { argumentsOf, planScript, type ScriptStep, type ScriptTurn } from "./script.js";

/** What stands between history and requests: nothing, the plugin with these options, or a simple policy. */
export type ArmChoice =
  | "bare"
  | { plugin: Record<string, unknown> }
  /** The results of the last answers stay; the others are cleared at every so-manieth request. */
  | { mask: { last: number; every: number } }
  /** The host summarizes at so many tokens. */
  | { summaryAt: number };

export interface SimulateOptions extends Pick<ReplayOptions, "hasPauses" | "model" | "onTurn" | "window"> {
  /** From `readOpening`, with the plugin if it plays. */
  opening: SeenOpening;
  arm: ArmChoice;
}

/** The project, which is never on the disk. As long as a stage's: paths are a part of what is sent. */
export const FOLDER = "/tmp/strata-simulation-0/project";

/** The model that answers, if a run names none. */
export const USUAL_MODEL: ModelName = { providerID: "mock", modelID: "m1" };
/** The host keeps so much of the window for an answer. */
const OUTPUT_TOKENS = 8_000;

export async function simulateSession(session: RecordedSession, given: SimulateOptions): Promise<Replay> {
  const startedMs = performance.now();
  const { arm, hasPauses = false, model, onTurn, opening, window = 200_000 } = given;
  const folder = FOLDER;
  const turns = planScript(session, folder);
  const named = { ...USUAL_MODEL, ...(model && { modelID: model.id }) };
  const { messages, steps } = toMessages(turns, named);
  const files = createDryFiles(nodeFiles, systemClock);
  const watch = createWatch(steps, folder);
  let turn = 0;
  const context = typeof arm === "object" && "summaryAt" in arm ? arm.summaryAt + OUTPUT_TOKENS : window;
  const openArm = chooseArm(arm, { files, folder });
  const simulated = await simulate(messages, {
    ...{ clock: systemClock, files, folder, hasPauses, openArm },
    opening: planOpening(opening, session, folder),
    window: { context, output: OUTPUT_TOKENS },
    ...{ model: named, cost: model?.cost },
    onRequest: watch.take,
    onStep(done, all) {
      const isOver = messages[done]?.info.role !== "assistant";
      if (isOver) onTurn?.(++turn, done === all ? turn : turns.length);
    },
  });
  const ledger = await readLedger(files, join(folder, ".opencode/strata/savings"));
  const times = { seconds: (performance.now() - startedMs) / 1_000, hookSeconds: simulated.armMs / 1_000 };
  const { blindEdits, edits } = simulated;
  const seen = { records: watch.records, needs: watch.needs.all, blindEdits, edits };
  return { id: session.id, ...seen, claimed: sumClaims(ledger), ledger, ...times };
}

function chooseArm(
  choice: ArmChoice,
  { files, folder }: { files: Files; folder: string },
): (given: ArmGiven) => Promise<Arm> {
  if (choice === "bare" || "summaryAt" in choice) return bare;
  if ("mask" in choice) return () => openMask(choice.mask);
  const options = choice.plugin;
  return planPlugin({
    ...{ files, folder, stack, options, isOffered: true },
    configFiles: usersOptions(options),
  });
}

const MASKED = "[cleared]";

/** Clears all results at once that are older than the last answers: what is cleared stays so. */
async function openMask({ every, last }: { last: number; every: number }): Promise<Arm> {
  let requests = 0;
  let cleared = 0;
  const mask = (messages: Message[]): void => {
    const answers = messages.filter(({ info }) => info.role === "assistant").length;
    if (++requests % every === 0) cleared = Math.max(cleared, answers - last);
    let count = 0;
    for (const [index, { info, parts }] of messages.entries()) {
      if (info.role !== "assistant" || ++count > cleared) continue;
      const masked = parts.map((part): Part => (isToolPart(part) ? withResultText(part, MASKED) : part));
      messages[index] = { info, parts: masked };
    }
  };
  return {
    ...(await bare()),
    view: async (messages) => mask(messages),
    // The host counts answers anew behind its own summary.
    async event(type) {
      if (type === "session.compacted") cleared = 0;
    },
  };
}

/** Keeps of each request what figures are made of. */
function createWatch(steps: ReadonlyMap<string, ScriptStep>, folder: string) {
  const identifiers = createIdentifiers(folder);
  const needs = createNeeds(folder);
  const records: RequestRecord[] = [];
  return {
    needs,
    records,
    take({ answer, json, messages, tools, ...counts }: PlayedRequest): void {
      const blocks = listBlocks({ tools, messages, messageBytes: json });
      const step = answer && steps.get(answer.info.id);
      const record: RequestRecord = { ...counts, blocks, readAgain: [...counts.readAgain] };
      const text = step ? messages.map(readSent).join("\n") : "";
      if (step) needs.judge(step, text);
      if (step && counts.readAgain.length === 0) {
        record.leaning = identifiers.judge(step, text);
        identifiers.learn(step);
      }
      records.push(record);
    },
  };
}

/** The session as the host would have stored it, and the recorded step of each answer. */
function toMessages(turns: readonly ScriptTurn[], model: ModelName) {
  const messages: Message[] = [];
  const steps = new Map<string, ScriptStep>();
  const create = (role: string, at: number | undefined, parts: Part[]): string => {
    const id = `msg_${String(messages.length + 1).padStart(8, "0")}`;
    const time = at === undefined ? {} : { time: { created: at } };
    messages.push({
      info: { id, sessionID: "recorded", role, ...time, ...(role === "user" && { model }) },
      parts,
    });
    return id;
  };
  let calls = 0;
  for (const turn of turns) {
    create("user", turn.at, [{ type: "text", text: turn.user }]);
    for (const step of turn.steps) {
      const text: Part[] = step.say === "" ? [] : [{ type: "text", text: step.say }];
      const made = step.calls.map((call) => toPart(call, `call_${++calls}`));
      steps.set(create("assistant", step.at, [...text, ...made]), step);
    }
  }
  return { messages, steps };
}

function toPart(call: RecordedCall, callID: string): Part {
  const input = argumentsOf(call);
  const { exit, isError, result } =
    // The host keeps todos itself and answers with the list.
    call.tool === "todowrite"
      ? { result: JSON.stringify(input.todos ?? [], null, 2), isError: false }
      : toAnswer(call);
  const metadata = exit === undefined ? {} : { exit, output: "" };
  const state = isError
    ? { status: "error", input, error: result }
    : { status: "completed", input, output: result, metadata };
  return { type: "tool", tool: call.tool, callID, state } as Part;
}

async function readLedger(files: Files, folder: string): Promise<SavingsRecord[]> {
  const texts = await Promise.all(
    (await files.list(folder)).map(async (name) =>
      decodeText((await files.read(join(folder, name))) ?? new Uint8Array()),
    ),
  );
  return texts
    .flatMap((text) => text.split("\n").filter(Boolean))
    .map((line) => JSON.parse(line) as SavingsRecord);
}
