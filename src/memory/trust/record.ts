import {
  either,
  isRecord,
  isVersion,
  list,
  number,
  object,
  oneOf,
  parseJson,
  string,
  unchecked,
} from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import { takeNewLines } from "../../io/json-lines.js";

/** Contents under a name: `private/archive/directive/tone.md`, or `global/…` for global memories. */
export interface NamedContents {
  name: string;
  /** Hash of the contents, as in the ledger. */
  hash: string;
}

/** Origin of memories that are not the user's. */
export type ForeignCause = "repository" | "agent";

export type RecordLine =
  | { op: "root"; root: string; log?: string }
  | { op: "look"; root: string; collection: string; at: number }
  | { op: "own"; files: readonly NamedContents[] }
  | { op: "foreign"; files: readonly NamedContents[]; why: ForeignCause }
  | { op: "accept"; run: string; at: string; files: readonly NamedContents[]; why: string }
  | { op: "revoke"; run: string };

export type Acceptance = Omit<RecordLine & { op: "accept" }, "op">;

export interface TrustRecord {
  /** Reads lines added since, by any process. Rejects with the system's error. */
  readOn(): Promise<void>;
  /** Resolves after the write. */
  add(line: RecordLine): Promise<void>;
  /** Applies the line in memory only. */
  note(line: RecordLine): void;
  isOwn(file: NamedContents): boolean;
  /** Is it known to be own or foreign? */
  isDecided(file: NamedContents): boolean;
  /** Have these contents been foreign under any name, for this reason (default: any)? */
  isForeign(hash: string, why?: ForeignCause): boolean;
  /** Have these contents been the user's under any name? */
  isKnownOwn(hash: string): boolean;
  hasRoot(root: string): boolean;
  /** Digest of the last line of git's log when the project was first seen here; `undefined` if there was no log. */
  logOf(root: string): string | undefined;
  lookedMs(root: string, collection: string): number | undefined;
  /** Acceptances in force, oldest first. */
  acceptances(): readonly Acceptance[];
  /** Changes whenever the answers of `isOwn` may change. */
  readonly version: number;
  /** Does the record have any line? */
  readonly isBegun: boolean;
}

export function createTrustRecord(files: Files, path: string): TrustRecord {
  const own = new Set<string>();
  const foreign = new Set<string>();
  /** Reasons by hash. */
  const foreignHashes = new Map<string, string>();
  const ownHashes = new Set<string>();
  const roots = new Map<string, string | undefined>();
  const looks = new Map<string, number>();
  let accepted: readonly Acceptance[] = [];
  /** Built on demand; each acceptance invalidates it. */
  let names: ReadonlySet<string> | undefined;
  let offset = 0;
  let version = 0;

  return {
    async readOn() {
      const lines: RecordLine[] = [];
      const end = await takeNewLines(files, path, offset, (text) => {
        const line = parseLine(text);
        if (line) lines.push(line);
      });
      // Apply all at once, so that no acceptance is seen without its revocation.
      for (const line of lines) take(line);
      offset = Math.max(offset, end);
    },

    async add(line) {
      await files.appendLine(path, JSON.stringify({ v: 1, ...line }));
      take(line);
    },

    note: take,
    isOwn: (file) => own.has(nameOf(file)) || acceptedNames().has(nameOf(file)),
    isDecided: (file) => [own, foreign, acceptedNames()].some((known) => known.has(nameOf(file))),
    isForeign: (hash, why) => (why === undefined ? foreignHashes.has(hash) : foreignHashes.get(hash) === why),
    isKnownOwn: (hash) => ownHashes.has(hash),
    hasRoot: (root) => roots.has(root),
    logOf: (root) => roots.get(root),
    lookedMs: (root, collection) => looks.get(`${root}\n${collection}`),
    acceptances: () => accepted,
    get version() {
      return version;
    },
    get isBegun() {
      return offset > 0;
    },
  };

  function acceptedNames(): ReadonlySet<string> {
    names ??= new Set(accepted.flatMap((one) => one.files.map(nameOf)));
    return names;
  }

  /** Idempotent, because lines added by this process are read again. */
  function take(line: RecordLine): void {
    if (line.op === "root" && !roots.has(line.root)) roots.set(line.root, line.log);
    if (line.op === "look") looks.set(`${line.root}\n${line.collection}`, line.at);
    if (line.op === "own")
      for (const file of line.files) {
        if (!own.has(nameOf(file))) version++;
        own.add(nameOf(file));
        ownHashes.add(file.hash);
      }
    if (line.op === "foreign")
      for (const file of line.files) {
        foreign.add(nameOf(file));
        foreignHashes.set(file.hash, line.why);
      }
    if (line.op !== "accept" && line.op !== "revoke") return;
    accepted = accepted.filter(({ run }) => run !== line.run);
    if (line.op === "accept") accepted = [...accepted, line];
    version++;
    names = undefined;
  }
}

const nameOf = ({ hash, name }: NamedContents): string => `${name}\n${hash}`;

type Line<Op> = Extract<RecordLine, { op: Op }>;
const named = list(object<NamedContents>({ name: string, hash: string }));
const isLine = either(
  object<Line<"root">>({ op: oneOf(["root"]), root: string }),
  object<Line<"look">>({ op: oneOf(["look"]), root: string, collection: string, at: number }),
  object<Line<"own">>({ op: oneOf(["own"]), files: named }),
  object<Line<"accept">>({ op: oneOf(["accept"]), run: string, at: unchecked, files: named, why: unchecked }),
  object<Line<"foreign">>({ op: oneOf(["foreign"]), files: named, why: unchecked }),
  object<Line<"revoke">>({ op: oneOf(["revoke"]), run: string }),
);

/** `undefined` for an incomplete line. */
function parseLine(text: string): RecordLine | undefined {
  const value = parseJson(text);
  return isRecord(value) && isVersion(value.v) && isLine(value) ? value : undefined;
}
