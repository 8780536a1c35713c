/**
 * Opens the comparison with the bare host, whose code is loaded with the first request, for one session after the other.
 * What is to be compared meanwhile waits, in order: a request is compared with the one before.
 */
import { relative } from "node:path";
import { formatError } from "../../../src/base/error.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import type { Bare } from "./bare.js";

export interface OpenBare {
  /** Begins to read what is known of the session. Returns whether it was known already. */
  open(sessionID: string): boolean;
  /**
   * At once if the session is open, as the host may end right after its last answer; else as soon as it is, in the order
   * of the calls. Never throws.
   */
  use(sessionID: string, work: (comparison: Bare) => void): void;
}

export type OpenBareOptions = Pick<
  KernelContext,
  "clock" | "files" | "folders" | "host" | "log" | "sizes" | "tools" | "writes"
> & { layer: string };

export function createOpenBare(options: OpenBareOptions): OpenBare {
  const { folders, layer, log, writes } = options;
  /** By session: what waits until it is open. */
  const waiting = new Map<string, ((comparison: Bare) => void)[]>();
  let bare: Bare | undefined;

  return {
    open(sessionID) {
      if (bare?.isOpen(sessionID)) return true;
      if (!waiting.has(sessionID)) void openSession(sessionID);
      return false;
    },

    use(sessionID, work) {
      const line = waiting.get(sessionID);
      if (line) line.push(work);
      else if (bare?.isOpen(sessionID)) run(sessionID, bare, work);
      else void openSession(sessionID, work);
    },
  };

  /** Never rejects. */
  async function openSession(sessionID: string, ...first: ((comparison: Bare) => void)[]): Promise<void> {
    waiting.set(sessionID, first);
    await writes.add(async () => {
      try {
        const { createBare } = await import("./bare.js");
        bare ??= createBare({
          ...options,
          project: folders.project,
          savingsFolder: folders.savings,
          resultsFolder: relative(folders.project, folders.toolResults),
        });
        await bare.open(sessionID);
      } catch (thrown) {
        log.error(layer, `cannot compare ${sessionID} with OpenCode alone: ${formatError(thrown)}`);
      }
    });
    const line = waiting.get(sessionID) ?? [];
    waiting.delete(sessionID);
    for (const work of line) if (bare) run(sessionID, bare, work);
  }

  function run(sessionID: string, comparison: Bare, work: (comparison: Bare) => void): void {
    try {
      work(comparison);
    } catch (thrown) {
      log.error(layer, `cannot record what an answer of ${sessionID} saved: ${formatError(thrown)}`);
    }
  }
}
