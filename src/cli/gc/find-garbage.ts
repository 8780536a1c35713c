/** Files that nobody needs any more. Looks only; what is in use, or may be, is never among them. */
import { join } from "node:path";
import { DAY_MS } from "../../days.js";
import type { Folders } from "../../folders.js";
import { parseInstance } from "../../instances/instance.js";
import type { RunningProcesses } from "../../seams/processes.js";
import { createDecisions } from "../../view/decisions.js";
import { isResultPath } from "../../view/result-files.js";
import type { Surroundings } from "../command.js";
import { idOf, type ReadShelf } from "../memory-files.js";

export interface Garbage {
  path: string;
  what: string;
  bytes: number;
  modifiedMs: number;
  /** Of a memory in the archive: that one goes by way of the ledger. */
  id?: string;
}

export interface GarbageOptions {
  folders: Folders;
  processes: RunningProcesses;
  /** Older than this; some kinds are kept longer. */
  days: number;
}

interface Rule {
  folder: string;
  name: RegExp;
  what: string;
  /** Kept so long whatever is asked for. */
  leastDays: number;
  /** May still be needed. */
  isNeeded?(path: string): Promise<boolean>;
}

/** Days for which machine state is of use to whoever comes back. */
const STATE_DAYS = 7;
const MAIL_DAYS = 30;

export async function findGarbage(
  { clock, files }: Pick<Surroundings, "clock" | "files">,
  { days, folders, processes }: GarbageOptions,
): Promise<Garbage[]> {
  const found: Garbage[] = [];
  for (const rule of planRules()) {
    for (const name of await files.list(rule.folder)) {
      const path = join(rule.folder, name);
      const stat = rule.name.test(name) ? await files.statItself(path) : undefined;
      const ageMs = clock.now() - (stat?.modifiedMs ?? Number.NaN);
      if (stat?.kind !== "file" || !(ageMs > Math.max(days, rule.leastDays) * DAY_MS)) continue;
      if (await rule.isNeeded?.(path)) continue;
      found.push({ path, what: rule.what, bytes: stat.bytes, modifiedMs: stat.modifiedMs });
    }
  }
  return found;

  function planRules(): Rule[] {
    let named: Promise<ReadonlySet<string>> | undefined;
    const isNamed = async (path: string): Promise<boolean> => {
      named ??= readNamed();
      return (await named).has(path);
    };
    return [
      {
        folder: folders.sessionMemory,
        name: /\.previous\.md$/,
        what: "an earlier version of notes",
        leastDays: 1,
      },
      {
        folder: folders.toolResults,
        name: /\.txt$/,
        what: "a tool result that no session names",
        leastDays: STATE_DAYS,
        isNeeded: async (path) => !isResultPath(path) || isNamed(path),
      },
      {
        folder: folders.toolResults,
        name: /\.txt\.[\da-f-]+$/,
        what: "half of a tool result",
        leastDays: STATE_DAYS,
      },
      {
        folder: folders.instances,
        name: /\.json$/,
        what: "an instance that has ended",
        leastDays: STATE_DAYS,
        isNeeded: isAlive,
      },
      { folder: folders.mail, name: /\.jsonl$/, what: "letters that are out of date", leastDays: MAIL_DAYS },
      { folder: folders.edits, name: DAY, what: "edits of days long past", leastDays: STATE_DAYS },
      { folder: folders.background, name: DAY, what: "the budget of a day long past", leastDays: STATE_DAYS },
      {
        folder: folders.pulse,
        name: /\.json$/,
        what: "the pulse of an instance long gone",
        leastDays: STATE_DAYS,
      },
    ];
  }

  /** Every result file that a recorded decision names. */
  async function readNamed(): Promise<ReadonlySet<string>> {
    const log = { error() {}, warn() {}, info() {}, debug() {} };
    const decisions = createDecisions({
      clock,
      files,
      log,
      folder: folders.decisions,
      resultsFolder: folders.toolResults,
    });
    const paths = new Set<string>();
    for (const day of await decisions.days())
      for (const { file } of await decisions.read(day)) if (file !== undefined) paths.add(file);
    return paths;
  }

  /** On another machine it may be. */
  async function isAlive(path: string): Promise<boolean> {
    const bytes = await files.read(path);
    const instance = bytes && parseInstance(new TextDecoder().decode(bytes));
    return instance !== undefined && (await processes.isRunning(instance.process)) === true;
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}\.jsonl$/;

/** Memories that have lain in the archive for so long; those of a person's own pinning stay. Pure. */
export function findArchived(
  shelves: readonly ReadShelf[],
  { archivedAt, days, nowMs }: { archivedAt: ReadonlyMap<string, string>; days: number; nowMs: number },
): Garbage[] {
  return shelves.flatMap(({ looked, place }) =>
    looked.flatMap(({ bytes, path, reading }) => {
      if (reading.kind !== "memory" || reading.memory.status !== "archived" || reading.memory.pinned)
        return [];
      const id = idOf(place, path);
      const at = Date.parse(archivedAt.get(id) ?? "");
      // Without a line of the ledger nobody knows when it was put aside: then it is not old.
      if (!(nowMs - at > days * DAY_MS)) return [];
      const what = "a memory in the archive; the ledger keeps its words";
      return [{ path: join(place.folder, path), what, bytes, modifiedMs: at, id }];
    }),
  );
}
