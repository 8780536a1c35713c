/** Carries out one of our slash commands, in bounded time; the answer is for people. */
import { formatError, StrataError } from "../base/error.js";
import { toPrintable } from "../base/printable.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import type { Log } from "../io/log.js";
import type { SlashCommand } from "../kernel/layer.js";

const DEADLINE_MS = 5_000;

/** Never rejects: a failure is an answer too. */
export async function answerCommand(
  { clock, log }: { clock: Clock; log: Log },
  command: SlashCommand,
  call: { sessionID: string; words: string },
): Promise<string> {
  const { deadlineMs = DEADLINE_MS, name } = command;
  const waited = await waitAtMost(clock, deadlineMs, (signal) => command.execute(call, signal));
  return toPrintable(format());

  function format(): string {
    if (waited.kind === "done") return `[Strata] /${name}\n${waited.value}`;
    if (waited.kind === "overran")
      return `[Strata] /${name} did not finish within ${deadlineMs} ms. Try again.`;
    const { thrown } = waited;
    if (thrown instanceof StrataError) return `[Strata] /${name}: ${thrown.message}`;
    log.error("commands", `/${name} failed: ${formatError(thrown)}`);
    return `[Strata] /${name} failed: ${formatError(thrown)}. See .opencode/strata/strata.log`;
  }
}
