/** Queue of callers in one process that want the same lock, so that only the first one accesses the disk. */
export interface Line {
  /**
   * Resolves when the caller is first in the queue, with a function that admits the next one. Resolves with `undefined` if
   * `over` resolves first; the caller has then left the queue.
   */
  enter(name: string, over: Promise<void>): Promise<(() => void) | undefined>;
}

export function createLine(): Line {
  /** Callers after the current one; no entry if there is no current one. */
  const waiting = new Map<string, Set<() => void>>();
  return {
    async enter(name, over) {
      const line = waiting.get(name);
      const leave = (): void => letNextGo(name);
      if (!line) {
        waiting.set(name, new Set());
        return leave;
      }
      return new Promise((resolve) => {
        const begin = (): void => resolve(leave);
        line.add(begin);
        void over.then(() => line.delete(begin) && resolve(undefined));
      });
    },
  };

  function letNextGo(name: string): void {
    const line = waiting.get(name);
    const [next] = line ?? [];
    if (!next) waiting.delete(name);
    else {
      line?.delete(next);
      next();
    }
  }
}
