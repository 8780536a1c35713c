/** What this machine knows of whose the memories of a project are: lines in the user's state folder. */
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
  /** Hash of the contents, as in the ledger. It alone decides whose they are. */
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

export type TrustRecord = ReturnType<typeof createTrustRecord>;

export function createTrustRecord(files: Files, path: string) {
  const own = new Set<string>();
  const foreign = new Map<string, ForeignCause>();
  const roots = new Map<string, string | undefined>();
  const looks = new Map<string, number>();
  let accepted: readonly Acceptance[] = [];
  let acceptedHashes: ReadonlySet<string> = new Set();
  let offset = 0;
  let version = 0;

  return {
    /** Applies the line in memory only. Idempotent, because lines added by this process are read again. */
    take,

    /** Reads lines added since, by any process. Rejects with the system's error. */
    async readOn(): Promise<void> {
      const lines: RecordLine[] = [];
      const end = await takeNewLines(files, path, offset, (text) => {
        const line = parseLine(text);
        if (line) lines.push(line);
      });
      // Apply all at once, so that no acceptance is seen without its revocation.
      for (const line of lines) take(line);
      offset = Math.max(offset, end);
    },

    async add(line: RecordLine): Promise<void> {
      await files.appendLine(path, JSON.stringify({ v: 1, ...line }));
      take(line);
    },

    isOwn: (hash: string) => own.has(hash) || acceptedHashes.has(hash),
    /** Why these contents are foreign; `undefined` if they are not known to be so. */
    causeOf: (hash: string) => foreign.get(hash),
    hasRoot: (root: string) => roots.has(root),
    /** Digest of the last line of git's log when the project was first seen here; `undefined` if there was no log. */
    logOf: (root: string) => roots.get(root),
    /** When the files of a collection there were checked last. */
    lookedMs: (root: string, collection: string) => looks.get(`${root}\n${collection}`),
    /** Acceptances in force, oldest first. */
    acceptances: () => accepted,
    /** Changes whenever the answers of `isOwn` may change. */
    version: () => version,
    /** Does the record have any line? */
    isBegun: () => offset > 0,
  };

  function take(line: RecordLine): void {
    if (line.op === "root" && !roots.has(line.root)) roots.set(line.root, line.log);
    else if (line.op === "look") looks.set(`${line.root}\n${line.collection}`, line.at);
    else if (line.op === "foreign") for (const { hash } of line.files) foreign.set(hash, line.why);
    else if (line.op === "own")
      for (const { hash } of line.files.filter((file) => !own.has(file.hash))) {
        own.add(hash);
        version++;
      }
    else if (line.op !== "root") {
      accepted = accepted.filter(({ run }) => run !== line.run);
      if (line.op === "accept") accepted = [...accepted, line];
      acceptedHashes = new Set(accepted.flatMap((one) => one.files.map(({ hash }) => hash)));
      version++;
    }
  }
}

type Line<Op> = Extract<RecordLine, { op: Op }>;
const files = list(object<NamedContents>({ name: string, hash: string }));
const isLine = either(
  object<Line<"root">>({ op: oneOf(["root"]), root: string }),
  object<Line<"look">>({ op: oneOf(["look"]), root: string, collection: string, at: number }),
  object<Line<"own">>({ op: oneOf(["own"]), files }),
  object<Line<"accept">>({ op: oneOf(["accept"]), run: string, at: unchecked, files, why: unchecked }),
  object<Line<"foreign">>({ op: oneOf(["foreign"]), files, why: unchecked }),
  object<Line<"revoke">>({ op: oneOf(["revoke"]), run: string }),
);

/** `undefined` for an incomplete line. */
function parseLine(text: string): RecordLine | undefined {
  const value = parseJson(text);
  return isRecord(value) && isVersion(value.v) && isLine(value) ? value : undefined;
}
