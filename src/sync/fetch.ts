/** Fetches the remote's branch and reads its new lines. Call under the sync lock. */
import { DAY_MS } from "../base/days.js";
import { StrataError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import { formatPrefix } from "../memory/memory.js";
import { readSharedLine, type SharedLine, splitLines } from "../memory/store/receipt.js";
import type { Taken } from "../memory/store/store.js";
import {
  type BareRepository,
  type BranchFile,
  FORMAT_FILE,
  findFormatFault,
  MOST_FILE_BYTES,
  parseSegment,
  type Scope,
} from "./bare-repository.js";
import { type KnownLines, NO_SYNC, type SyncConfig, type SyncFiles } from "./sync-state.js";

/** The result of a fetch. */
export interface Fetched {
  tip: string | undefined;
  files: BranchFile[];
  known: KnownLines["ids"];
  /** New lines. */
  lines: SharedLine[];
  deferred: Taken["deferred"];
  /** `false` if some lines have to be read again next time. */
  isWhole: boolean;
  /** `false` if the commit was already processed. */
  isNew: boolean;
}

export interface FetchOptions {
  clock: Clock;
  repository: BareRepository;
  scope: Scope;
  stored: Pick<SyncFiles, "readKnown">;
}

/** A line dated further ahead would win over all later changes. */
const MOST_AHEAD_MS = 2 * DAY_MS;
/** No memory makes a longer line. */
const LONGEST_LINE = 2_000_000;

/** @throws UNREACHABLE, NOSYNC */
export async function fetchNew(options: FetchOptions, config: SyncConfig): Promise<Fetched> {
  const { repository, scope, stored } = options;
  const found = await repository.findTip(config);
  const fetched: Fetched = {
    tip: found,
    files: [],
    known: new Set(),
    lines: [],
    deferred: [],
    isWhole: true,
    isNew: true,
  };
  if (found === undefined) return fetched;
  const before = await stored.readKnown();
  // Even if nothing is new: the repository is a cache and may have been deleted.
  const tip = await repository.fetchTip(config, found);
  const files = await repository.listFiles(tip);
  await requireFormat(repository, files, { ...config, scope });
  if (before?.tip === tip) return { ...fetched, files, known: before.ids, isNew: false };
  // Lines are only ever added. If the branch was rewritten, all of it is read again.
  const isLonger = before !== undefined && (await repository.isBefore(before.tip, tip));
  const had = new Set(isLonger ? (await repository.listFiles(before.tip)).map(nameOf) : []);
  const segments = files.filter((file) => parseSegment(file.path) && !had.has(nameOf(file)));
  const known = isLonger ? before.ids : new Set<string>();
  return readSegments(options, { fetched: { ...fetched, tip, files, known }, segments });
}

const nameOf = ({ blob, path }: BranchFile): string => `${path} ${blob}`;

async function requireFormat(
  repository: BareRepository,
  files: readonly BranchFile[],
  { branch, scope }: SyncConfig & Pick<FetchOptions, "scope">,
): Promise<void> {
  const format = files.find(({ bytes, path }) => path === FORMAT_FILE && bytes <= MOST_FILE_BYTES);
  const [text] = format ? await repository.readFiles([format]) : [];
  const fault = findFormatFault(text, scope);
  if (fault !== undefined) throw new StrataError(NO_SYNC, `the branch ${branch} cannot be used: ${fault}`);
}

/** Adds the new lines. Lists invalid lines in `deferred`, with their file; the next fetch reads them again. */
async function readSegments(
  { clock, repository, scope }: FetchOptions,
  { fetched, segments }: { fetched: Fetched; segments: readonly BranchFile[] },
): Promise<Fetched> {
  const prefix = formatPrefix({ scope, sensitivity: "internal" });
  const latest = new Date(clock.now() + MOST_AHEAD_MS).toISOString();
  const known = new Set(fetched.known);
  const { lines } = fetched;
  const left = new Map<string, string>();
  const readable = segments.filter(({ bytes }) => bytes <= MOST_FILE_BYTES);
  for (const { bytes, path } of segments) if (bytes > MOST_FILE_BYTES) left.set(path, formatTooLarge(bytes));
  const texts = await repository.readFiles(readable);
  for (const [n, { path }] of readable.entries()) {
    const file = parseSegment(path)?.ledgerFile ?? "";
    for (const text of splitLines(texts[n] ?? "")) {
      const read = readLine(text, { file, prefix });
      if ("why" in read) left.set(path, `a line ${read.why}`);
      else if (read.line.at > latest)
        left.set(read.line.key, `a change is dated ${read.line.at}; ${SET_CLOCK}`);
      else if (!known.has(read.line.id)) {
        known.add(read.line.id);
        lines.push(read);
      }
    }
    await clock.pause(0);
  }
  const deferred = [...left].map(([id, why]) => ({ id, why }));
  return { ...fetched, known, deferred, isWhole: left.size === 0 };
}

const formatTooLarge = (bytes: number): string =>
  `it has ${bytes} bytes; expected at most ${MOST_FILE_BYTES}`;

const SET_CLOCK = "correct the clock of that machine or of this one";

function readLine(text: string, place: { file: string; prefix: string }): ReturnType<typeof readSharedLine> {
  if (text.length > LONGEST_LINE) return { why: "is too long" };
  const read = readSharedLine(text, place);
  // Known ids are kept one on a line: this one would make others known.
  return "line" in read && /\s/.test(read.line.id) ? { why: "has an id with a space or newline" } : read;
}
