import type { Log } from "../../src/io/log.js";

export interface FakeLog extends Log {
  /** "warn background: what happened", in order. */
  readonly lines: string[];
}

/** A log that keeps its lines in a list. */
export function createFakeLog(): FakeLog {
  const lines: string[] = [];
  const write = (level: string) => (source: string, message: string) =>
    void lines.push(`${level} ${source}: ${message}`);
  return { lines, error: write("error"), warn: write("warn"), info: write("info"), debug: write("debug") };
}
