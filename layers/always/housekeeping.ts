/**
 * What an instance that was killed has left behind goes at the next start: sessions of our own, budget files of
 * days long past, and what was sent in sessions of weeks ago. Begins with the first thing the host reports, and nobody waits for it.
 *
 * A session goes when the process that opened it no longer runs. Where that process seems to run (another live
 * instance, or its number was given to somebody else) it goes once it has not been used for far longer than any call
 * may take.
 */
import type PQueue from "p-queue";
import type { Generation } from "../../src/background/generation.js";
import type { Layer } from "../../src/dispatcher/layer.js";
import { formatError } from "../../src/error.js";
import type { Log } from "../../src/record/log.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Host, OwnSession } from "../../src/seams/host.js";
import type { SentViews } from "./sent-views.js";

export interface HousekeepingOptions {
  clock: Clock;
  host: Host;
  log: Log;
  background: PQueue;
  generation: Generation;
  sentViews: Pick<SentViews, "removeOld">;
}

const UNUSED_MS = 10 * 60_000;
/** A host that is still starting may not say which sessions there are; the next event asks again. */
const MOST_TRIES = 3;

/** Sessions nobody is waiting for. */
function findAbandoned(sessions: readonly OwnSession[], nowMs: number): OwnSession[] {
  return sessions.filter(({ openedBy, updatedMs }) => openedBy === "ended" || nowMs - updatedMs > UNUSED_MS);
}

export function createHousekeeping(options: HousekeepingOptions): Layer {
  const { clock, host, log, background, generation, sentViews } = options;
  let tries = 0;
  let isDone = false;

  return {
    name: "background",
    cost: 0,
    handlers: {
      event() {
        if (isDone || tries >= MOST_TRIES) return undefined;
        isDone = true;
        tries++;
        void background.add(sweep);
        return undefined;
      },
    },
  };

  async function sweep(): Promise<void> {
    await removeAbandoned();
    const complain = (thrown: unknown) =>
      log.warn("background", `cannot remove old records: ${formatError(thrown)}`);
    await generation.removeOldRecords().catch(complain);
    await sentViews.removeOld().catch(complain);
  }

  async function removeAbandoned(): Promise<void> {
    const sessions = await host.listOwnSessions();
    isDone = sessions !== undefined;
    const abandoned = findAbandoned(sessions ?? [], clock.now());
    let removed = 0;
    for (const { id } of abandoned) if (await host.removeSession(id)) removed++;
    if (removed > 0) log.info("background", `removed ${removed} sessions of our own that were left behind`);
    if (removed < abandoned.length)
      log.warn("background", `${abandoned.length - removed} sessions of our own cannot be removed`);
  }
}
