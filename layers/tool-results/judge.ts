/** Judges the results of one answer: gathers the facts, asks the plan, writes the files, records what was decided. */
import { formatError } from "../../src/error.js";
import { formatCount } from "../../src/format.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { Decision } from "../../src/view/decisions.js";
import { planSpill, type ResultFacts } from "./plan.js";
import { formatPreview } from "./preview.js";
import type { ResultFiles } from "./result-files.js";
import { type Result, readCutPath, readExitStatus, readSourcePath } from "./results.js";

/** Decides about every undecided result of one answer. Throws only when the signal is aborted. */
export type Judge = (sessionID: string, answer: readonly Result[], signal: AbortSignal) => Promise<void>;

export interface JudgeOptions extends LayerContext {
  resultFiles: ResultFiles;
}

interface Spilled {
  decision: Decision;
  result: Result;
  bytes: number;
}

/** A larger file of the host's is not copied while a turn waits; what the host shows of it is judged by itself. */
const LARGEST_TAKEN_OVER_BYTES = 64_000_000;
const LAYER = "tool-results";

export function createJudge(context: JudgeOptions): Judge {
  const { config, decisions, events, files, log, resultFiles, tokens, background } = context;

  return async (sessionID, answer, signal) => {
    const facts = await Promise.all(answer.map(gatherFacts));
    const chosen = planSpill(facts, config.toolResults);
    const spilled: Spilled[] = [];
    const kept: Result[] = [];
    for (const [index, result] of answer.entries()) {
      if (facts[index]?.isDecided) continue;
      const one = chosen.has(index)
        ? await spill(sessionID, result, facts[index]?.isCut === true)
        : undefined;
      signal.throwIfAborted();
      if (one) spilled.push(one);
      else kept.push(result);
    }
    await recordAll(sessionID, spilled, kept);
    for (const one of spilled) report(sessionID, one);
  };

  async function gatherFacts(result: Result): Promise<ResultFacts> {
    const isDecided = decisions.find(result.key) !== undefined;
    const cutBytes = isDecided ? undefined : await readCutBytes(result);
    return {
      tool: result.part.tool,
      bytes: cutBytes ?? Buffer.byteLength(result.text),
      characters: decisions.find(result.key)?.outcome === "replaced" ? 0 : result.text.length,
      isCut: cutBytes !== undefined,
      isOurs: !isDecided && resultFiles.isMentionedIn(result.part.state.input),
      isDecided,
    };
  }

  /** Size of the host's full file, where the host has cut the result and the file can be taken over. */
  async function readCutBytes(result: Result): Promise<number | undefined> {
    const path = readCutPath(result.part, result.text);
    if (path === undefined) return undefined;
    const found = await files
      .stat(path)
      .catch((thrown) => void log.warn(LAYER, `cannot look at ${path}: ${formatError(thrown)}`));
    const canBeTaken = found?.kind === "file" && found.bytes > 0 && found.bytes <= LARGEST_TAKEN_OVER_BYTES;
    return canBeTaken ? found.bytes : undefined;
  }

  /** Writes the file and makes the preview; `undefined` when the original has to stay. */
  async function spill(sessionID: string, result: Result, isCut: boolean): Promise<Spilled | undefined> {
    const { part } = result;
    try {
      const content = await readWhole(result, isCut);
      const path = await resultFiles.store(content);
      const sourcePath = readSourcePath(result);
      const exitStatus = readExitStatus(result);
      const text = formatPreview({
        tool: part.tool,
        content,
        path,
        attachments: part.state.attachments?.length ?? 0,
        thresholdBytes: config.toolResults.threshold,
        ...(sourcePath !== undefined && { sourcePath }),
        ...(exitStatus !== undefined && { exitStatus }),
      });
      if (text === undefined) {
        log.warn(
          LAYER,
          `the path ${path} is too long for a preview; the ${part.tool} result stays in the context`,
        );
        return undefined;
      }
      const decision = { ...newDecision(sessionID, result), outcome: "replaced" as const, text, file: path };
      return { decision, result, bytes: content.byteLength };
    } catch (thrown) {
      const size = formatCount(Buffer.byteLength(result.text));
      log.error(
        LAYER,
        `cannot move a ${part.tool} result of ${size} bytes out, it stays: ${formatError(thrown)}`,
      );
      return undefined;
    }
  }

  async function readWhole(result: Result, isCut: boolean): Promise<Uint8Array> {
    const path = isCut ? readCutPath(result.part, result.text) : undefined;
    const whole = path === undefined ? undefined : await files.read(path);
    return whole ?? Buffer.from(result.text);
  }

  /**
   * Once on disk, the decisions hold. Where they cannot be written the originals stay, in this instance for good: what
   * has been sent once must not change when the disk has room again.
   */
  async function recordAll(sessionID: string, spilled: Spilled[], kept: readonly Result[]): Promise<void> {
    const stays = (result: Result): Decision => ({ ...newDecision(sessionID, result), outcome: "kept" });
    const byDay = new Map<number, { result: Result; decision: Decision }[]>();
    for (const one of [...spilled, ...kept.map((result) => ({ result, decision: stays(result) }))]) {
      byDay.set(one.result.day, [...(byDay.get(one.result.day) ?? []), one]);
    }
    for (const [day, decided] of byDay) {
      try {
        await decisions.record(
          day,
          decided.map(({ decision }) => decision),
        );
      } catch (thrown) {
        log.error(
          LAYER,
          `cannot record what was decided, ${decided.length} results stay: ${formatError(thrown)}`,
        );
        for (const { result } of decided) {
          decisions.remember(stays(result));
          const lost = spilled.findIndex((one) => one.result === result);
          if (lost !== -1) spilled.splice(lost, 1);
        }
      }
    }
  }

  function newDecision(
    sessionID: string,
    { key }: Result,
  ): Pick<Decision, "v" | "key" | "session" | "layer"> {
    return { v: 1, key, session: sessionID, layer: LAYER };
  }

  /** The event, with tokens counted behind the turn. */
  function report(session: string, { decision, result, bytes }: Spilled): void {
    const { tool, callID } = result.part;
    const { text = "", file = "" } = decision;
    const shownBytes = Buffer.byteLength(result.text);
    const cut = shownBytes === bytes ? "" : `, of which OpenCode showed ${formatCount(shownBytes)},`;
    log.info(
      LAYER,
      `moved a ${tool} result of ${formatCount(bytes)} bytes${cut} out of the context to ${file}`,
    );
    void background.add(async () => {
      const [before, after] = await Promise.all([tokens.count(result.text), tokens.count(text)]);
      const tokensFreed = Math.max(0, before - after);
      events.record({ layer: LAYER, event: "spilled", session, tool, callID, bytes, tokensFreed, file });
    });
  }
}
