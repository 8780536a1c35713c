/** Decides which results of one answer move to files: gathers facts, plans, writes the files, records the decisions. */
import { formatError } from "../../src/base/error.js";
import { findByName } from "../../src/base/patterns.js";
import { inSlices } from "../../src/base/slices.js";
import { type DatedDecision, decide } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { namesResultFile } from "../../src/context/result-files.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { writePreview } from "./preview.js";
import {
  type Answer,
  LAYER,
  type Reporter,
  type Result,
  readExitStatus,
  readHostNote,
  readSourcePath,
  type Spilled,
} from "./results.js";

/**
 * Decides every undecided result of one answer. Throws only if the signal is aborted; then nothing is decided.
 */
export type DecideResults = (request: Decided, answer: Answer, signal: AbortSignal) => Promise<void>;

/** A session and its decisions. */
type Decided = Pick<ContextRequest, "find" | "sessionID">;

export interface DecideResultsOptions extends LayerContext {
  reporter: Reporter;
}

/** A larger host file is not copied while a turn waits; the host's own preview stays and names it. */
const LARGEST_TAKEN_OVER_BYTES = 32_000_000;
/** OpenCode itself truncates every result above this. */
const HOST_LIMIT_BYTES = 50_000;

/** Whether a result still needs a decision. */
export function isUndecided({ find }: Decided): (result: Result) => boolean {
  return ({ key }) => find(key)?.judged === undefined;
}

export function createDecideResults(context: DecideResultsOptions): DecideResults {
  const { clock, config, files, log, resultFiles, reporter } = context;
  const record = createResultRecord(context);
  const policy = config.toolResults;
  const pageBytes = Math.min(findThreshold("read", policy), HOST_LIMIT_BYTES);

  return async (request, { results, smallCharacters }, signal) => {
    const { sessionID } = request;
    const facts = await Promise.all(results.map((result) => gatherFacts(request, result)));
    const chosen = planSpill(facts, policy, smallCharacters);
    const goes = results.filter((_, index) => chosen.has(index));
    const spilled = (await Promise.all(goes.map(spill))).filter((one) => one !== undefined);
    signal.throwIfAborted();
    const kept = results.filter(
      (result) => isUndecided(request)(result) && !spilled.some((one) => one.result === result),
    );
    const isRecorded = await record(sessionID, { spilled, kept }, signal);
    if (isRecorded) for (const one of spilled) reporter.report(sessionID, one);
  };

  async function gatherFacts({ find }: Decided, result: Result): Promise<ResultFacts> {
    const { part, text, cutPath, key } = result;
    const standing = find(key);
    const decision = standing?.judged;
    const cutBytes = cutPath === undefined || decision ? undefined : await readBytes(cutPath);
    const isBeyondUs = cutPath !== undefined && cutBytes === undefined;
    return {
      tool: part.tool,
      bytes: cutBytes ?? Buffer.byteLength(text),
      characters: decision?.outcome === "replaced" ? 0 : text.length,
      isCut: cutBytes !== undefined,
      // A result that shows one of our files stays: moving it would only create another.
      mustStay: Boolean(decision ?? standing?.pinned) || isBeyondUs || namesResultFile(part.state.input),
    };
  }

  /** Size of the host's file with the whole result; `undefined` if it cannot be copied. */
  async function readBytes(path: string): Promise<number | undefined> {
    const found = await files
      .stat(path)
      .catch((thrown) => void log.warn(LAYER, `cannot stat ${path}: ${formatError(thrown)}`));
    const canBeTaken = found?.kind === "file" && found.bytes > 0 && found.bytes <= LARGEST_TAKEN_OVER_BYTES;
    return canBeTaken ? found.bytes : undefined;
  }

  /** Writes the file and makes the preview; `undefined` if the original must stay. */
  async function spill(result: Result): Promise<Spilled | undefined> {
    try {
      const content = await readWhole(result);
      const file = await resultFiles.store(content);
      const preview = writePreview({
        tool: result.part.tool,
        content,
        path: file,
        sourcePath: readSourcePath(result),
        exitStatus: readExitStatus(result),
        note: readHostNote(result),
        attachments: result.part.state.attachments?.length ?? 0,
        pageBytes,
      });
      const text = await inSlices(clock, preview);
      if (text !== undefined) return { result, text, file, bytes: content.byteLength };
      log.warn(LAYER, `path too long for a preview: ${file}; the ${result.part.tool} result stays`);
    } catch (thrown) {
      reporter.reportFailure(result, thrown);
    }
    return undefined;
  }

  async function readWhole({ text, cutPath }: Result): Promise<Uint8Array> {
    if (cutPath === undefined) return Buffer.from(text);
    const whole = await files.read(cutPath);
    if (!whole) throw new Error(`expected the whole result in ${cutPath}, which no longer exists`);
    return whole;
  }
}

/* Records the decisions on the results of one answer. */

/**
 * Records the decisions and returns whether they hold. If they cannot be written, the originals stay, in this instance
 * for good: what was sent once must not change when the disk has room again. Never rejects.
 */
export type ResultRecord = (
  session: string,
  decided: { spilled: readonly Spilled[]; kept: readonly Result[] },
  signal: AbortSignal,
) => Promise<boolean>;

export function createResultRecord({
  background,
  decisions,
  log,
}: Pick<LayerContext, "background" | "decisions" | "log">): ResultRecord {
  return async (session, { kept, spilled }, signal) => {
    const made: DatedDecision[] = [
      ...spilled.map(({ result, text, file }) => decide(result, { outcome: "replaced", text, file })),
      ...kept.map((result) => decide(result, { outcome: "kept" })),
    ];
    if (made.length === 0) return true;
    // A kept result would be kept again if its record were lost, so the turn need not wait for the write.
    if (spilled.length === 0) {
      for (const { key } of made) decisions.remember(session, { key, outcome: "kept" });
      void background.add(() => write(session, made));
      return true;
    }
    return write(session, made, signal);
  };

  async function write(
    session: string,
    made: readonly DatedDecision[],
    signal?: AbortSignal,
  ): Promise<boolean> {
    try {
      await decisions.record(session, LAYER, made, signal);
      return true;
    } catch (thrown) {
      log.error(
        LAYER,
        `cannot record decisions; ${made.length} results stay in the context: ${formatError(thrown)}`,
      );
      for (const { key } of made) decisions.remember(session, { key, outcome: "kept" });
      // A disk that was slow, or failed once, can still record for the next start that they stay.
      const kept = made.map(({ day, key }) => decide({ day, key }, { outcome: "kept" }));
      if (signal) void background.add(() => write(session, kept));
      return false;
    }
  }
}

/** What the plan needs to know about one tool result. */
export interface ResultFacts {
  tool: string;
  /** Size of the whole result in bytes, including what the host cut off. */
  bytes: number;
  /** Characters in the context. */
  characters: number;
  /** The host has cut the result, and its file with the whole text is available. */
  isCut: boolean;
  /** Already decided or not movable; the result only counts towards the budget. */
  mustStay: boolean;
}

export interface SpillPolicy {
  threshold: number;
  perTool: Readonly<Record<string, number | false>>;
  turnBudget: number;
}

/**
 * Indexes of the results that leave the context: those over their tool's threshold and those cut by the host, then the
 * largest of the rest until what stays is within the budget. `smallCharacters` is the size of the answer's results
 * that are not in the list.
 */
export function planSpill(
  results: readonly ResultFacts[],
  policy: SpillPolicy,
  smallCharacters = 0,
): ReadonlySet<number> {
  const spilled = new Set<number>();
  const open: { index: number; characters: number }[] = [];
  let staying = smallCharacters;
  for (const [index, result] of results.entries()) {
    const threshold = findThreshold(result.tool, policy);
    const canGo = !result.mustStay && threshold !== Number.POSITIVE_INFINITY;
    if (canGo && (result.isCut || result.bytes > threshold)) {
      spilled.add(index);
      continue;
    }
    staying += result.characters;
    if (canGo) open.push({ index, characters: result.characters });
  }
  // The sort is stable: of two equally large results the earlier one goes, in every run.
  for (const { index, characters } of open.sort((a, b) => b.characters - a.characters)) {
    if (staying <= policy.turnBudget) break;
    spilled.add(index);
    staying -= characters;
  }
  return spilled;
}

/** Maximum bytes of a tool's result in the context; infinite if it always stays. The most exact name wins. */
export function findThreshold(tool: string, { threshold, perTool }: SpillPolicy): number {
  const own = findByName(perTool, tool);
  return own === false ? Number.POSITIVE_INFINITY : (own ?? threshold);
}
