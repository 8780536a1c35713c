/**
 * The sweep at start: removes results older than the maximum age, then, above the size cap, the least recently used
 * ones, and the decision records of old days. Keeps everything a live session's context names. A session is live if it
 * was used in the last seven days, by the file's own last use or by the host; if the host does not answer, it is live.
 */
import { join } from "node:path";
import { DAY_MS } from "../../src/base/days.js";
import { formatCount } from "../../src/base/format.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { LAYER } from "./decide-results.js";

interface StoredFile {
  path: string;
  bytes: number;
  lastUsedMs: number;
}

const LIVE_SESSION_DAYS = 7;

export function createSweep(context: LayerContext): () => Promise<void> {
  const { clock, config, decisions, files, folders, host, log } = context;
  const { maxAgeDays, maxTotalMegabytes } = config.toolResults;
  const capBytes = maxTotalMegabytes * 1_000_000;

  return async () => {
    const stored = await listStored();
    const total = stored.reduce((sum, { bytes }) => sum + bytes, 0);
    const oldestMs = clock.now() - maxAgeDays * DAY_MS;
    const tooOld = stored.filter(({ lastUsedMs }) => lastUsedMs < oldestMs).length;
    if (tooOld > 0 || total > capBytes) await removeFiles(stored, { tooOld, total });
    await forgetOldDays();
  };

  /** The longest unused first. */
  async function listStored(): Promise<StoredFile[]> {
    const names = (await files.list(folders.toolResults)).filter((name) => name.endsWith(".txt"));
    const stored = names.map(async (name) => {
      const path = join(folders.toolResults, name);
      const found = await files.stat(path);
      return found?.kind === "file" ? [{ path, bytes: found.bytes, lastUsedMs: found.modifiedMs }] : [];
    });
    return (await Promise.all(stored)).flat().sort((a, b) => a.lastUsedMs - b.lastUsedMs);
  }

  /** Removes the first `tooOld` files, and further ones until the total is within the cap. */
  async function removeFiles(
    stored: readonly StoredFile[],
    { tooOld, total }: { tooOld: number; total: number },
  ): Promise<void> {
    const sessionsOf = await readSessions(decisions);
    const isLive = rememberAnswers(isLiveSession);
    let left = total;
    let removed = 0;
    for (const [index, file] of stored.entries()) {
      if (index >= tooOld && left <= capBytes) break;
      const sessions = await Promise.all([...(sessionsOf.get(file.path) ?? [])].map(isLive));
      if (sessions.includes(true) || (await isInUse(file.path))) continue;
      await files.remove(file.path);
      left -= file.bytes;
      removed++;
    }
    if (removed > 0) {
      const bytes = total - left;
      log.info(LAYER, `removed ${removed} results (${formatCount(bytes)} bytes) that no live session names`);
    }
    if (left > capBytes) {
      log.warn(
        LAYER,
        `${folders.toolResults} holds ${formatCount(left)} bytes, more than toolResults.maxTotalMegabytes allows ` +
          `(${maxTotalMegabytes}); sessions used in the last ${LIVE_SESSION_DAYS} days need all of it. ` +
          "Delete sessions you no longer need, or raise the limit.",
      );
    }
  }

  /** Whether the file was used lately, perhaps while the host was being asked. */
  async function isInUse(path: string): Promise<boolean> {
    const found = await files.stat(path);
    return found !== undefined && clock.now() - found.modifiedMs < LIVE_SESSION_DAYS * DAY_MS;
  }

  async function forgetOldDays(): Promise<void> {
    const oldest = clock.now() - Math.max(maxAgeDays, LIVE_SESSION_DAYS) * DAY_MS;
    const isLive = rememberAnswers(isLiveSession);
    for (const day of await decisions.days()) {
      if ((day + 1) * DAY_MS > oldest) continue;
      const sessions = new Set((await decisions.read(day)).map(({ session }) => session));
      const live = await Promise.all([...sessions].map(isLive));
      if (!live.includes(true)) await decisions.forget(day);
    }
  }

  async function isLiveSession(sessionID: string): Promise<boolean> {
    const lastUsedMs = await host.sessionLastUsedMs(sessionID);
    if (lastUsedMs === undefined) return false;
    return lastUsedMs === "unknown" || clock.now() - lastUsedMs < LIVE_SESSION_DAYS * DAY_MS;
  }
}

/** Sessions whose context names a file, by path. */
async function readSessions(decisions: LayerContext["decisions"]): Promise<Map<string, Set<string>>> {
  const sessionsOf = new Map<string, Set<string>>();
  for (const day of await decisions.days()) {
    for (const { file, session } of await decisions.read(day)) {
      if (file !== undefined) sessionsOf.set(file, (sessionsOf.get(file) ?? new Set()).add(session));
    }
  }
  return sessionsOf;
}

/** Caches the answer to each question. */
function rememberAnswers<Q, A>(ask: (question: Q) => Promise<A>): (question: Q) => Promise<A> {
  const answers = new Map<Q, Promise<A>>();
  return (question) => {
    const answer = answers.get(question) ?? ask(question);
    answers.set(question, answer);
    return answer;
  };
}
