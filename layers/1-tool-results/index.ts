/**
 * Layer 1: moves large tool results to files and leaves a preview in the context; of the others it leaves out what says
 * nothing new. Costs no model call.
 *
 * All new results of an answer are decided together, to move, to be shrunk or to stay. The decision is recorded before
 * the request is sent and is final:
 *
 *     decide → write the file → record the decision → show the preview, or what is left
 *
 * On a failure or timeout the original stays in the context. The host's stored messages are never changed.
 */

import { basename } from "node:path";
import PQueue from "p-queue";
import { DAY_MS } from "../../src/base/days.js";
import { formatError } from "../../src/base/error.js";
import { formatCount } from "../../src/base/format.js";
import { askOnce } from "../../src/base/shape.js";
import {
  byAnyone,
  byName,
  either,
  enabled,
  flag,
  only,
  type Values,
  whole,
} from "../../src/config/setting.js";
import { createDecisions } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { isResultPath } from "../../src/context/result-files.js";
import { listByAge } from "../../src/io/files.js";
import { type ExpiryWorld, type FileKind, STATE_DAYS } from "../../src/kernel/file-kinds.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { countEvents, type Proof, type ProofSeen } from "../../src/kernel/proof.js";
import {
  type Answer,
  createDecideResults,
  findAnswers,
  isUndecided,
  LAYER,
  type Result,
  readRuns,
} from "./decide-results.js";

export const files: readonly FileKind[] = [
  {
    path: ".opencode/tool-results/<id>.txt",
    expiry: { what: "a tool result that no session refers to", days: STATE_DAYS, openNeeds: openReferred },
  },
  { path: ".opencode/tool-results/.gitignore" },
];

/** Whether the file is not ours, or a recorded decision refers to it. */
function openReferred({ clock, files, folders }: ExpiryWorld): (path: string) => Promise<boolean> {
  let referred: ReturnType<typeof readSessions> | undefined;
  return async (path) => {
    const log = { error() {}, warn() {}, info() {}, debug() {} };
    const { decisions: folder, toolResults: resultsFolder } = folders;
    referred ??= readSessions(createDecisions({ clock, files, log, folder, resultsFolder }));
    return !isResultPath(path) || (await referred).has(path);
  };
}

/** Answers decided concurrently: at the first start with this plugin a long session can have hundreds. */
const ANSWERS_AT_A_TIME = 8;

const thresholdBytes = whole(4_096, 10_000_000);

const settings = {
  toolResults: {
    enabled: enabled("Layer 1: large tool results are moved to a file, and a preview stays in the context."),
    threshold: byAnyone(thresholdBytes, 30_000, "Bytes. A larger result is moved to a file."),
    perTool: byAnyone(
      byName(either(thresholdBytes, only(false))),
      {},
      'The threshold by tool name, in bytes, where * stands for any characters, for example {"read": 50000, "github_*": 16000}. false: results of the tool are never moved.',
    ),
    turnBudget: byAnyone(
      whole(20_000, 10_000_000),
      200_000,
      "Characters that the results of one answer's calls may take together in the context. Above this the largest are moved.",
    ),
    shrink: byAnyone(
      flag,
      true,
      "Shrinks what bash and grep print: lines over 1,000 characters are cut, and lines that the last run of the command printed too, overwritten progress and generated files in diffs are left out. The whole goes to a file.",
    ),
    maxAgeDays: byAnyone(
      whole(1, 3_650),
      30,
      "Days. A file that no context has used for longer is removed at the next start.",
    ),
    maxTotalMegabytes: byAnyone(
      whole(10, 1_000_000),
      1_000,
      "Megabytes. Above this the least recently used files are removed at the next start, except those of sessions used in the last seven days.",
    ),
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

/** A host that ends at once on a busy machine may lose the ledger's line, but not the file and what was sent. */
const proof: Proof = {
  settings: { toolResults: { threshold: 4_096 } },
  acted: (seen) => countEvents(seen, "spilled", "moved to a file") ?? countSent(seen),
};

/** Files with results that a request names. */
function countSent({ paths, requests }: ProofSeen): string | undefined {
  const moved = paths.filter((path) => /\.opencode\/tool-results\/[^/]+\.txt$/.test(path));
  const sent = moved.filter((path) => requests.some((body) => body.includes(path)));
  return sent.length === 0 ? undefined : `${sent.length} × moved to a file`;
}

export const toolResults: LayerDefinition = { name: LAYER, settings, files, proof, create };

function create(context: LayerContext): LayerParts {
  const { background, decisions, folders, log } = context;
  const decideResults = createDecideResults(context);
  const sweep = createSweep(context);
  let hasSwept = false;

  return {
    servesForks: ["context", "toolArguments"],
    withinMs: { context: 2_000 },
    passedOver: { context: keepOpen },
    handlers: {
      async context(request, _messages, signal) {
        const open = findOpen(request);
        if (open.length === 0) return undefined;
        const lanes = new PQueue({ concurrency: ANSWERS_AT_A_TIME });
        const { find, history, sessionID } = request;
        const decided = { find, history, sessionID, runs: readRuns(history.results(request.shownFrom())) };
        await lanes.addAll(open.map((answer) => () => decideResults(decided, answer, signal)));
        const hasMoved = ({ key }: Result) => request.find(key)?.judged?.text !== undefined;
        return open.some(({ results }) => results.some(hasMoved)) ? request.show() : undefined;
      },

      /** The host's Grep finds nothing in a file that git ignores when `path` names the file itself. */
      toolArguments({ tool }, args) {
        const { path } = args;
        if (tool !== "grep" || typeof path !== "string" || !isResultPath(path)) return undefined;
        return { ...args, path: folders.toolResults, include: basename(path) };
      },

      event() {
        if (hasSwept) return;
        hasSwept = true;
        void background.add(() =>
          sweep().catch((thrown) => log.warn(LAYER, `sweep: ${formatError(thrown)}`)),
        );
      },
    },
  };

  /** After a timeout, undecided results stay, since the request is about to send them. */
  function keepOpen(request: ContextRequest): void {
    const left = findOpen(request).flatMap(({ results }) => results.filter(isUndecided(request)));
    if (left.length > 0)
      log.error(LAYER, `no time to check ${left.length} results; they stay in the context`);
    // Results of a day whose records are not loaded may be decided already.
    const sent = left.filter(({ day }) => decisions.isLoaded(day));
    for (const { key } of sent) decisions.remember(request.sessionID, { key, outcome: "kept" });
  }
}

const findOpen = (request: ContextRequest): Answer[] =>
  findAnswers(request.history, request.shownFrom()).filter(({ results }) =>
    results.some(isUndecided(request)),
  );

/*
 * The sweep at start: removes results older than the maximum age, then, above the size cap, the least recently used
 * ones, and the decision records of old days. Keeps everything a live session's context names. A session is live if it
 * was used in the last seven days, by the file's own last use or by the host; if the host does not answer, it is live.
 */

const LIVE_SESSION_DAYS = 7;

function createSweep(context: LayerContext): () => Promise<void> {
  const { clock, config, decisions, files, folders, host, log } = context;
  const { maxAgeDays, maxTotalMegabytes } = config.toolResults;
  const capBytes = maxTotalMegabytes * 1_000_000;

  return async () => {
    /** The longest unused first. */
    const stored = (await listByAge(files, folders.toolResults, (name) => name.endsWith(".txt"))).reverse();
    const total = stored.reduce((sum, { bytes }) => sum + bytes, 0);
    const oldestMs = clock.now() - maxAgeDays * DAY_MS;
    const tooOld = stored.filter(({ modifiedMs }) => modifiedMs < oldestMs).length;
    const isLive = askOnce(isLiveSession);
    if (tooOld > 0 || total > capBytes) await removeFiles(stored, { tooOld, total, isLive });
    await forgetOldDays(isLive);
  };

  /** Removes the first `tooOld` files, and further ones until the total is within the cap. */
  async function removeFiles(
    stored: readonly { path: string; bytes: number }[],
    { isLive, tooOld, total }: { tooOld: number; total: number; isLive: typeof isLiveSession },
  ): Promise<void> {
    const sessionsOf = await readSessions(decisions);
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

  async function forgetOldDays(isLive: typeof isLiveSession): Promise<void> {
    const oldest = clock.now() - Math.max(maxAgeDays, LIVE_SESSION_DAYS) * DAY_MS;
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
  for (const day of await decisions.days())
    for (const { file, session } of await decisions.read(day))
      if (file !== undefined) sessionsOf.set(file, (sessionsOf.get(file) ?? new Set()).add(session));
  return sessionsOf;
}
