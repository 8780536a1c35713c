/** Tells the user, in the log and on the screen, that a session's breaker has opened or closed. */
import type { LayerContext } from "../../src/layer-context.js";

const LAYER = "full-compact";
const UNSTOPPABLE =
  "This OpenCode lets no plugin switch them off: start a new session, or set compaction.auto to false";

/** `why`: the reason of an open breaker; `undefined` if it has closed. */
export function announceBreaker(
  { host, log, toasts }: Pick<LayerContext, "host" | "log" | "toasts">,
  sessionID: string,
  why: string | undefined,
): void {
  const canStop = host.canStopCompaction !== false;
  if (why === undefined) {
    if (!canStop) return;
    log.info(LAYER, `automatic summaries are on again for ${sessionID}`);
    toasts.show("automatic summaries are on again for this session.", "info");
    return;
  }
  const [what, how] = canStop
    ? ["are off for", "/compact turns them on again"]
    : ["do not help in", UNSTOPPABLE];
  log.error(LAYER, `automatic summaries ${what} ${sessionID}: ${why}. ${how}`);
  toasts.show(`automatic summaries ${what} this session: ${why}. ${how}.`, "warning");
}
