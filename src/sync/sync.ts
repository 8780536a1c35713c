/**
 * Exchanges memories with a git remote: see docs/sync.md.
 *
 *     find the tip → fetch it → apply its new lines to the store → [commit our lines → push] → record the known lines
 *
 * A sync can stop after any step: fetched commits stay fetched, applied lines are recognised by their ids, and a commit
 * that was not pushed is never used. If the branch moves meanwhile, the sync starts over.
 */

import { DAY_MS } from "../base/days.js";
import { formatError, StrataError } from "../base/error.js";
import { formatCounted } from "../base/format.js";
import { inSlices } from "../base/slices.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { RemoteGit } from "../io/host.js";
import type { Locks } from "../io/locks.js";
import { formatPrefix } from "../memory/memory.js";
import { readSharedLine, type SharedLine, splitLines } from "../memory/store/receipt.js";
import type { Exchange, Taken } from "../memory/store/store.js";
import {
  type BareRepository,
  type BranchFile,
  createBareRepository,
  FORMAT_FILE,
  findFormatFault,
  formatBranchPages,
  MOST_FILE_BYTES,
  parseSegment,
  planSegments,
} from "./bare-repository.js";
import { type Outgoing, scanOutgoing } from "./scan-outgoing.js";
import {
  NO_SYNC,
  openSyncFiles,
  type SyncConfig,
  type SyncFiles,
  type SyncPlace,
  UNREAD,
} from "./sync-state.js";

export type Sync = ReturnType<typeof createSync>;

export interface Synced {
  ids: readonly string[];
  conflicts: readonly string[];
  /** Memories whose remote changes were left out, and why. */
  deferred: Taken["deferred"];
  /** Number of lines sent; 0 for `pull`. */
  sent: number;
  refused: Outgoing["refused"];
  earlier: number;
  foreign: number;
}

export interface SyncOptions {
  clock: Clock;
  files: Files;
  locks: Locks;
  git: RemoteGit;
  exchange: Exchange;
  place: SyncPlace;
  machinePaths: readonly string[];
  networkMs: number;
  /** Id of this instance; makes the pauses between tries differ. */
  instance: string;
}

/** Maximum number of tries if others keep pushing first. */
const MOST_TRIES = 40;
const LOCK_WAIT_MS = 30_000;

export function createSync(options: SyncOptions) {
  const { clock, files, git, locks, networkMs, place } = options;
  const stored = openSyncFiles(files, place);
  const repository = createBareRepository({ files, git, folder: stored.repository, networkMs });
  const world = { options, repository, stored };

  return {
    /** Fetches and merges what is new on the remote. @throws UNREACHABLE, NOSYNC, ELOCKED */
    pull: () => exclusively((config) => runRound(world, config, { isPush: false })),
    /** Pulls, then sends what is new here. */
    push: () => exclusively(pushUntilDone),

    /** What a push would send, by the last known state of the remote. Does not contact it. */
    async plan(): Promise<Outgoing> {
      const config = await requireConfig();
      const known = (await stored.readKnown())?.ids ?? new Set();
      return planOutgoing(options, config, { known, held: (await stored.readState()).deferred });
    },
  };

  async function requireConfig(): Promise<SyncConfig> {
    const config = await stored.readConfig();
    if (config) return config;
    throw new StrataError(NO_SYNC, "no remote is set up; set one up with: strata sync init REMOTE");
  }

  async function exclusively(action: (config: SyncConfig) => Promise<Synced>): Promise<Synced> {
    const config = await requireConfig();
    const run = async (): Promise<Synced> => {
      try {
        await repository.open();
        return await action(config);
      } catch (thrown) {
        const failure = formatError(thrown);
        const note = async () => stored.writeState({ ...(await stored.readState()), failure });
        await note().catch(() => {});
        throw thrown;
      }
    };
    return locks.withLock(stored.lock, run, { waitMs: LOCK_WAIT_MS });
  }

  async function pushUntilDone(config: SyncConfig): Promise<Synced> {
    const [ids, conflicts] = [new Set<string>(), new Set<string>()];
    let refusal = "";
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { moved, ...synced } = await runRound(world, config, { isPush: true });
      for (const id of synced.ids) ids.add(id);
      for (const path of synced.conflicts) conflicts.add(path);
      if (!moved) return { ...synced, ids: [...ids], conflicts: [...conflicts] };
      refusal = moved.why;
      await clock.pause(planPause(options.instance, tries));
    }
    throw new StrataError(
      "EMOVED",
      `the remote refused a change of the branch ${MOST_TRIES} times in a row, as others pushed first or one has left a lock; its changes are merged here, push again to send yours. It said: ${refusal}`,
    );
  }
}

interface World {
  options: SyncOptions;
  repository: BareRepository;
  stored: SyncFiles;
}

const NOTHING: Taken = { ids: [], conflicts: [], deferred: [] };

/** One round; `moved` if our lines are not on the branch, since it moved before or is locked. */
async function runRound(
  world: World,
  config: SyncConfig,
  { isPush }: { isPush: boolean },
): Promise<Synced & { moved?: { why: string } }> {
  const { options, stored } = world;
  const { clock, exchange, place } = options;
  const fetched = await fetchNew(world, config);
  const { known, lines, tip } = fetched;
  const given = { isShared: (id: string) => known.has(id), isForeign: !config.isOwn };
  const taken = lines.length === 0 ? NOTHING : await exchange.take(place.scope, lines, given);
  // Lines left out are new again at the next fetch.
  const left = new Set(taken.deferred.map(({ id }) => id));
  for (const { line } of lines) if (left.has(line.key)) known.delete(line.id);
  const isWhole = fetched.deferred.length + left.size === 0;
  const noteKnown = (at: string, ids: ReadonlySet<string>): Promise<void> =>
    stored.writeKnown({ tip: isWhole ? at : UNREAD, ids });
  if (tip !== undefined && fetched.isNew) await noteKnown(tip, known);
  const deferred = [...fetched.deferred, ...taken.deferred];
  const { failure: _, ...before } = await stored.readState();
  const state = { ...before, pulledMs: clock.now(), deferred };
  await stored.writeState(state);
  const round = { ids: taken.ids, conflicts: taken.conflicts, deferred, sent: 0, earlier: 0, foreign: 0 };
  if (!isPush) return { ...round, refused: state.refused };
  const outgoing = await planOutgoing(options, config, { known, held: deferred });
  const pushed = await send(world, config, { fetched, outgoing });
  if (typeof pushed === "object") return { ...round, refused: [], moved: pushed };
  const sent = outgoing.lines.map(({ line }) => line.id);
  if (pushed !== undefined && sent.length > 0) await noteKnown(pushed, new Set([...known, ...sent]));
  const { earlier, foreign, refused } = outgoing;
  await stored.writeState({ ...state, pushedMs: clock.now(), refused });
  return { ...round, sent: sent.length, refused, earlier, foreign };
}

/** Returns the branch's tip afterwards; `undefined` if the branch does not exist. */
async function send(
  { options: { clock, place }, repository }: World,
  config: SyncConfig,
  { fetched: { files, tip }, outgoing: { lines } }: { fetched: Fetched; outgoing: Outgoing },
): Promise<string | undefined | { why: string }> {
  if (lines.length === 0) return tip;
  const changed = planSegments(lines, await readLast(repository, files, lines));
  const pages = tip === undefined ? Object.entries(formatBranchPages(place.scope)) : [];
  const message = `${formatCounted(lines.length, "change")} of memories`;
  const given = { message, parent: tip, nowMs: clock.now() };
  const commit = await repository.commit(new Map([...pages, ...changed]), given);
  const moved = await repository.push(config, commit, tip);
  if (moved) return moved;
  await repository.tidy();
  return commit;
}

/** `held`: memories whose remote version could not be applied; ours waits, since it would hide that version. */
async function planOutgoing(
  { clock, exchange, machinePaths, place }: SyncOptions,
  { isOwn }: SyncConfig,
  { held, known }: { known: ReadonlySet<string>; held: Taken["deferred"] },
): Promise<Outgoing> {
  const shared = await exchange.read(place.scope);
  const isShared = (id: string): boolean => known.has(id);
  const ids = new Set(held.map(({ id }) => id));
  const options = { shared, machinePaths, isShared, held: ids, isTeams: !isOwn };
  return inSlices(clock, scanOutgoing(options));
}

/** The last branch file of each ledger file that gets more lines. */
async function readLast(
  repository: BareRepository,
  there: readonly BranchFile[],
  lines: readonly SharedLine[],
): Promise<Map<string, { number: number; text: string }>> {
  const wanted = new Set(lines.map(({ file }) => file));
  const last = new Map<string, { number: number; file: BranchFile }>();
  for (const file of there) {
    const segment = parseSegment(file.path);
    if (!segment || !wanted.has(segment.ledgerFile)) continue;
    const { ledgerFile, number } = segment;
    if (number > (last.get(ledgerFile)?.number ?? 0)) last.set(ledgerFile, { number, file });
  }
  const readable = [...last].filter(([, { file }]) => file.bytes <= MOST_FILE_BYTES);
  const texts = await repository.readFiles(readable.map(([, { file }]) => file));
  // A file too large to be read counts as full.
  const next = [...last].map(([name, { number }]) => [name, { number: number + 1, text: "" }] as const);
  const open = readable.map(([name, { number }], n) => [name, { number, text: texts[n] ?? "" }] as const);
  return new Map([...next, ...open]);
}

/** Longer with each try, and different for each instance. */
function planPause(instance: string, tries: number): number {
  const own = [...instance].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997, 7);
  return ((own * (tries + 1)) % 100) + 20 * Math.min(tries, 10);
}

/* Fetches the remote's branch and reads its new lines. */

interface Fetched {
  tip: string | undefined;
  files: BranchFile[];
  /** Ids of all lines on the branch. */
  known: Set<string>;
  /** Those that were not known before. */
  lines: SharedLine[];
  /** Invalid lines with their file, files that are too large, and changes from the future. */
  deferred: Taken["deferred"];
  /** `false` if the commit was already processed. */
  isNew: boolean;
}

/** A line dated further ahead would win over all later changes. */
const MOST_AHEAD_MS = 2 * DAY_MS;
/** No memory makes a longer line. */
const LONGEST_LINE = 2_000_000;

/** @throws UNREACHABLE, NOSYNC */
async function fetchNew(world: World, config: SyncConfig): Promise<Fetched> {
  const { repository, stored } = world;
  const found = await repository.findTip(config);
  const nothing: Fetched = { tip: found, files: [], known: new Set(), lines: [], deferred: [], isNew: true };
  if (found === undefined) return nothing;
  const before = await stored.readKnown();
  // Even if nothing is new: the repository is a cache and may have been deleted.
  const tip = await repository.fetchTip(config, found);
  const files = await repository.listFiles(tip);
  await requireFormat(world, files, config.branch);
  if (before?.tip === tip) return { ...nothing, files, known: before.ids, isNew: false };
  return { ...nothing, tip, files, ...(await readLines(world, files, before?.ids ?? new Set())) };
}

async function requireFormat(
  { options: { place }, repository }: World,
  files: readonly BranchFile[],
  branch: string,
): Promise<void> {
  const format = files.find(({ bytes, path }) => path === FORMAT_FILE && bytes <= MOST_FILE_BYTES);
  const [text] = format ? await repository.readFiles([format]) : [];
  const fault = findFormatFault(text, place.scope);
  if (fault !== undefined) throw new StrataError(NO_SYNC, `the branch ${branch} cannot be used: ${fault}`);
}

/** Reads the whole branch, as it may have been rewritten. */
async function readLines(
  { options: { clock, place }, repository }: World,
  files: readonly BranchFile[],
  before: ReadonlySet<string>,
): Promise<Pick<Fetched, "deferred" | "known" | "lines">> {
  const prefix = formatPrefix({ scope: place.scope, sensitivity: "internal" });
  const latest = new Date(clock.now() + MOST_AHEAD_MS).toISOString();
  const [known, lines, left] = [new Set<string>(), [] as SharedLine[], new Map<string, string>()];
  const segments = files.filter(({ path }) => parseSegment(path));
  for (const { bytes, path } of segments)
    if (bytes > MOST_FILE_BYTES) left.set(path, `it has ${bytes} bytes; expected at most ${MOST_FILE_BYTES}`);
  const readable = segments.filter(({ path }) => !left.has(path));
  const texts = await repository.readFiles(readable);
  for (const [n, { path }] of readable.entries()) {
    const file = parseSegment(path)?.ledgerFile ?? "";
    let count = 0;
    for (const text of splitLines(texts[n] ?? "")) {
      if (++count % 500 === 0) await clock.pause(0);
      const read = readLine(text, { file, prefix });
      if ("why" in read) left.set(path, `a line ${read.why}`);
      else if (read.line.at > latest)
        left.set(read.line.key, `a change is dated ${read.line.at}; ${SET_CLOCK}`);
      else if (!known.has(read.line.id)) {
        known.add(read.line.id);
        if (!before.has(read.line.id)) lines.push(read);
      }
    }
    await clock.pause(0);
  }
  return { known, lines, deferred: [...left].map(([id, why]) => ({ id, why })) };
}

const SET_CLOCK = "correct the clock of that machine or of this one";

function readLine(text: string, place: { file: string; prefix: string }): ReturnType<typeof readSharedLine> {
  if (text.length > LONGEST_LINE) return { why: "is too long" };
  const read = readSharedLine(text, place);
  // Known ids are kept one on a line: this one would make others known.
  return "line" in read && /\s/.test(read.line.id) ? { why: "has an id with a space or newline" } : read;
}
