/** How much is remembered, and what a person should look at. Counted again only after something has changed. */
import { formatError } from "../../../src/base/error.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { readMemoryStatus } from "../../../src/status/memory-status.js";
import type { SessionScreen } from "../../../src/status/session-screen.js";

export interface MemoryCounts {
  /** Rejects with the system's error. */
  read(): Promise<SessionScreen["memory"]>;
  /** Something may have changed: the next reading counts again. */
  forget(): void;
}

export function createMemoryCounts({
  candidates,
  files,
  folders,
  log,
}: Pick<KernelContext, "candidates" | "files" | "folders" | "log">): MemoryCounts {
  let lastFailure: string | undefined;
  let counted: Promise<SessionScreen["memory"]> | undefined;
  const forget = (): void => {
    counted = undefined;
  };

  return {
    read() {
      counted ??= count().catch((thrown) => {
        forget();
        throw thrown;
      });
      return counted;
    },
    forget,
  };

  async function count(): Promise<SessionScreen["memory"]> {
    const [status, waiting] = await Promise.all([
      readMemoryStatus(files, folders.memory, complain),
      candidates.count(),
    ]);
    return {
      memories: Object.values(status.memories).reduce((sum, one) => sum + one, 0),
      candidates: waiting ?? 0,
      blockers: status.blockers.length,
      conflicts: status.conflicts.length,
    };
  }

  /** The same failure in a row is logged once. */
  function complain(thrown: unknown): void {
    const failure = formatError(thrown);
    if (failure !== lastFailure) log.warn("screen", `cannot count all memories: ${failure}`);
    lastFailure = failure;
  }
}
