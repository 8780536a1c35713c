import type { Files } from "./files.js";

/** Appends lines to files, those that wait for the same file in one call, in order. */
export interface JoinedLines {
  /** Adds a line; `write` appends it. */
  add(path: string, line: string): void;
  /** Appends the waiting lines of the file, and this one behind them if given. Rejects with the system's error. */
  write(path: string, line?: string): Promise<void>;
  /** Number of lines that wait for the file. */
  waiting(path: string): number;
}

export function createJoinedLines(files: Pick<Files, "appendLine">): JoinedLines {
  const waiting = new Map<string, string[]>();

  return {
    add(path, line) {
      const lines = waiting.get(path);
      if (lines) lines.push(line);
      else waiting.set(path, [line]);
    },

    async write(path, line) {
      const lines = [...(waiting.get(path) ?? []), ...(line === undefined ? [] : [line])];
      waiting.delete(path);
      if (lines.length > 0) await files.appendLine(path, lines.join("\n"));
    },

    waiting: (path) => waiting.get(path)?.length ?? 0,
  };
}
