/**
 * What this machine knows of the files of one project, append-only, in the user's state folder: `trust/<id>.jsonl`.
 *
 *     root      the project lies in this folder; `log`: how git's log of it ended then
 *     look      the files of a shelf were looked at; what is older than that and unknown was not made since
 *     own       these contents were written here for this user, or changed here by hand
 *     foreign   these contents came with the repository, or an agent put them there
 *     accept    the user has accepted these
 *     revoke    … and has taken that back
 */
import { takeNewLines } from "../record/lines.js";
import { isVersion } from "../record/version.js";
import { isRecord, parseJson } from "../records.js";
import type { Files } from "../seams/files.js";
import { either, list, number, object, oneOf, string, unchecked } from "../shape.js";

/** Contents under a name: `private/archive/directive/tone.md`, of what holds everywhere `global/…`. */
export interface NamedContents {
  name: string;
  /** Of the contents, as the ledger has it. */
  hash: string;
}

export type RecordLine =
  | { op: "root"; root: string; log?: string }
  | { op: "look"; root: string; shelf: string; at: number }
  | { op: "own"; files: readonly NamedContents[] }
  | { op: "foreign"; files: readonly NamedContents[]; why: "repository" | "agent" }
  | { op: "accept"; run: string; at: string; files: readonly NamedContents[]; why: string }
  | { op: "revoke"; run: string };

export type Acceptance = Omit<RecordLine & { op: "accept" }, "op">;

export interface TrustRecord {
  /** Takes in what was added since, by whomever. Rejects with the system's error. */
  readOn(): Promise<void>;
  /** Written when it resolves. */
  add(line: RecordLine): Promise<void>;
  /** Counts here, and is not written. */
  note(line: RecordLine): void;
  isOwn(file: NamedContents): boolean;
  /** Was it decided, in either way? */
  isDecided(file: NamedContents): boolean;
  /** Have these contents been foreign under any name, for this reason or any? */
  isForeign(hash: string, why?: string): boolean;
  /** Have they been the user's under any name? */
  isKnownOwn(hash: string): boolean;
  hasRoot(root: string): boolean;
  /** How git's log ended when the project was first seen here; `undefined` where there was none. */
  logOf(root: string): string | undefined;
  lookedMs(root: string, shelf: string): number | undefined;
  /** Those that hold, the first one first. */
  acceptances(): readonly Acceptance[];
  /** Another one whenever `isOwn` may answer otherwise. */
  readonly version: number;
  /** Does it say anything? */
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
  /** Made when it is asked for: each acceptance makes it anew. */
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
      // All at once: nobody sees what was accepted without what took it back.
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
    lookedMs: (root, shelf) => looks.get(`${root}\n${shelf}`),
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

  /** Taking the same line twice changes nothing: what one has added oneself is read again. */
  function take(line: RecordLine): void {
    if (line.op === "root" && !roots.has(line.root)) roots.set(line.root, line.log);
    if (line.op === "look") looks.set(`${line.root}\n${line.shelf}`, line.at);
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
const isTrusting = either(
  object<Line<"root">>({ op: oneOf(["root"]), root: string }),
  object<Line<"look">>({ op: oneOf(["look"]), root: string, shelf: string, at: number }),
  object<Line<"own">>({ op: oneOf(["own"]), files: named }),
  object<Line<"accept">>({ op: oneOf(["accept"]), run: string, at: unchecked, files: named, why: unchecked }),
);
const isDistrusting = either(
  object<Line<"foreign">>({ op: oneOf(["foreign"]), files: named, why: unchecked }),
  object<Line<"revoke">>({ op: oneOf(["revoke"]), run: string }),
);

/** `undefined` for half of a line, and for one of a later version that trusts something. */
function parseLine(text: string): RecordLine | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || !isVersion(value.v)) return undefined;
  // A later version may have put a condition on what it trusts; what it does not trust is not trusted here either.
  if (value.v === 1 && isTrusting(value)) return value;
  return isDistrusting(value) ? value : undefined;
}
