/** Which background calls are under way. */
export interface Running {
  /** Their purposes. */
  list(): readonly string[];
  /** Calls `listener` whenever one begins or ends. */
  onChange(listener: () => void): void;
  /** Runs the call; its outcome is that of `run`. */
  follow<T>(purpose: string, run: () => Promise<T>): Promise<T>;
}

export function createRunning(): Running {
  const purposes: string[] = [];
  const listeners: (() => void)[] = [];
  const announce = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    list: () => purposes,
    onChange: (listener) => void listeners.push(listener),
    async follow(purpose, run) {
      purposes.push(purpose);
      announce();
      try {
        return await run();
      } finally {
        purposes.splice(purposes.indexOf(purpose), 1);
        announce();
      }
    },
  };
}
