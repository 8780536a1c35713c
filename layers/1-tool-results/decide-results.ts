/** Decides which results of one answer move to files or are shrunk: gathers facts, plans, writes the files, records the decisions. */
import { formatError } from "../../src/base/error.js";
import { formatCount } from "../../src/base/format.js";
import { findByName } from "../../src/base/glob.js";
import { groupBy } from "../../src/base/shape.js";
import { inSlices } from "../../src/base/slices.js";
import { formatPath } from "../../src/context/clear-input.js";
import { type DatedDecision, decide } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { findCutPath, measureCutFile, namesResultFile } from "../../src/context/result-files.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Result as AnyResult, History } from "../../src/messages/history.js";
import { PREVIEW_LIMIT_BYTES, writePreview } from "./preview.js";
import { formatShrunk, leavesOutRepeated, mayShrink, planShrink, readCommand } from "./shrink.js";

/** The layer's name in records and the log. */
export const LAYER = "tool-results";

/** A tool result that may be moved. */
export interface Result extends AnyResult {
  /** The host's file with the whole text of a result that it has cut, sometimes to nothing. */
  cutPath?: string;
}

/** The results of one answer's tool calls. */
export interface Answer {
  results: Result[];
  /** Total characters of the answer's other results, which are too small to move. */
  smallCharacters: number;
}

/** The answers from this message on with results that may be moved: those cut by the host or larger than a preview. */
export function findAnswers(history: History, from: number): Answer[] {
  const answers: Answer[] = [];
  let answer: Answer = { results: [], smallCharacters: 0 };
  let of = -1;
  for (const result of history.results(from)) {
    if (result.index !== of) {
      answer = { results: [], smallCharacters: 0 };
      answers.push(answer);
      of = result.index;
    }
    const cutPath = findCutPath(result.part, result.text);
    if (cutPath !== undefined) answer.results.push({ ...result, cutPath });
    else if (isLargerThanPreview(result.text)) answer.results.push(result);
    else answer.smallCharacters += result.text.length;
  }
  return answers.filter(({ results }) => results.length > 0);
}

/** A UTF-16 unit takes one to three bytes of UTF-8, so the length alone usually decides. */
const isLargerThanPreview = (text: string): boolean =>
  text.length > PREVIEW_LIMIT_BYTES ||
  (text.length * 3 > PREVIEW_LIMIT_BYTES && Buffer.byteLength(text) > PREVIEW_LIMIT_BYTES);

/** The host's note after a shell command's output, such as that it was killed; the host's file does not contain it. */
function readHostNote({ text, cutPath }: Result): string | undefined {
  return cutPath === undefined
    ? undefined
    : /(<shell_metadata>[\s\S]*<\/shell_metadata>|\nCommand exceeded timeout of \d+ ms[\s\S]*)\s*$/
        .exec(text)?.[0]
        .trim();
}

/** A result with the text that replaces it, a preview or its shrunk form, and its file. */
interface Moved {
  result: Result;
  outcome: "replaced" | "shrunk";
  text: string;
  file: string;
  bytes: number;
}

/** A session with its decisions, and the runs of each command that the model has, oldest first. */
interface Decided extends Pick<ContextRequest, "find" | "history" | "sessionID"> {
  runs: Runs;
}

type Runs = ReadonlyMap<string, readonly AnyResult[]>;

/** Read once for a request: a session may have thousands of runs, and be decided all at once. */
export const readRuns = (results: readonly AnyResult[]): Runs =>
  groupBy(results, ({ part }) => nameRun(part));

/** The same for each run of a command; `undefined` for other calls. */
function nameRun({ state, tool }: AnyResult["part"]): string | undefined {
  const command = readCommand(state);
  return command === "" ? undefined : `${tool} ${command}`;
}

/** OpenCode itself truncates every result above this. */
const HOST_LIMIT_BYTES = 50_000;

/** Whether a result still needs a decision. */
export function isUndecided({ find }: Pick<Decided, "find">): (result: Result) => boolean {
  return ({ key }) => find(key)?.judged === undefined;
}

export function createDecideResults(context: LayerContext) {
  const { config, files, log } = context;
  const policy = config.toolResults;
  const { shrink, spill } = createMoves(context);

  /** Decides every undecided result of one answer. Throws only if the signal is aborted; then nothing is decided. */
  return async (
    request: Decided,
    { results, smallCharacters }: Answer,
    signal: AbortSignal,
  ): Promise<void> => {
    const facts = await Promise.all(results.map((result) => gatherFacts(request, result)));
    const chosen = planSpill(facts, policy, smallCharacters);
    const moves = results.map((result, index) => {
      if (chosen.has(index)) return spill(result);
      return facts[index]?.mustStay ? undefined : shrink(request, result);
    });
    const moved = (await Promise.all(moves)).filter((one) => one !== undefined);
    signal.throwIfAborted();
    const kept = results.filter(
      (result) => isUndecided(request)(result) && !moved.some((one) => one.result === result),
    );
    if (await record(context, request.sessionID, { moved, kept }, signal))
      for (const one of moved) report(context, request.sessionID, one);
  };

  async function gatherFacts({ find }: Decided, result: Result): Promise<ResultFacts> {
    const { part, text, cutPath, key } = result;
    const standing = find(key);
    const decision = standing?.judged;
    const cutBytes =
      cutPath === undefined || decision
        ? undefined
        : await measureCutFile(files, cutPath).catch(
            (thrown) => void log.warn(LAYER, `cannot stat ${cutPath}: ${formatError(thrown)}`),
          );
    const isBeyondUs = cutPath !== undefined && cutBytes === undefined;
    return {
      tool: part.tool,
      bytes: cutBytes ?? Buffer.byteLength(text),
      characters: decision?.outcome === "replaced" ? 0 : (decision?.text ?? text).length,
      isCut: cutBytes !== undefined,
      // A result that shows one of our files stays: moving it would only create another.
      mustStay: Boolean(decision ?? standing?.pinned) || isBeyondUs || namesResultFile(part.state.input),
    };
  }
}

/** Write a result's file and the text that replaces it; `undefined` if the original must stay. Neither rejects. */
function createMoves({ clock, config, files, host, log, resultFiles }: LayerContext) {
  const policy = config.toolResults;
  const pageBytes = Math.min(findThreshold("read", policy), HOST_LIMIT_BYTES);

  return {
    spill: (result: Result) => orStay(result, spill(result)),

    /** Also `undefined` if hardly anything could be left out. */
    shrink: (request: Decided, result: Result) => orStay(result, shrink(request, result)),
  };

  async function spill(result: Result): Promise<Moved | undefined> {
    const content = await readWhole(files, result);
    const file = await resultFiles.store(content);
    const { state, tool } = result.part;
    const [sourcePath, exit] = [state.input?.filePath, state.metadata?.exit];
    const preview = writePreview({
      ...{ tool, content, pageBytes },
      path: file,
      sourcePath: tool === "read" && typeof sourcePath === "string" ? sourcePath : undefined,
      exitStatus: typeof exit === "number" || exit === null ? exit : undefined,
      note: readHostNote(result),
      attachments: state.attachments?.length ?? 0,
    });
    const text = await inSlices(clock, preview);
    if (text !== undefined) return { result, outcome: "replaced", text, file, bytes: content.byteLength };
    log.warn(LAYER, `path too long for a preview: ${file}; the ${tool} result stays`);
    return undefined;
  }

  async function shrink(request: Decided, result: Result): Promise<Moved | undefined> {
    const { part, text: whole } = result;
    const threshold = findThreshold(part.tool, policy);
    if (!policy.shrink || threshold === Number.POSITIVE_INFINITY || !mayShrink(part)) return undefined;
    const before = findBefore(request, result, threshold);
    const shrunk = await inSlices(clock, planShrink(whole, before));
    if (!shrunk) return undefined;
    const content = Buffer.from(whole);
    const file = await resultFiles.store(content);
    const text = formatShrunk(shrunk, formatPath(file, host.directory));
    return { result, outcome: "shrunk", text, file, bytes: content.byteLength };
  }

  async function orStay(
    { part, text }: Result,
    moving: Promise<Moved | undefined>,
  ): Promise<Moved | undefined> {
    try {
      return await moving;
    } catch (thrown) {
      const size = formatCount(Buffer.byteLength(text));
      log.error(
        LAYER,
        `cannot move a ${part.tool} result of ${size} bytes; it stays in the context: ${formatError(thrown)}`,
      );
      return undefined;
    }
  }
}

/** Whole text of the last run of the same command, if the model has it: whole, or shrunk behind one that is whole. */
function findBefore(
  { find, history, runs }: Decided,
  { index, part }: Result,
  mostBytes: number,
): string | undefined {
  const all = runs.get(nameRun(part) ?? "") ?? [];
  const at = all.findLastIndex((run) => run.index < index);
  const isInView = (run: AnyResult): boolean => {
    const decided = find(run.key);
    const answer = history.keyOf(run.index);
    const isGone = decided?.cleared ?? (answer && find(answer.key)?.dropped);
    // Asked of the text as well: after a loss of the decisions all are decided at once.
    const isMoved = decided?.judged?.outcome === "replaced" || Buffer.byteLength(run.text) > mostBytes;
    return !isGone && !isMoved && findCutPath(run.part, run.text) === undefined;
  };
  const isWhole = (run: AnyResult): boolean => !leavesOutRepeated(find(run.key)?.judged?.text ?? "");
  const last = all[at];
  if (!last || !isInView(last)) return undefined;
  return all.slice(0, at + 1).some((run) => isInView(run) && isWhole(run)) ? last.text : undefined;
}

/** With what the host cut off. */
async function readWhole(files: LayerContext["files"], { text, cutPath }: Result): Promise<Uint8Array> {
  if (cutPath === undefined) return Buffer.from(text);
  const whole = await files.read(cutPath);
  if (!whole) throw new Error(`expected the whole result in ${cutPath}, which no longer exists`);
  return whole;
}

/**
 * Records the decisions and returns whether they hold. If they cannot be written, the originals stay, in this instance
 * for good: what was sent once must not change when the disk has room again. Never rejects.
 */
async function record(
  { background, decisions, log }: LayerContext,
  session: string,
  { kept, moved }: { moved: readonly Moved[]; kept: readonly Result[] },
  signal: AbortSignal,
): Promise<boolean> {
  const made: DatedDecision[] = [
    ...moved.map(({ result, outcome, text, file }) => decide(result, { outcome, text, file })),
    ...kept.map((result) => decide(result, { outcome: "kept" })),
  ];
  if (made.length === 0) return true;
  if (moved.length > 0) return write(made, signal);
  // A kept result would be kept again if its record were lost, so the turn need not wait for the write.
  keep();
  void background.add(() => write(made));
  return true;

  function keep(): void {
    for (const { key } of made) decisions.remember(session, { key, outcome: "kept" });
  }

  async function write(some: readonly DatedDecision[], until?: AbortSignal): Promise<boolean> {
    try {
      await decisions.record(session, LAYER, some, until);
      return true;
    } catch (thrown) {
      log.error(
        LAYER,
        `cannot record decisions; ${some.length} results stay in the context: ${formatError(thrown)}`,
      );
      keep();
      // A disk that was slow, or failed once, can still record for the next start that they stay.
      const staying = made.map(({ day, key }) => decide({ day, key }, { outcome: "kept" }));
      if (until) void background.add(() => write(staying));
      return false;
    }
  }
}

/** To the log and the savings ledger, in the background. */
function report({ log, savings, sizes }: LayerContext, session: string, moved: Moved): void {
  const { bytes, file, outcome, result, text } = moved;
  const { tool, callID } = result.part;
  const cut =
    result.cutPath === undefined
      ? ""
      : `, of which OpenCode showed ${formatCount(Buffer.byteLength(result.text))},`;
  const what = `a ${tool} result of ${formatCount(bytes)} bytes${cut}`;
  const isShrunk = outcome === "shrunk";
  const size = formatCount(Buffer.byteLength(text));
  log.info(
    LAYER,
    isShrunk ? `shrunk ${what} to ${size}; whole in ${file}` : `moved ${what} out of the context to ${file}`,
  );
  const characters = Math.max(0, result.text.length - text.length);
  const tokensFreed = Math.ceil(characters * sizes.tokensPerCharacter(session));
  savings.record({
    ...{ layer: LAYER, event: isShrunk ? "shrunk" : "spilled", session },
    ...{ tool, callID, key: result.key, bytes, tokensFreed, file },
  });
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

type SpillPolicy = Pick<LayerContext["config"]["toolResults"], "threshold" | "perTool" | "turnBudget">;

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
