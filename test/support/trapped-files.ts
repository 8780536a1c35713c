import type { Files } from "../../src/io/files.js";
import { systemError } from "./memory-files.js";

/** A disk that can fail or hang from a given operation on. */
export interface TrappedFiles extends Files {
  /** Number of operations since the last `fail` or `hang`. */
  readonly count: number;
  /** Fails operation `from`, counted from 1, and all later ones if `isLasting`. */
  fail(from: number, isLasting: boolean): void;
  /** Holds back all operations from this one on until `release`. */
  hang(from: number): void;
  /** Runs the operations held back, and all later ones. */
  release(): void;
}

/** `isSpared`: operations on these paths are neither counted nor trapped. */
export function trapFiles(files: Files, isSpared: (path: string) => boolean): TrappedFiles {
  let count = 0;
  let trap: (path: string) => Promise<void> | undefined = () => undefined;
  let open = (): void => {};
  const set = (next: typeof trap): void => {
    count = 0;
    trap = next;
  };
  const trapped = Object.entries(files)
    .filter(([, operation]) => typeof operation === "function")
    .map(([name, operation]) => [
      name,
      async (...args: [string, ...unknown[]]) => {
        if (!isSpared(args[0])) {
          count++;
          await trap(args[0]);
        }
        return (operation as (...args: unknown[]) => unknown)(...args);
      },
    ]);
  const told = {
    fail: (from: number, isLasting: boolean) =>
      set((path) => {
        const isDue = count === from || (isLasting && count > from);
        return isDue ? Promise.reject(systemError("EIO", path)) : undefined;
      }),
    hang(from: number) {
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      set(() => (count >= from ? opened : undefined));
    },
    release() {
      set(() => undefined);
      open();
    },
  };
  return Object.defineProperties(Object.assign(Object.fromEntries(trapped), told), {
    count: { get: () => count },
  }) as TrappedFiles;
}
