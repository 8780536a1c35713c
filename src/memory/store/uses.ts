/**
 * Counts how often each memory was shown or asked for: `uses/2026-11.jsonl`, machine state, one line per use. Reading a
 * memory never changes its file, so mere use never shows up in git.
 */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { anyList, number, object, string } from "../../base/shape.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { createLineLog } from "../../io/json-lines.js";
import type { Log } from "../../io/log.js";
import type { Use } from "../rank.js";

export interface Uses {
  /** Reads the counts once. Never rejects. */
  load(): Promise<void>;
  note(ids: readonly string[]): void;
  of(id: string): Use | undefined;
  /** Resolves when all noted uses are on disk. */
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
  const lines = createLineLog({ files, parse: parseUse });
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
      // Read the disk first, so that no use counts twice.
      loading ??= load().catch(report);
      const read = loading;
      writing = writing
        .then(() => read)
        .then(() => {
          count(line);
          return lines.append(path, [line]);
        })
        .then(() => {}, report);
    },
    of: (id) => uses.get(id),
    onIdle: () => writing,
  };

  async function load(): Promise<void> {
    for (const name of await files.list(folder)) {
      if (!name.endsWith(".jsonl")) continue;
      const { records } = await lines.read(join(folder, name));
      for (const line of records) count(line);
    }
  }

  function count({ at, ids }: UseLine): void {
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

const isUse = object<UseLine>({ at: number, ids: anyList });

function parseUse(value: unknown): UseLine | undefined {
  return isUse(value) ? { at: value.at, ids: value.ids.filter(string) } : undefined;
}
