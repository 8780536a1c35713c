/** Those of one process who want the same lock stand in line here, so that only the first of them asks the disk. */
export interface Line {
  /**
   * Resolves to a function that lets the next one go, once it is one's turn; `undefined` when `over` came first, and
   * then one has left the line.
   */
  enter(name: string, over: Promise<void>): Promise<(() => void) | undefined>;
}

export function createLine(): Line {
  /** Those behind the one whose turn it is; no entry where it is nobody's. */
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
