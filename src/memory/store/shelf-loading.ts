/** What a shelf knows of its files and its ledger; a start takes up what was written down of it. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import type { Log } from "../../io/log.js";
import { HIDDEN_LEDGER, LEDGER } from "../path.js";
import type { Trust } from "../trust/trust.js";
import { createEntries, type Entries, type EntriesOptions } from "./entries.js";
import { readKnown, writeKnown } from "./known-files.js";
import { createLedger, type Ledger } from "./ledger.js";

export interface ShelfLoading {
  /** Loaded once. Rejects with the system's error, and is tried again then. */
  load(): Promise<Loaded>;
  current(): Loaded | undefined;
  /** `undefined` before it was loaded. */
  read<T>(take: (entries: Entries) => T): T | undefined;
  /** Writes down what was read, so that a start need not read it. Never rejects. */
  keep(): Promise<void>;
}

export interface Loaded {
  entries: Entries;
  ledger: Ledger;
}

export interface ShelfLoadingOptions extends EntriesOptions {
  log: Log;
  nameClone: () => Promise<string>;
  /** See `Trust`. */
  nameOwner(): Promise<string | undefined>;
  prefix: string;
  /** Machine state of the shelf. */
  state: string;
  /** See `ShelfPlace`. */
  keepsOut?: true;
  trust?: Trust | undefined;
}

export function createShelfLoading(options: ShelfLoadingOptions): ShelfLoading {
  const { files, folder, keepsOut, log, nameClone, nameOwner, prefix, state, trust } = options;
  const knownPath = join(state, "known.jsonl");
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;

  return {
    current: () => loaded,
    read: (take) => loaded && take(loaded.entries),

    load() {
      loading ??= loadNow();
      // A disk that could not be read now may be read later.
      loading.catch(() => {
        loading = undefined;
      });
      return loading;
    },

    async keep() {
      if (!loaded) return;
      try {
        const owner = await nameOwner();
        if (trust && owner === undefined) return;
        const { entries, ledger } = loaded;
        await writeKnown(files, knownPath, { entries: entries.all(), position: ledger.position(), owner });
      } catch (thrown) {
        log.debug("memory", `cannot keep what was read: ${formatError(thrown)}`);
      }
    },
  };

  async function loadNow(): Promise<Loaded> {
    const owner = await nameOwner();
    const known = await readKnown(files, knownPath, { owner, prefix });
    const ledger = createLedger(
      {
        ...{ files, log, nameClone, prefix },
        folder: join(folder, LEDGER),
        hidden: keepsOut && join(folder, HIDDEN_LEDGER),
      },
      known?.position,
    );
    loaded = { entries: createEntries(options, known?.entries), ledger };
    return loaded;
  }
}
