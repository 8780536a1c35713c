/** Undoes what the host's undo has done to the files and the ledger of a shelf. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { LEDGER } from "../path.js";
import type { Trust } from "../trust/trust.js";
import type { Desk } from "./desk.js";
import type { Ledger } from "./ledger.js";
import { createLedgerCopy } from "./ledger-copy.js";
import type { Cause } from "./ledger-line.js";
import { findPutBack } from "./put-back.js";
import type { Loaded } from "./shelf-loading.js";

export interface UndoGuard {
  /** Copies the ledger out of the undo's reach. Never rejects: without the copy only the way back is lost. */
  keepCopy(ledger: Pick<Ledger, "offsets"> | undefined): Promise<void>;
  /** Appends to the ledger what only its copy has. Rejects when the disk fails. */
  restoreLedger(lock: Pick<HeldLock, "check">): Promise<void>;
  /** The IDs of what was mended, of these files, absolute, or of any. Rejects when the disk fails. */
  mend(
    desk: Pick<Desk, "swap">,
    loaded: Loaded,
    options: { cause: Cause; touched: ReadonlySet<string> | undefined },
  ): Promise<string[]>;
}

export interface UndoGuardOptions {
  clock: Clock;
  files: Files;
  folder: string;
  idOf(path: string): string;
  /** Does the host's undo reach this shelf? */
  isUndone?: boolean;
  log: Log;
  state: string;
  trust?: Pick<Trust, "isWatching"> | undefined;
}

export function createUndoGuard(options: UndoGuardOptions): UndoGuard {
  const { clock, files, folder, idOf, isUndone, log, state, trust } = options;
  const ledgerFolder = join(folder, LEDGER);
  const copy = createLedgerCopy({ files, ledger: ledgerFolder, folder: join(state, LEDGER) });

  return {
    async keepCopy(ledger) {
      if (!ledger || !isUndone || !trust?.isWatching) return;
      try {
        // The host's undo does not reach what git ignores.
        const shared = [...ledger.offsets].filter(([name]) => !name.includes("/"));
        await copy.follow(new Map(shared));
      } catch (thrown) {
        log.debug("memory", `cannot copy ${ledgerFolder}: ${formatError(thrown)}`);
      }
    },

    async restoreLedger(lock) {
      for (const [name, lines] of await copy.findMissing()) {
        await lock.check();
        await files.appendLine(join(ledgerFolder, name), lines.join("\n"));
      }
    },

    async mend(desk, { entries, ledger }, { cause, touched }) {
      const found = findPutBack(await ledger.readAll(), {
        now: new Date(clock.now()).toISOString(),
        isTouched: (path) => touched?.has(join(folder, path)) ?? true,
        hashAt: (path) => (entries.get(path) ? entries.get(path)?.hash : null),
      });
      await desk.swap(
        found.map(({ before, contents, path }) =>
          contents === null ? { path, before, isRemoved: true, cause } : { path, before, contents, cause },
        ),
      );
      return found.map(({ path }) => idOf(path));
    },
  };
}
