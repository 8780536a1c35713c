/** The page of `/memory`: this session first, then the status of the project. */
import { formatPercent, formatTokens } from "../../src/base/format.js";
import { estimateTextTokens } from "../../src/context/context-size.js";
import type { KnownDecision } from "../../src/context/replay.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import {
  formatCache,
  formatContext,
  formatHeadline,
  formatKinds,
  formatSaving,
} from "../../src/status/format-figures.js";
import {
  describeRemoved,
  formatStatus,
  formatTitle,
  type Row,
  type Section,
  type StatusStyle,
} from "../../src/status/format-status.js";
import type { SessionScreen } from "../../src/status/session-screen.js";
import { readStatus, type SessionStatus } from "../../src/status/status.js";
import { collectWarnings, readTodos } from "./screen/screens.js";
import type { Screen } from "./screen.js";

type MemoryPageOptions = KernelContext & { screen: Screen };

const PLAIN: StatusStyle = { bold: (text) => text, yellow: (text) => text };
const MOST_DAYS = 14;

export async function formatMemoryPage(options: MemoryPageOptions, sessionID: string): Promise<string> {
  const { candidates, clock, config, files, folders, generation, host, memories, screen, switches } = options;
  const [status, added, { why }, shown, todos] = await Promise.all([
    readStatus({ candidates, clock, files, git: host.git }, folders, config, switches),
    readAddedTokens(options, sessionID),
    generation.status(),
    screen.read(sessionID).catch(() => undefined),
    config.autoMemory.enabled ? memories.list().then((all) => readTodos(options, all)) : [],
  ]);
  if (status.background && why !== undefined) status.background.why = why;
  // What this instance has found out is newer than what it has written down.
  const warnings = collectWarnings(options);
  status.problems = status.problems.filter((problem) => !warnings.includes(problem));
  const isCut = config.autoCompact.enabled && options.requests.thresholdOf(sessionID).mayCut;
  const session = status.sessions[sessionID];
  const first = describeThisSession(options, { added, isCut, screen: shown, session });
  const page = formatStatus(status, PLAIN, { first: [first], problems: warnings, todos });
  return shown ? `${formatHeadline(shown)}\n\n${page}` : page;
}

async function readAddedTokens({ decisions }: KernelContext, sessionID: string) {
  const days = (await decisions.days()).sort((a, b) => a - b).slice(-MOST_DAYS);
  const known = await Promise.all(days.map((day) => decisions.read(day)));
  return sumAddedTokens(known.flat().filter(({ session }) => session === sessionID));
}

/** Tokens that each layer's own text takes in the context: previews, markers, notes, memories. Pure. */
export function sumAddedTokens(decisions: readonly KnownDecision[]): Record<string, number> {
  const ordered = [...decisions].sort((a, b) => a.at - b.at);
  // A cut removes everything before it.
  const lastCut = ordered.findLastIndex(({ outcome }) => outcome === "cut");
  const recorded = new Map<string, KnownDecision[]>();
  for (const decision of ordered.slice(Math.max(0, lastCut))) {
    const before = decision.outcome === "extended" ? (recorded.get(decision.key) ?? []) : [];
    recorded.set(decision.key, [...before, decision]);
  }
  const sums: Record<string, number> = {};
  for (const { layer, text = "" } of [...recorded.values()].flat()) {
    // `across-agents/edits` counts as layer 7, too.
    const name = layer.split("/")[0] ?? layer;
    sums[name] = (sums[name] ?? 0) + estimateTextTokens(text);
  }
  return sums;
}

interface ThisSession {
  added: Readonly<Record<string, number>>;
  isCut: boolean;
  screen: SessionScreen | undefined;
  session: SessionStatus | undefined;
}

function describeThisSession(context: KernelContext, seen: ThisSession): Section {
  const { added, isCut, screen, session } = seen;
  const title = screen?.title ?? session?.title;
  const cache = screen && formatCache(screen.cache);
  const row = (label: string, text: string | undefined): Row[] => (text === undefined ? [] : [[label, text]]);
  return {
    heading: title === undefined ? "This session" : `This session: ${formatTitle(title, "")}`,
    rows: [
      ["Context", describeContext(screen)],
      ...row("Made of", screen && formatKinds(screen.context.kinds)),
      ...row("Limit", screen && formatLimit(screen.context, isCut)),
      ...row("Cache", cache),
      ...row("Balance", session && formatSaving(session.saved)),
      ...(session ? describeRemoved(session) : []),
      ...row("Removed by", formatLayers(session?.freedByLayer ?? {})),
      ...row("Added by", formatLayers(added)),
      ["Auto summaries", formatBreaker(session?.breaker, context)],
    ],
  };
}

function describeContext(screen: SessionScreen | undefined): string {
  if (!screen) return "the model has not answered yet";
  const text = formatContext(screen.context, " tokens");
  return screen.context.isEstimate ? `about ${text}; the model has not answered yet` : text;
}

function formatLimit({ now, threshold }: SessionScreen["context"], isCut: boolean): string {
  const filled = threshold > 0 ? `${formatPercent(now / threshold)} of ` : "";
  const what = isCut ? "notes replace history before it is full" : "OpenCode summarises there";
  return `${filled}${formatTokens(threshold)} tokens; ${what}`;
}

/** "16K by tool-results, 3K by micro-compact", most first. */
function formatLayers(tokens: Readonly<Record<string, number>>): string | undefined {
  const texts = Object.entries(tokens)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([layer, count]) => `${layer} ${formatTokens(count)}`);
  return texts.length === 0 ? undefined : `${texts.join(", ")} tokens`;
}

function formatBreaker(open: string | undefined, { config, host: { canStopCompaction } }: KernelContext) {
  if (!config.autoCompact.enabled) return "left to OpenCode, because autoCompact is off";
  if (open === undefined) return "on: OpenCode summarises only if notes are not enough";
  if (canStopCompaction === false)
    return `on, though they do not help: ${open}. OpenCode 2 lets no plugin switch them off`;
  return `off in this session: ${open}. /compact turns them on again`;
}
