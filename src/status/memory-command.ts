import type { Config } from "../config/schema.js";
import type { Layer } from "../dispatcher/layer.js";
import { formatCount } from "../format.js";
import type { Pulse } from "../record/pulse.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { ContextSizes } from "../view/context-size.js";
import { formatStatus, type Row, type StatusStyle } from "./format-status.js";
import { readStatus, type SessionStatus } from "./status.js";

export interface MemoryCommandOptions {
  clock: Clock;
  config: Config;
  files: Files;
  project: string;
  pulse: Pulse;
  sizes: ContextSizes;
}

const PLAIN: StatusStyle = { bold: (text) => text, yellow: (text) => text };

/** `/memory`: how things stand, in this session and in the project. Answers no hook. */
export function createMemoryCommand(options: MemoryCommandOptions): Layer {
  const { clock, config, files, project, pulse, sizes } = options;
  return {
    name: "status",
    cost: 0,
    handlers: {},
    commands: [
      {
        name: "memory",
        description: "Strata: context, savings and settings, at once and without a model call",
        async execute({ sessionID }) {
          const status = await readStatus({ files, clock }, project, config);
          // What this instance has found out is newer than what it has written down.
          status.problems = [...new Set([...status.problems, ...pulse.silent()])];
          const total = sizes.lastTotal(sessionID);
          const rows = formatThisSession(status.sessions[sessionID], total, config.autoCompact.threshold);
          return formatStatus(status, PLAIN, rows);
        },
      },
    ],
  };
}

/** The rows on the session in which one asks. */
export function formatThisSession(
  session: SessionStatus | undefined,
  totalTokens: number | undefined,
  thresholdTokens: number,
): Row[] {
  const tokens = totalTokens ?? session?.contextTokens;
  const size =
    tokens === undefined
      ? "nothing has been answered yet"
      : `context of ${formatCount(tokens)} tokens; notes take the place of history at ${formatCount(thresholdTokens)} or less`;
  const freed = Object.entries(session?.freedByLayer ?? {}).map(
    ([layer, count]) => `${formatCount(count)} by ${layer}`,
  );
  return [
    ["This session", size],
    ...(freed.length > 0 ? [["", `tokens kept out: ${freed.join(", ")}`] as const] : []),
    ...(session ? [["", `saved about ${formatCount(session.net)} tokens of input price, net`] as const] : []),
    ...(session?.breaker === undefined
      ? []
      : [["", `automatic summaries are off: ${session.breaker}. /compact turns them on again`] as const]),
  ];
}
