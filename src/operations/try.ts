/**
 * `strata try`: what past sessions would have cost with Strata. Each is played again in this process, without and with the
 * layers, in a project that exists in memory only; nothing is written and nothing sent.
 */
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { stack } from "../../layers/index.js";
import { countColumns, fit, padTo } from "../base/columns.js";
import { formatCounted, formatMoney, formatPercent, formatTokens } from "../base/format.js";
import { isStrata } from "../config/plugin-entries.js";
import { findRates } from "../costs/prices.js";
import { priceUsage } from "../costs/savings.js";
import type { OfferedModel } from "../host/1/past-sessions.js";
import { planPlugin } from "../host/1/simulated.js";
import { readPrices } from "../host/readings.js";
import { createDryFiles } from "../io/dry-files.js";
import type { Message, ModelName } from "../io/message.js";
import { readOwnTexts } from "../messages/call.js";
import { BYTES_PER_TOKEN, toSent } from "../trial/requests.js";
import { type Opening, readPlayable, type SimulatedRequest, simulate } from "../trial/simulate.js";
import { runLong } from "./command.js";
import { openSessions, serverOption } from "./open-sessions.js";
import { type Answer, amount, defineTerminalOperation } from "./operation.js";
import type { Project } from "./project.js";

/** Shorter sessions are not played: nothing is cleared so early, and Strata's tools cost some hundred tokens a request. */
const LEAST_REQUESTS = 10;
/** The model, if the server does not know it any more. */
const USUAL: OfferedModel = { window: { context: 200_000, output: 32_000 }, cost: undefined };
/** System prompt and tools of OpenCode 1.18.33 alone, where the provider has not told what the first request took. */
const USUAL_OPENING_TOKENS = 9_000;

interface Cost {
  /** In tokens of input, at the ratios of the model's prices. */
  tokens: number;
  /** 0 where the server has no price. */
  dollars: number;
}

/** A session played without and with Strata. */
interface Tried {
  id: string;
  title: string;
  model: string;
  requests: number;
  bare: Cost;
  strata: Cost;
  /** Requests that read again what was needed for an edit. */
  lookUps: number;
}

/** Sessions that were not played. */
interface Left {
  short: number;
  unread: number;
  /** Paid for by the request, whatever its size. */
  flat: number;
  late: number;
}

const input = z.object({
  sessions: amount(10_000, 30, "number of sessions, newest first"),
  within: amount(86_400, 300, "time limit", "seconds"),
  server: serverOption,
});

export const tryPast = defineTerminalOperation(input, async (project, { server, sessions, within }) => {
  const { cli } = project;
  const tried: Tried[] = [];
  const left: Left = { short: 0, unread: 0, flat: 0, late: 0 };
  let newest: readonly string[] = [];
  const countDone = (): number => tried.length + left.short + left.unread + left.flat;
  let isOver = false;
  await runLong(cli, "Playing", async (end, onStep) => {
    const stop = end.signal;
    const stored = await openSessions(project, server);
    newest = stored.ids.slice(-sessions).reverse();
    const cancel = cli.clock.after(within * 1_000, () => {
      isOver = true;
      end.abort();
    });
    try {
      const models = await stored.listModels();
      const events = { onProblem: () => void left.unread++, onProgress() {} };
      for await (const { id, messages } of stored.sessions(events, newest)) {
        stop.throwIfAborted();
        const done = countDone();
        const onShare = (share: number): void => onStep(done + share, newest.length);
        const isShort = countAnswers(messages) < LEAST_REQUESTS;
        const given = { id, messages, models, onShare, stop };
        const played = isShort ? "short" : await trySession(project, given);
        if (typeof played === "string") left[played]++;
        else tried.push(played);
      }
    } catch (thrown) {
      if (!stop.aborted) throw thrown;
    } finally {
      cancel();
      await stored.close();
    }
  });
  left.late = newest.length - countDone();
  return answer(tried, left, isOver ? `the ${within} seconds of --within were over` : "stopped before");
});

interface TryOptions {
  id: string;
  messages: readonly Message[];
  models: ReadonlyMap<string, OfferedModel>;
  /** Told of the share of it that is done. */
  onShare(share: number): void;
  stop: AbortSignal;
}

async function trySession(project: Project, given: TryOptions): Promise<Tried | "flat"> {
  const { id, messages, models, onShare, stop } = given;
  const { cli, root } = project;
  const { config, configFiles, plugins } = await project.settings();
  const temporary = (await cli.files.realPath(tmpdir())) ?? tmpdir();
  const folder = join(temporary, `strata-try-${randomUUID()}`);
  const moved = move(messages, root, folder);
  const model = findModel(moved);
  const name = `${model.providerID}/${model.modelID}`;
  const { cost, window } = models.get(name) ?? USUAL;
  const charged = { name, prices: readPrices(cost), paidFor: config.prices };
  if (findRates(charged).written === 0) return "flat";
  const play = async (part: number, hasPlugin: boolean): Promise<SimulatedRequest[]> => {
    const files = createDryFiles(cli.files, cli.clock);
    const options = plugins.findLast(isStrata)?.options;
    const { requests } = await simulate(moved, {
      ...{ clock: cli.clock, cost, files, folder, hasPauses: true, model, stop, window },
      opening: planOpening(moved),
      ...(hasPlugin && { openArm: planPlugin({ configFiles, files, folder, options, stack }) }),
      onStep: (done, all) => onShare((part + done / all) / 2),
    });
    return requests;
  };
  const bare = await play(0, false);
  const strata = await play(1, true);
  return {
    ...{ id, title: findTitle(messages), model: name, requests: bare.length },
    ...{ bare: bill(bare, charged), strata: bill(strata, charged) },
    lookUps: strata.filter(({ readAgain }) => readAgain.length > 0).length,
  };
}

function bill(requests: readonly SimulatedRequest[], charged: Parameters<typeof findRates>[0]): Cost {
  const sum: Cost = { tokens: 0, dollars: 0 };
  for (const request of requests) {
    const rates = findRates(charged, request.sent);
    const tokens = priceUsage(request, rates);
    sum.tokens += tokens;
    sum.dollars += (tokens * (rates.dollars ?? 0)) / 1_000_000;
  }
  return sum;
}

const isAnswer = ({ info }: Message): boolean => info.role === "assistant" && info.summary !== true;
const countAnswers = (messages: readonly Message[]): number =>
  messages.flatMap(readPlayable).filter(isAnswer).length;

/** The same with all paths of the project in another folder. */
function move(messages: readonly Message[], from: string, to: string): readonly Message[] {
  const inJSON = (path: string): string => JSON.stringify(path).slice(1, -1);
  return JSON.parse(JSON.stringify(messages).replaceAll(inJSON(from), inJSON(to))) as Message[];
}

function findModel(messages: readonly Message[]): ModelName {
  const { modelID = "unknown", providerID = "unknown" } = messages.findLast(isAnswer)?.info ?? {};
  return { providerID, modelID };
}

/** Something as long as what every request began with: all of the first one but the user's words. */
function planOpening(messages: readonly Message[]): Opening {
  const tokens = messages.find(isAnswer)?.info.tokens;
  const told = tokens ? tokens.input + tokens.cache.read + tokens.cache.write : 0;
  const asked = Buffer.byteLength(JSON.stringify(toSent(messages.slice(0, 1))));
  const bytes = (told || USUAL_OPENING_TOKENS) * BYTES_PER_TOKEN - (told ? asked : 0);
  return { tools: [], system: [{ role: "system", content: "x".repeat(Math.max(0, Math.round(bytes))) }] };
}

function findTitle(messages: readonly Message[]): string {
  const asked = messages.find(({ info, parts }) => info.role === "user" && readOwnTexts(parts).length > 0);
  return fit(asked ? readOwnTexts(asked.parts).join(" ") : "", 48);
}

/* What is printed. */

/** Sessions that are named; the others are in the sum. */
const MOST_NAMED = 3;

function answer(tried: readonly Tried[], left: Left, whyLate: string): Answer {
  // Dollars only if every model has a price: they do not add up with tokens.
  const unit = tried.every(({ bare }) => bare.dollars > 0) ? "dollars" : "tokens";
  const saved = ({ bare, strata }: Tried): number => bare[unit] - strata[unit];
  const sessions = [...tried].sort((a, b) => saved(b) - saved(a));
  const sum = (arm: "bare" | "strata"): number => tried.reduce((all, one) => all + one[arm][unit], 0);
  const total = { bare: sum("bare"), strata: sum("strata"), ratio: sum("strata") / (sum("bare") || 1) };
  return {
    text: tried.length === 0 ? "No session was played." : formatReport(sessions, total, unit),
    data: { isSimulated: true, unit, ...total, sessions, left },
    notes: formatLeft(left, whyLate).map((line) => `Skipped  ${line}`),
  };
}

function formatReport(
  sessions: readonly Tried[],
  total: { bare: number; strata: number; ratio: number },
  unit: keyof Cost,
): string {
  const format = unit === "dollars" ? formatMoney : formatTokens;
  const compare = (bare: number, strata: number): string =>
    strata <= bare ? `${formatPercent(1 - strata / bare)} less` : `${formatPercent(strata / bare - 1)} more`;
  const count = formatCounted(sessions.length, "session");
  const what = unit === "dollars" ? "cost" : "taken";
  const rows = sessions
    .slice(0, MOST_NAMED)
    .map(({ bare, requests, strata, title }) => [
      title,
      formatCounted(requests, "request"),
      `${format(bare[unit])} → ${format(strata[unit])}`,
      compare(bare[unit], strata[unit]),
    ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => countColumns(row[column] ?? ""))));
  return [
    `Your last ${count} would have ${what} ${compare(total.bare, total.strata)} with Strata: ${format(total.strata)} instead of ${format(total.bare)}.`,
    unit === "dollars"
      ? "A simulation at the models' prices: each session was played again, and what would have been read again is paid for."
      : "A simulation in tokens of input, as not every model has a price: each session was played again, with list prices' weights.",
    ...rows.map((row) =>
      `  ${row.map((cell, column) => padTo(cell, widths[column] ?? 0)).join("  ")}`.trimEnd(),
    ),
  ].join("\n");
}

function formatLeft({ flat, late, short, unread }: Left, whyLate: string): string[] {
  return [
    short > 0 &&
      `${formatCounted(short, "session")} of fewer than ${LEAST_REQUESTS} requests: nothing is cleared so early`,
    unread > 0 && `${formatCounted(unread, "session")}: OpenCode did not send the messages`,
    flat > 0 &&
      `${formatCounted(flat, "session")}: paid for by the request, as \`prices\` says, whatever its size`,
    late > 0 && `${formatCounted(late, "older session")}: ${whyLate}`,
  ].filter((line) => line !== false);
}
