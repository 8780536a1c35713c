/**
 * Writes what the screen shows of a session, `<state>/screen/<sessionID>.json`, behind its requests and its turns. Loaded
 * with the first of them.
 *
 *     a request      measured once: before the provider has counted it only if nothing is known of the session
 *     an answer      measured with the provider's counts; the session's ledger is read on from where it was
 *     a turn's end   also what takes longer: memories, blockers and conflicts, the title, the ledgers of other sessions
 *     in between     a background call begins or ends, a memory or a candidate is added
 */
import { join } from "node:path";
import { formatError } from "../../../src/base/error.js";
import { isRecord, parseJson } from "../../../src/base/records.js";
import { findCacheShare, toSaving } from "../../../src/costs/sums.js";
import { readText } from "../../../src/io/files.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { cleanTitle } from "../../../src/status/known-sessions.js";
import { readSessionScreen, type SessionScreen, screenPath } from "../../../src/status/session-screen.js";
import { createLastRequests, type LastRequests } from "./last-requests.js";
import { createLedgerReader, type LedgerReader } from "./ledger-reader.js";
import type { SeenRequest } from "./measure-context.js";
import { createMemoryCounts, type MemoryCounts } from "./memory-counts.js";
import { collectWarnings } from "./warnings.js";

export interface Screens {
  /** Writes the session's screen; with `seen` as of this request. Never rejects. */
  write(sessionID: string, seen?: SeenRequest): Promise<void>;
  /** The turn has ended: the same, with everything read again. Never rejects. */
  end(sessionID: string): Promise<void>;
  /**
   * The screen as it is now, without writing it; before the first request as it was written last. Rejects with the
   * system's error.
   */
  read(sessionID: string): Promise<SessionScreen | undefined>;
  /** The session was deleted. Never rejects. */
  forget(sessionID: string): Promise<void>;
}

interface Known {
  ledgers: LedgerReader;
  memory: MemoryCounts;
  requests: LastRequests;
}

export function createScreens(context: KernelContext): Screens {
  const { candidates, deferred, files, folders, generation, host, log, memories, writes } = context;
  const known: Known = {
    ledgers: createLedgerReader(context),
    memory: createMemoryCounts(context),
    requests: createLastRequests(context),
  };
  const { ledgers, memory, requests } = known;
  for (const { onChange } of [memories, candidates])
    onChange(() => {
      memory.forget();
      writeAll();
    });
  generation.onChange(writeAll);

  return {
    write: (sessionID, seen) =>
      guard(sessionID, async () => {
        if (seen) requests.note(sessionID, seen);
        await ledgers.load();
        await write(sessionID);
      }),

    end: (sessionID) =>
      guard(sessionID, async () => {
        if (!requests.find(sessionID)) return;
        memory.forget();
        await ledgers.load();
        await ledgers.catchUp();
        const title = cleanTitle((await host.findTitle?.(sessionID)) ?? "");
        if (title !== undefined) ledgers.setTitle(sessionID, title);
        await write(sessionID);
        await ledgers.save();
      }),

    async read(sessionID) {
      await ledgers.load();
      return requests.find(sessionID)
        ? describeScreen(context, known, sessionID)
        : readSessionScreen(files, folders, sessionID);
    },

    async forget(sessionID) {
      requests.forget(sessionID);
      await writes.add(() => guard(sessionID, () => files.remove(screenPath(folders, sessionID))));
    },
  };

  function writeAll(): void {
    for (const sessionID of requests.sessions())
      deferred.add(`screen of ${sessionID}, changed`, () => guard(sessionID, () => write(sessionID)));
  }

  /** The queue is not held up: only the ledger's lines about an answer, and earlier writes of the file, come first. */
  async function write(sessionID: string): Promise<void> {
    await writes.add(() => undefined);
    const screen = await describeScreen(context, known, sessionID);
    if (!screen) return;
    const path = screenPath(folders, sessionID);
    await writes.add(() => guard(sessionID, () => files.writeWhole(path, JSON.stringify(screen))));
  }

  async function guard(sessionID: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      const path = screenPath(folders, sessionID);
      log.warn("screen", `cannot write ${path} (${formatError(thrown)}); the next request tries again`);
    }
  }
}

/** `undefined` before the session's first request. Rejects with the system's error. */
async function describeScreen(
  context: KernelContext,
  { ledgers, memory, requests }: Known,
  sessionID: string,
): Promise<SessionScreen | undefined> {
  await ledgers.refresh(sessionID);
  const [counts, breaker] = await Promise.all([memory.read(), readBreaker(context, sessionID)]);
  const last = requests.find(sessionID);
  if (!last) return undefined;
  const { project, session, today } = ledgers.sums(sessionID);
  const title = ledgers.titleOf(sessionID);
  const cache = findCacheShare(session);
  return {
    v: 1,
    session: sessionID,
    ...(title !== undefined && { title }),
    time: last.time,
    context: last.context,
    cache: {
      ...(last.cache !== undefined && { last: last.cache }),
      ...(cache !== undefined && { session: cache }),
    },
    saved: { session: toSaving(session), today: toSaving(today), project: toSaving(project) },
    memory: counts,
    ...(breaker !== undefined && { breaker }),
    background: [...new Set(context.generation.running())],
    warnings: collectWarnings(context),
  };
}

/** Why automatic summaries are off in the session, as the layer that decides it has written down. */
async function readBreaker(
  { files, folders }: Pick<KernelContext, "files" | "folders">,
  sessionID: string,
): Promise<string | undefined> {
  const text = await readText(files, join(folders.breakers, `${sessionID}.json`));
  const state = text === undefined ? undefined : parseJson(text);
  return isRecord(state) && typeof state.open === "string" ? state.open : undefined;
}
