/**
 * What judging costs recorded sessions in the real OpenCode, and which breaks of the prefix there are: each is played with
 * a small model that judges, and with the running agent.
 *
 *     npm run bench:judging -- FOLDER [names] [--arms model,agent,alone] [--small 0.33]
 *
 * FOLDER as for bench:sessions; without names three of its sessions with many messages. The recorded time passes between
 * requests, so that a small model is asked in each pause that is long enough. It keeps one message of three, as the judge's
 * task expects; the agent keeps the first letter of each question, with its next calls or ("alone") at once by a call more.
 * `--small`: price of the small model, as a share of the session's.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sumRecords } from "../../src/costs/sums.js";
import { KEEP_TOOL, QUESTION_HEAD } from "../../src/memory/candidates/candidate.js";
import { repository } from "../host/repository.js";
import { explainBreaks } from "../host/stage/break-reasons.js";
import type { ModelRequest } from "../host/stage/model-request.js";
import type { PrefixBreak } from "../host/stage/prefix-breaks.js";
import { sum } from "../sessions/bill.js";
import { priceReplay } from "../sessions/figures.js";
import { priceOf, REPORT_PRICE, type Usage } from "../sessions/prices.js";
import type { Replies } from "../sessions/recorded-agent.js";
import { readSessions } from "../sessions/recorded-session.js";
import { replay } from "../sessions/replay.js";
import { BYTES_PER_TOKEN, type Replay } from "../sessions/request-record.js";
import { readHostTools } from "../sessions/tool-definitions.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    arms: { type: "string", default: "model,agent,alone" },
    small: { type: "string", default: "0.33" },
  },
});
const [folder, ...named] = positionals;
const SMALL = Number(values.small);
const USUAL = ["cipher-box-1", "cli-2", "cli-3"];
const MOST_SHARE = 0.01;
const QUIET_MS = 1_500;
/** Claude Sonnet's, in dollars. */
const PRICES = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };

if (folder === undefined)
  console.log("skipped: no recorded sessions; expected npm run bench:judging -- FOLDER [names]");
else await run(folder);

async function run(from: string): Promise<void> {
  const tools = await readHostTools();
  for (const session of readSessions(from, named.length > 0 ? named : USUAL))
    for (const arm of values.arms.split(",")) {
      const judge = arm === "model" ? "model" : "agent";
      const replies = createReplies(arm === "alone");
      const played = await replay(session, {
        ...{ tools, replies, plugin: repository, hasPauses: true },
        options: { autoMemory: { judge } },
        config: configOf(judge),
      });
      console.log(`${session.id.padEnd(14)}${arm.padEnd(7)}${describe(played, replies)}`);
    }
}

function describe(played: Replay, replies: Scripted): string {
  const { ledger, records } = played;
  const own = records.filter(({ kind }) => kind !== "other");
  const { agents, model, questions } = replies.price();
  const small = SMALL * model;
  const [judging, price] = [small + agents, small + priceReplay(own, REPORT_PRICE)];
  const claimed = sumRecords(ledger);
  const breaks = listBreaks(played);
  return [
    `${own.length} requests, ${questions} questions`,
    `judging ${formatShare(judging, price)}${judging > MOST_SHARE * price ? " TOO MUCH" : ""}`,
    `by the ledger ${formatShare(claimed.judging, claimed.cost ?? Number.NaN)}`,
    `${breaks.length} breaks${breaks.map((one) => `\n    ${one}`).join("")}`,
  ].join("; ");
}

function formatShare(part: number, whole: number): string {
  return `${Math.round(part)} of ${Math.round(whole)}, ${((100 * part) / whole).toFixed(2)} %`;
}

function configOf(judge: string): Record<string, unknown> {
  const small = Object.fromEntries(Object.entries(PRICES).map(([kind, price]) => [kind, SMALL * price]));
  const models = { m1: { cost: PRICES }, m2: { cost: small } };
  return { ...(judge === "model" && { small_model: "mock/m2" }), provider: { mock: { models } } };
}

/** Where the agent's requests stop repeating the one before, but for the host's summaries, and why. */
function listBreaks({ ledger, records }: Replay): string[] {
  const shown = records.filter(({ kind }) => kind !== "other");
  return shown.flatMap((later, index) => {
    const earlier = shown[index - 1];
    if (!earlier || earlier.kind === "summary" || later.kind === "summary") return [];
    const last = earlier.blocks.at(-1)?.prefix;
    if (later.blocks.some(({ prefix }) => prefix === last)) return [];
    const session = ledger.find(({ event }) => event === "answer")?.session;
    const one = { earlier, later: { ...later, sessionID: session } } as unknown as PrefixBreak;
    const [explained] = explainBreaks([one], ledger);
    return [`request ${index + 1}: ${explained?.reason ?? "UNEXPLAINED"}`];
  });
}

type Scripted = Replies & {
  /** In tokens of input: the agent's questions, answers and tool, and the small model's requests. */
  price(): { questions: number; agents: number; model: number };
};

function createReplies(isAlone: boolean): Scripted {
  const questions = new Map<string, string>();
  const seen: {
    request: ModelRequest;
    pieces: { end: number; bytes: number }[];
    answered: number;
    isMore: boolean;
  }[] = [];
  let pending: string[] = [];
  let keeps = 0;
  let requests = 0;
  const asked: ModelRequest[] = [];
  const [task = ""] = readFileSync(join(repository, "prompts/memory-judge.md"), "utf8").split("\n");

  return {
    // Nothing tells, so until no request has come for a while.
    async settled() {
      for (let before = -1; requests > before; ) {
        before = requests;
        await delay(QUIET_MS);
      }
    },

    calls(request, withOthers) {
      requests++;
      for (const question of findQuestions(request)) {
        const [, letter] = /\? ([a-z]+) "/.exec(question) ?? [];
        if (letter === undefined || questions.has(question)) continue;
        questions.set(question, letter);
        pending.push(letter);
      }
      const isAnswered = pending.length > 0 && (isAlone || withOthers);
      const calls = isAnswered
        ? [{ tool: KEEP_TOOL, args: { letters: pending.join(", ") }, id: `keep_${++keeps}` }]
        : [];
      if (isAnswered) pending = [];
      const answered = Buffer.byteLength(calls.map((one) => JSON.stringify(one)).join(""));
      seen.push({ request, pieces: findPieces(request), answered, isMore: isAnswered && !withOthers });
      return calls;
    },

    answer(request) {
      requests++;
      const text = request.textOf("user");
      // The notes have questions, too.
      if (!text.includes(task)) return undefined;
      asked.push(request);
      const messages = [...text.matchAll(/^(m\d+)\.1 (.*)$/gm)];
      const kept = messages.filter((_, at) => at % 3 === 0);
      return JSON.stringify(
        kept.map(([, name, text = ""]) => ({
          ...{ quote: `${name}.1`, type: "decision", scope: "project", says: text.slice(0, 160) },
          ...{ why: "it holds for every later session", sure: true },
        })),
      );
    },

    price: () => ({
      questions: questions.size + asked.length,
      model: sum(asked.map((one) => priceOf(REPORT_PRICE, usageOf(one)))),
      agents: sum(
        seen.map(({ answered, isMore, pieces, request }) => {
          // What it wrote to the cache the next request would have written without it.
          if (isMore) return priceOf(REPORT_PRICE, { ...usageOf(request), cached: request.promptTokens });
          const cachedBytes = request.cachedTokens * BYTES_PER_TOKEN;
          const prices = pieces.map(
            ({ bytes, end }) => bytes * (end <= cachedBytes ? REPORT_PRICE.read : REPORT_PRICE.written),
          );
          return (sum(prices) + answered * REPORT_PRICE.answered) / BYTES_PER_TOKEN;
        }),
      ),
    }),
  };
}

function usageOf({ cachedTokens, outputTokens, promptTokens }: ModelRequest): Usage {
  return { sent: promptTokens, cached: cachedTokens, answered: outputTokens };
}

function findQuestions({ messages }: ModelRequest): string[] {
  const texts = messages.map(({ content }) =>
    typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n"),
  );
  return texts.flatMap((text) => text.split("\n").filter((line) => line.startsWith(QUESTION_HEAD)));
}

/** What a request has of questions, answers to them and the tool's definition: bytes, and where each ends in it. */
function findPieces({ messages, prompt, tools }: ModelRequest): { end: number; bytes: number }[] {
  const calls = messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.filter((one) => one.function.name === KEEP_TOOL).map((one) => JSON.stringify(one)),
  );
  const results = messages.filter(({ tool_call_id = "" }) => tool_call_id.startsWith("keep_"));
  const definition = tools.filter((one) => one.function.name === KEEP_TOOL);
  const asked = findQuestions({ messages } as ModelRequest).map((line) => JSON.stringify(line).slice(1, -1));
  const pieces = [...definition, ...results].map((one) => JSON.stringify(one));
  return [...pieces, ...calls, ...asked].flatMap((piece) => {
    const at = prompt.indexOf(piece);
    if (at < 0) return [];
    const bytes = Buffer.byteLength(piece);
    return [{ bytes, end: Buffer.byteLength(prompt.slice(0, at)) + bytes }];
  });
}
