import type { Log } from "../../src/io/log.js";

export interface FakeLog extends Log {
  /** "warn background: what happened", in order. */
  readonly lines: string[];
}

/** A log that keeps its lines in a list, a warning or error once as the real one does. */
export function createFakeLog(): FakeLog {
  const lines: string[] = [];
  const write = (level: string) => (source: string, message: string) => {
    const line = `${level} ${source}: ${message}`;
    if (!/^(warn|error)/.test(level) || !lines.includes(line)) lines.push(line);
  };
  return { lines, error: write("error"), warn: write("warn"), info: write("info"), debug: write("debug") };
}
