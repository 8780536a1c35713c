/**
 * How often each memory was shown or asked for: `uses/2026-11.jsonl`, machine state, a line for each time. Reading a
 * memory never changes its file, so that nothing that is only read shows up in git.
 */
import { join } from "node:path";
import { formatError } from "../../error.js";
import { readJsonLines } from "../../record/json-lines.js";
import type { Log } from "../../record/log.js";
import { isRecord } from "../../records.js";
import type { Clock } from "../../seams/clock.js";
import type { Files } from "../../seams/files.js";
import type { Use } from "../rank.js";

export interface Uses {
  /** Reads them, the first time. Never rejects. */
  load(): Promise<void>;
  note(ids: readonly string[]): void;
  of(id: string): Use | undefined;
  /** Resolves when what was noted is on disk. */
  onIdle(): Promise<void>;
}

export interface UsesOptions {
  clock: Clock;
  files: Files;
  log: Log;
  folder: string;
}

interface UseLine {
  at: number;
  ids: string[];
}

export function createUses({ clock, files, log, folder }: UsesOptions): Uses {
  const uses = new Map<string, Use>();
  let loading: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;

  return {
    load() {
      loading ??= load().catch(report);
      return loading;
    },
    note(ids) {
      const line: UseLine = { at: clock.now(), ids: [...ids] };
      if (line.ids.length === 0) return;
      const path = join(folder, `${new Date(line.at).toISOString().slice(0, 7)}.jsonl`);
      // What is on disk already is read first, so that nothing counts twice.
      loading ??= load().catch(report);
      const read = loading;
      writing = writing
        .then(() => read)
        .then(() => {
          take(line);
          return files.appendLine(path, JSON.stringify(line));
        })
        .catch(report);
    },
    of: (id) => uses.get(id),
    onIdle: () => writing,
  };

  async function load(): Promise<void> {
    for (const name of await files.list(folder)) {
      if (!name.endsWith(".jsonl")) continue;
      const { records } = await readJsonLines(files, join(folder, name), parseUse);
      for (const line of records) take(line);
    }
  }

  function take({ at, ids }: UseLine): void {
    for (const id of ids) {
      const { count = 0, lastMs = 0 } = uses.get(id) ?? {};
      uses.set(id, { count: count + 1, lastMs: Math.max(lastMs, at) });
    }
  }

  function report(thrown: unknown): void {
    if (!hasFailed) log.warn("memory", `cannot count uses in ${folder}: ${formatError(thrown)}`);
    hasFailed = true;
  }
}

function parseUse(value: unknown): UseLine | undefined {
  if (!isRecord(value) || typeof value.at !== "number" || !Array.isArray(value.ids)) return undefined;
  return { at: value.at, ids: value.ids.filter((id) => typeof id === "string") };
}
