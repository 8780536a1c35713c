/** Before past sessions are judged: which model, about how much, and whether the user agrees. */
import type { Estimate } from "../../../layers/5-auto-memory/learn/past-judge.js";
import { planChoice } from "../../background/choice.js";
import { StrataError } from "../../error.js";
import { formatCount, formatMoney } from "../../format.js";
import { createKnownPrices, findRates, isFree, type ModelPrices } from "../../record/prices.js";
import type { UsedTokens } from "../../seams/host.js";
import { readWhole, WRONG_ARGUMENT } from "../arguments.js";
import type { CliContext, OptionValues } from "../command.js";
import type { Project } from "../project.js";
import { isInAgentsShell } from "../trust/agents-shell.js";

export interface Wanted {
  /** Did the user ask for a judge? Otherwise it is only offered. */
  isAsked: boolean;
  /** "provider/model"; absent: the host's choice. */
  model?: string;
  /** Of the user's; absent: by the estimate. */
  budget?: number;
}

const MOST_BUDGET = 1_000_000_000;

/**
 * `undefined` if nobody is to judge. `canOffer`: the server that would be asked runs anyway.
 *
 * @throws StrataError if a judge is asked for and cannot be had
 */
export async function planJudge(
  project: Project,
  options: OptionValues,
  { canOffer }: { canOffer: boolean },
): Promise<Wanted | undefined> {
  const { cli } = project;
  const { claims, config } = await project.settings();
  const budget =
    options.budget === undefined
      ? undefined
      : readWhole("--budget", options.budget, { least: 1, most: MOST_BUDGET, usual: 1 });
  const isAsked = options.judge === true || budget !== undefined;
  const mayOffer = canOffer && cli.ask !== undefined && options.dryRun !== true;
  const { judge } = config.autoMemory;
  if (!isAsked && !(mayOffer && (judge === "auto" || judge === "model"))) return undefined;
  const choice = planChoice(config.background, claims.all, claims);
  if (choice.kind === "refused") {
    if (isAsked) throw new StrataError("NO_MODEL", `no model can judge: ${choice.why}`);
    return undefined;
  }
  if (await isInAgentsShell(cli)) {
    if (isAsked)
      throw new StrataError(
        "AGENT",
        "judging past sessions costs what you agree to, and this shell is an agent's; run it in a terminal of your own",
      );
    return undefined;
  }
  if (isAsked && options.yes !== true && options.dryRun !== true && cli.ask === undefined)
    throw new StrataError(
      WRONG_ARGUMENT,
      "nobody can be asked whether the cost is agreed to; add --yes, and --budget TOKENS to bound it",
    );
  const { model } = choice;
  return { isAsked, ...(model !== undefined && { model }), ...(budget !== undefined && { budget }) };
}

export interface Agreed {
  mostTokens: number;
  prices: ModelPrices | undefined;
}

/** A question costs what it costs: the estimate may be half as much again. */
const ROOM = 1.5;

/** States what it takes; `undefined` if the user does not agree. */
export async function agree(
  { cli, folders, log }: Project,
  { budget, model }: Wanted,
  {
    estimate,
    isYes,
    messages,
    sessions,
  }: {
    estimate: Estimate;
    messages: number;
    /** Number of sessions; absent if files are read. */
    sessions: number | undefined;
    isYes: boolean;
  },
): Promise<Agreed | undefined> {
  const prices = await findPrices({ cli, folders, log }, model);
  const { input, output } = estimate.tokens;
  const sum = input + output;
  const mostTokens = budget ?? Math.ceil((sum * ROOM) / 1_000) * 1_000;
  const price = formatPrice({ input, output, cacheRead: 0 }, prices);
  const text = [
    ...(sessions === undefined ? [] : [`${count(sessions, "session")}, `]),
    `${count(messages, "message")} that may hold something: `,
    `${count(estimate.questions, "question")}, about ${formatCount(sum)} tokens with ${model ?? "the host's model"}`,
    ...(price === undefined ? [] : [`, ${price}`]),
    `, at most ${formatCount(mostTokens)}; the limits of a day do not count them.`,
  ].join("");
  if (isYes) {
    cli.warn(text);
    return { mostTokens, prices };
  }
  const isAgreed = (await cli.ask?.(`${text} Go on?`)) === true;
  return isAgreed ? { mostTokens, prices } : undefined;
}

const count = (n: number, one: string): string => `${formatCount(n)} ${n === 1 ? one : `${one}s`}`;

/** "$0.07"; `undefined` if the model's prices are unknown. */
export function formatPrice(used: UsedTokens, prices: ModelPrices | undefined): string | undefined {
  if (!prices) return undefined;
  if (isFree(prices)) return "free of charge";
  const { answered, cached, dollars = 0 } = findRates(prices);
  const paid = used.input + used.cacheRead * cached + used.output * answered;
  return formatMoney((paid * dollars) / 1_000_000);
}

/** As the plugin has learned them. */
async function findPrices(
  { cli, folders, log }: Pick<Project, "folders" | "log"> & { cli: Pick<CliContext, "files"> },
  model: string | undefined,
): Promise<ModelPrices | undefined> {
  const { default: PQueue } = await import("p-queue");
  const known = createKnownPrices({ files: cli.files, log, path: folders.prices, writes: new PQueue() });
  await known.load();
  return known.find(model);
}
