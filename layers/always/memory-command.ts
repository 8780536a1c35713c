import type { Generation } from "../../src/background/generation.js";
import type { Config } from "../../src/config/schema.js";
import type { Layer } from "../../src/dispatcher/layer.js";
import type { Pulse } from "../../src/dispatcher/pulse.js";
import { formatCount } from "../../src/format.js";
import type { Memories } from "../../src/memory/store.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import { formatStatus, type Row, type StatusStyle } from "../../src/status/format-status.js";
import type { SessionStatus } from "../../src/status/status.js";
import { type ContextSizes, estimateTextTokens } from "../../src/view/context-size.js";
import type { Decisions } from "../../src/view/decisions.js";
import type { KnownDecision } from "../../src/view/known-decision.js";

export interface MemoryCommandOptions {
  clock: Clock;
  config: Config;
  decisions: Pick<Decisions, "days" | "read">;
  files: Files;
  generation: Pick<Generation, "status">;
  memories: Pick<Memories, "foreign">;
  project: string;
  pulse: Pulse;
  sizes: ContextSizes;
  /** The groups of settings that switch something on and off. */
  switches: readonly string[];
  /** A sentence each. */
  wrongSettings: readonly string[];
}

const PLAIN: StatusStyle = { bold: (text) => text, yellow: (text) => text };
/** A session that goes on for longer begins with what it has of the last days. */
const MOST_DAYS = 14;

/** `/memory`: how things stand, in this session and in the project. Answers no hook. */
export function createMemoryCommand(options: MemoryCommandOptions): Layer {
  const {
    clock,
    config,
    decisions,
    files,
    generation,
    memories,
    project,
    pulse,
    sizes,
    switches,
    wrongSettings,
  } = options;
  return {
    name: "status",
    cost: 0.5,
    handlers: {},
    commands: [
      {
        name: "memory",
        description: "Strata: context, savings and settings, at once and without a model call",
        async execute({ sessionID }) {
          const { readStatus } = await import("../../src/status/status.js");
          const [status, putIn, { why }] = await Promise.all([
            readStatus({ files, clock }, project, config, switches),
            readPutIn(sessionID),
            generation.status(),
          ]);
          if (status.background && why !== undefined) status.background.why = why;
          // What this instance has found out is newer than what it has written down.
          status.problems = [...new Set([...status.problems, ...pulse.silent()])];
          const rows = formatThisSession({
            session: status.sessions[sessionID],
            totalTokens: sizes.lastTotal(sessionID),
            fixedTokens: sizes.fixedTokens(sessionID),
            putIn,
            autoCompact: config.autoCompact,
          });
          return formatStatus(status, PLAIN, [
            ...rows,
            ...formatWrong(wrongSettings),
            ...formatForeign(memories.foreign().length),
          ]);
        },
      },
    ],
  };

  async function readPutIn(sessionID: string): Promise<Record<string, number>> {
    const days = (await decisions.days()).sort((a, b) => a - b).slice(-MOST_DAYS);
    const known = await Promise.all(days.map((day) => decisions.read(day)));
    return sumPutIn(known.flat().filter(({ session }) => session === sessionID));
  }
}

/** Tokens that each layer's own words take in the context: previews, marks, notes, memories. Pure. */
export function sumPutIn(decisions: readonly KnownDecision[]): Record<string, number> {
  const ordered = [...decisions].sort((a, b) => a.at - b.at);
  // What stood before a cut has left with it.
  const lastCut = ordered.findLastIndex(({ outcome }) => outcome === "cut");
  const standing = new Map<string, KnownDecision[]>();
  for (const decision of ordered.slice(Math.max(0, lastCut))) {
    const before = decision.outcome === "extended" ? (standing.get(decision.key) ?? []) : [];
    standing.set(decision.key, [...before, decision]);
  }
  const sums: Record<string, number> = {};
  for (const { layer, text = "" } of [...standing.values()].flat()) {
    // `across-agents/edits` is what layer 7 has put in, too.
    const name = layer.split("/")[0] ?? layer;
    sums[name] = (sums[name] ?? 0) + estimateTextTokens(text);
  }
  return sums;
}

export interface ThisSession {
  session: SessionStatus | undefined;
  /** As the provider counted last; absent before the first answer. */
  totalTokens: number | undefined;
  /** Of them, what no message accounts for. */
  fixedTokens: number;
  /** Tokens by layer. */
  putIn: Readonly<Record<string, number>>;
  autoCompact: Config["autoCompact"];
}

/** The rows on the session in which one asks. */
function formatThisSession(asked: ThisSession): Row[] {
  const { autoCompact, fixedTokens, putIn, session, totalTokens } = asked;
  return [
    ["This session", formatSize(totalTokens ?? session?.contextTokens, autoCompact)],
    ...(totalTokens === undefined ? [] : [["", formatParts(totalTokens, fixedTokens)] as const]),
    ...formatLayers("put into it", putIn),
    ...formatLayers("kept out of it", session?.freedByLayer ?? {}),
    ...(session ? [["", formatNet(session)] as const] : []),
    ["Breaker", formatBreaker(session?.breaker, autoCompact)],
  ];
}

function formatWrong(problems: readonly string[]): Row[] {
  const [first] = problems;
  if (first === undefined) return [];
  const count = problems.length === 1 ? "1 is wrong" : `${formatCount(problems.length)} are wrong`;
  return [["Settings", `${count}, strata doctor shows all: ${first}`]];
}

function formatForeign(count: number): Row[] {
  if (count === 0) return [];
  const what = count === 1 ? "1 memory is" : `${formatCount(count)} memories are`;
  return [["Not yours", `${what} from the repository and not shown as your words; /memory-trust shows them`]];
}

function formatSize(tokens: number | undefined, { enabled, threshold }: Config["autoCompact"]): string {
  if (tokens === undefined) return "nothing has been answered yet";
  const size = `context of ${formatCount(tokens)} tokens`;
  return enabled ? `${size}; notes take the place of history at ${formatCount(threshold)} or less` : size;
}

function formatParts(totalTokens: number, fixedTokens: number): string {
  const fixed = Math.min(fixedTokens, totalTokens);
  return `system prompt and tools ${formatCount(fixed)}, messages ${formatCount(totalTokens - fixed)}`;
}

function formatLayers(what: string, tokens: Readonly<Record<string, number>>): Row[] {
  const texts = Object.entries(tokens)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([layer, count]) => `${formatCount(count)} by ${layer}`);
  return texts.length === 0 ? [] : [["", `tokens ${what}: ${texts.join(", ")}`]];
}

function formatNet({ backgroundTokens, cacheLost, net }: SessionStatus): string {
  const cost = `${formatCount(cacheLost)} cached tokens written again and ${formatCount(backgroundTokens)} of background calls`;
  return `saved about ${formatCount(net)} tokens of input price, net of ${cost}`;
}

function formatBreaker(open: string | undefined, { enabled }: Config["autoCompact"]): string {
  if (!enabled) return "autoCompact is off, summaries are OpenCode's own";
  if (open === undefined) return "closed: OpenCode may summarise where notes are not enough";
  return `open, automatic summaries are off: ${open}. /compact turns them on again`;
}
