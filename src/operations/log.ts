import type { Log } from "../io/log.js";

/** A log that hands on warnings and errors, without their source, and drops the rest. */
export function createCliLog(report: (message: string) => void): Log {
  const tell = (_source: string, message: string): void => report(message);
  return { error: tell, warn: tell, info() {}, debug() {} };
}
