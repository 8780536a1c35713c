import { formatError } from "../../src/base/error.js";
import { formatCount } from "../../src/base/format.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { LAYER, type Result, type Spilled } from "./results.js";

/** Reports moved results to the log and the savings ledger, in the background. */
export interface Reporter {
  report(session: string, spilled: Spilled): void;
  reportFailure(result: Result, thrown: unknown): void;
}

export function createReporter({ background, log, savings, tokens }: LayerContext): Reporter {
  return {
    report(session, { result, text, file, bytes }) {
      const { tool, callID } = result.part;
      const cut =
        result.cutPath === undefined
          ? ""
          : `, of which OpenCode showed ${formatCount(Buffer.byteLength(result.text))},`;
      log.info(
        LAYER,
        `moved a ${tool} result of ${formatCount(bytes)} bytes${cut} out of the context to ${file}`,
      );
      void background.add(async () => {
        const [before, after] = await Promise.all([tokens.count(result.text), tokens.count(text)]);
        const tokensFreed = Math.max(0, before - after);
        const { key } = result;
        savings.record({
          layer: LAYER,
          event: "spilled",
          session,
          tool,
          callID,
          key,
          bytes,
          tokensFreed,
          file,
        });
      });
    },

    reportFailure({ part, text }, thrown) {
      const size = formatCount(Buffer.byteLength(text));
      log.error(
        LAYER,
        `cannot move a ${part.tool} result of ${size} bytes; it stays in the context: ${formatError(thrown)}`,
      );
    },
  };
}
