import type { Generation } from "../../src/background/generation.js";
import type { Candidates } from "../../src/candidates/candidates.js";
import type { Config } from "../../src/config/schema.js";
import type { Layer } from "../../src/dispatcher/layer.js";
import type { Pulse } from "../../src/dispatcher/pulse.js";
import { formatCount } from "../../src/format.js";
import type { Memories } from "../../src/memory/store.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import type { Host } from "../../src/seams/host.js";
import { formatSaved } from "../../src/status/format-saved.js";
import { formatStatus, type Row, type StatusStyle } from "../../src/status/format-status.js";
import type { SessionStatus } from "../../src/status/status.js";
import { type ContextSizes, estimateTextTokens } from "../../src/view/context-size.js";
import type { Decisions } from "../../src/view/decisions.js";
import type { KnownDecision } from "../../src/view/known-decision.js";

export interface MemoryCommandOptions {
  candidates: Pick<Candidates, "count">;
  clock: Clock;
  config: Config;
  decisions: Pick<Decisions, "days" | "read">;
  files: Files;
  generation: Pick<Generation, "status">;
  host: Pick<Host, "canStopCompaction" | "missing">;
  memories: Pick<Memories, "foreign">;
  project: string;
  pulse: Pulse;
  sizes: ContextSizes;
  /** Groups of settings with an on/off switch. */
  switches: readonly string[];
  /** One sentence each. */
  wrongSettings: readonly string[];
}

const PLAIN: StatusStyle = { bold: (text) => text, yellow: (text) => text };
/** Decisions of earlier days are not counted. */
const MOST_DAYS = 14;

/** `/memory`: the status of this session and of the project. Handles no hook. */
export function createMemoryCommand(options: MemoryCommandOptions): Layer {
  const {
    candidates,
    clock,
    config,
    decisions,
    files,
    generation,
    host,
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
        description: "Strata: context, savings and settings; no model call",
        async execute({ sessionID }) {
          const { readStatus } = await import("../../src/status/status.js");
          const [status, addedTokens, { why }] = await Promise.all([
            readStatus({ candidates, clock, files }, project, config, switches),
            readAddedTokens(sessionID),
            generation.status(),
          ]);
          if (status.background && why !== undefined) status.background.why = why;
          // What this instance has found out is newer than what it has written down.
          status.problems = [...new Set([...status.problems, ...pulse.silent()])];
          const rows = formatThisSession({
            session: status.sessions[sessionID],
            totalTokens: sizes.lastTotal(sessionID),
            fixedTokens: sizes.fixedTokens(sessionID),
            addedTokens,
            autoCompact: config.autoCompact,
            canStopCompaction: host.canStopCompaction,
          });
          return formatStatus(status, PLAIN, [
            ...rows,
            ...formatWrong(wrongSettings),
            ...formatForeign(memories.foreign().length),
            ...(host.missing?.() ?? []).map((what, index): Row => [index === 0 ? "This OpenCode" : "", what]),
          ]);
        },
      },
    ],
  };

  async function readAddedTokens(sessionID: string): Promise<Record<string, number>> {
    const days = (await decisions.days()).sort((a, b) => a - b).slice(-MOST_DAYS);
    const known = await Promise.all(days.map((day) => decisions.read(day)));
    return sumAddedTokens(known.flat().filter(({ session }) => session === sessionID));
  }
}

/** Tokens that each layer's own text takes in the context: previews, markers, notes, memories. Pure. */
export function sumAddedTokens(decisions: readonly KnownDecision[]): Record<string, number> {
  const ordered = [...decisions].sort((a, b) => a.at - b.at);
  // A cut removes everything before it.
  const lastCut = ordered.findLastIndex(({ outcome }) => outcome === "cut");
  const standing = new Map<string, KnownDecision[]>();
  for (const decision of ordered.slice(Math.max(0, lastCut))) {
    const before = decision.outcome === "extended" ? (standing.get(decision.key) ?? []) : [];
    standing.set(decision.key, [...before, decision]);
  }
  const sums: Record<string, number> = {};
  for (const { layer, text = "" } of [...standing.values()].flat()) {
    // `across-agents/edits` counts as layer 7, too.
    const name = layer.split("/")[0] ?? layer;
    sums[name] = (sums[name] ?? 0) + estimateTextTokens(text);
  }
  return sums;
}

export interface ThisSession {
  session: SessionStatus | undefined;
  /** As last counted by the provider; `undefined` before the first answer. */
  totalTokens: number | undefined;
  /** Tokens of the system prompt and tools. */
  fixedTokens: number;
  /** Tokens by layer. */
  addedTokens: Readonly<Record<string, number>>;
  autoCompact: Config["autoCompact"];
  /** See the Host seam. */
  canStopCompaction: Host["canStopCompaction"];
}

/** Rows about the session in which the command was called. */
function formatThisSession(asked: ThisSession): Row[] {
  const { fixedTokens, addedTokens, autoCompact, session, totalTokens } = asked;
  return [
    ["This session", formatSize(totalTokens ?? session?.contextTokens, autoCompact)],
    ...(totalTokens === undefined ? [] : [["", formatParts(totalTokens, fixedTokens)] as const]),
    ...formatLayers("added by Strata", addedTokens),
    ...formatLayers("removed by Strata", session?.freedByLayer ?? {}),
    ...(session ? [["", formatNet(session)] as const] : []),
    ["Auto summaries", formatBreaker(session?.breaker, asked)],
  ];
}

function formatWrong(problems: readonly string[]): Row[] {
  const [first] = problems;
  if (first === undefined) return [];
  const count = problems.length === 1 ? "1 is wrong" : `${formatCount(problems.length)} are wrong`;
  return [["Settings", `${count} (strata doctor shows all): ${first}`]];
}

function formatForeign(count: number): Row[] {
  if (count === 0) return [];
  const what =
    count === 1
      ? "1 memory came with the repository and is"
      : `${formatCount(count)} memories came with the repository and are`;
  return [["Not yours", `${what} not shown as your words; /memory-trust lists them`]];
}

function formatSize(tokens: number | undefined, { enabled, threshold }: Config["autoCompact"]): string {
  if (tokens === undefined) return "the model has not answered yet";
  const size = `context of ${formatCount(tokens)} tokens`;
  return enabled ? `${size}; at ${formatCount(threshold)} or earlier notes replace history` : size;
}

function formatParts(totalTokens: number, fixedTokens: number): string {
  const fixed = Math.min(fixedTokens, totalTokens);
  return `${formatCount(fixed)} for system prompt and tools, ${formatCount(totalTokens - fixed)} for messages`;
}

function formatLayers(what: string, tokens: Readonly<Record<string, number>>): Row[] {
  const texts = Object.entries(tokens)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([layer, count]) => `${formatCount(count)} by ${layer}`);
  return texts.length === 0 ? [] : [["", `tokens ${what}: ${texts.join(", ")}`]];
}

function formatNet(session: SessionStatus): string {
  const { backgroundTokens, cacheLost } = session;
  const counted = `${formatCount(cacheLost)} cached tokens written again and ${formatCount(backgroundTokens)} tokens of background calls`;
  return `${formatSaved(session)}, counting ${counted}`;
}

function formatBreaker(
  open: string | undefined,
  { autoCompact, canStopCompaction }: Pick<ThisSession, "autoCompact" | "canStopCompaction">,
): string {
  if (!autoCompact.enabled) return "left to OpenCode, because autoCompact is off";
  if (open === undefined) return "on: OpenCode summarises only if notes are not enough";
  if (canStopCompaction === false)
    return `on, though they do not help: ${open}. OpenCode 2 lets no plugin switch them off`;
  return `off in this session: ${open}. /compact turns them on again`;
}
