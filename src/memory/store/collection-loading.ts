/** What a collection knows of its files and its ledger; a start takes up what was written down of it. */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { VERSION } from "../../base/version.js";
import { type Files, readText } from "../../io/files.js";
import { giveWay } from "../../io/json-lines.js";
import type { Log } from "../../io/log.js";
import { HIDDEN_LEDGER, LEDGER, parsePath } from "../path.js";
import type { Trust } from "../trust/trust.js";
import { createEntries, type Entries, type EntriesOptions, type Entry } from "./entries.js";
import { createLedger, type Ledger, type LedgerPosition } from "./ledger.js";
import { isTime } from "./ledger-line.js";

export interface CollectionLoading {
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

export interface CollectionLoadingOptions extends EntriesOptions {
  log: Log;
  nameClone: () => Promise<string>;
  /** See `Trust`. */
  nameOwner(): Promise<string | undefined>;
  prefix: string;
  /** Machine state of the collection. */
  state: string;
  /** See `CollectionPlace`. */
  keepsOut?: true;
  trust?: Trust | undefined;
}

export function createCollectionLoading(options: CollectionLoadingOptions): CollectionLoading {
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

/*
 * A cache of a memory folder, so that the next start only stats its files instead of reading them: `known.jsonl`, a
 * header line, then lines for its files. Machine state; rebuilt if missing or outdated. Entries with a path that no
 * memory can have are ignored: a repository may have brought the file.
 */

export interface KnownFiles {
  entries: readonly Entry[];
  position: LedgerPosition;
  /** Id of the project it was written for, which no repository can know; absent if trust is not checked. */
  owner?: string | undefined;
}

/** Lines handled at a time, a few milliseconds, before other work gets its turn. */
const LINES_AT_A_TIME = 500;

export async function writeKnown(
  files: Files,
  path: string,
  { entries, owner, position: { known, offsets } }: KnownFiles,
): Promise<void> {
  const lines = [...entries, ...Object.entries(known).map(([of, one]) => ({ of, known: one }))];
  const texts = [JSON.stringify({ version: VERSION, owner, lines: lines.length, offsets })];
  for (let from = 0; from < lines.length; from += LINES_AT_A_TIME) {
    texts.push(...lines.slice(from, from + LINES_AT_A_TIME).map((line) => JSON.stringify(line)));
    await giveWay(files, path);
  }
  await files.writeWhole(path, `${texts.join("\n")}\n`);
}

/** `undefined` if there is no cache that this owner can use. `prefix` is the prefix of its memories' ids. */
export async function readKnown(
  files: Files,
  path: string,
  { owner, prefix }: { prefix: string; owner?: string | "any" | undefined },
): Promise<KnownFiles | undefined> {
  const text = await readText(files, path);
  if (text === undefined) return undefined;
  try {
    const [first = "", ...rest] = text.trimEnd().split("\n");
    const head: unknown = JSON.parse(first);
    if (!isRecord(head) || head.version !== VERSION || head.lines !== rest.length) return undefined;
    if (owner !== "any" && head.owner !== owner) return undefined;
    const position: LedgerPosition = { offsets: readOffsets(head.offsets), known: {} };
    const entries: Entry[] = [];
    for (let from = 0; from < rest.length; from += LINES_AT_A_TIME) {
      for (const line of rest.slice(from, from + LINES_AT_A_TIME)) {
        const one = JSON.parse(line) as Entry | KnownLine;
        if (!("of" in one)) entries.push(...(isOwn(one, prefix) ? [one] : []));
        else if (isPath(one.of) && isTime(one.known.at)) position.known[one.of] = one.known;
      }
      await giveWay(files, path);
    }
    return { entries, position };
  } catch {
    return undefined;
  }
}

interface KnownLine {
  of: string;
  known: LedgerPosition["known"][string];
}

function readOffsets(value: unknown): LedgerPosition["offsets"] {
  const all = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(all.filter((one): one is [string, number] => isOffset(one[1])));
}

/** True if the path is valid here and the memory's id fits it. */
function isOwn({ path, reading }: Entry, prefix: string): boolean {
  const parts = typeof path === "string" ? parsePath(path) : undefined;
  if (!parts) return false;
  return reading.kind === "problem" || reading.memory.id === `${prefix}${parts.type}/${parts.name}`;
}

const isPath = (value: unknown): boolean => typeof value === "string" && parsePath(value) !== undefined;

const isOffset = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
