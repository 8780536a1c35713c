import { hashOf } from "../../src/base/hash.js";
import type { Files } from "../../src/io/files.js";
import { createLocks } from "../../src/io/locks.js";
import type { MemoryDraft } from "../../src/memory/memory.js";
import type { Cause, LedgerLine } from "../../src/memory/store/ledger.js";
import { createMemoryStore } from "../../src/memory/store/memory-store.js";
import type { OpenMemories, Written } from "../../src/memory/store/store.js";
import type { Trust } from "../../src/memory/trust/trust.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { GLOBAL, PROJECT } from "./fake-host.js";
import { createFakeLog, type FakeLog } from "./fake-log.js";
import { createFakeProcesses } from "./fake-processes.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";

export const MEMORY = `${PROJECT}/.opencode/memory`;
export const STATE = `${PROJECT}/.opencode/strata/state/memory`;

export interface MemoryWorld {
  store: OpenMemories;
  files: MemoryFiles;
  clock: FakeClock;
  log: FakeLog;
  /** A new store on the same disk, as another instance in this or another process would have. */
  reopen(options?: { processID?: number; instance?: string }): MemoryWorld;
  /** Paths in the project's memory folder: memory files, index, ledgers. */
  paths(): string[];
}

export interface MemoryWorldOptions {
  files?: MemoryFiles;
  clock?: FakeClock;
  log?: FakeLog;
  wrap?: (files: Files) => Files;
  instance?: string;
  processID?: number;
  limits?: { maxLines: number; maxSize: number };
  trust?: Trust;
}

/** A memory store on in-memory files. */
export function openMemoryWorld(given: MemoryWorldOptions = {}): MemoryWorld {
  const clock = given.clock ?? createFakeClock();
  const files = given.files ?? createMemoryFiles({}, clock.now);
  const log = given.log ?? createFakeLog();
  const seen = given.wrap?.(files) ?? files;
  const instance = given.instance ?? "a";
  const processes = createFakeProcesses(given.processID);
  const locks = createLocks({ clock, files: seen, processes, instance });
  const store = createMemoryStore({
    clock,
    files: seen,
    locks,
    log,
    instance,
    folders: planFolders(PROJECT),
    globalFolder: GLOBAL,
    limits: given.limits ?? { maxLines: 200, maxSize: 25_000 },
    ...(given.trust && { trust: given.trust }),
  });
  return {
    store,
    files,
    clock,
    log,
    reopen: (options = {}) => openMemoryWorld({ ...given, clock, files, log, ...options }),
    paths: () =>
      [...files.contents.keys()]
        .filter((path) => path.startsWith(`${MEMORY}/`))
        .map((path) => path.slice(MEMORY.length + 1)),
  };
}

export const BY_TEST: Cause = { operation: "remember", session: "ses_1" };

/** A draft of a user's statement. */
export function draft(content: string, given: Partial<MemoryDraft> = {}): MemoryDraft {
  return { type: "decision", content, provenance: { by: "user", session: "ses_1" }, ...given };
}

/** Id of the written memory; throws if the write was refused. */
export function idOf(written: Written): string {
  if (written.kind === "refused") throw new Error(`refused: ${written.why}`);
  return written.memory.id;
}

/** The lines of its ledger on disk. */
export function ledger({ files }: Pick<MemoryWorld, "files">, folder = MEMORY): LedgerLine[] {
  return [...files.contents.keys()]
    .filter((path) => path.startsWith(`${folder}/ledger/`))
    .flatMap((path) => (files.text(path) ?? "").trim().split("\n"))
    .map((line) => JSON.parse(line) as LedgerLine);
}

/** A line of another machine's ledger: it has remembered a decision with this name and text. */
export function lineOf(name: string, contents: string, given: Partial<LedgerLine> = {}): LedgerLine {
  return {
    ...{ v: 1, id: `line-${name}`, at: "2026-11-20T09:00:00.000Z", instance: "x", by: "strata" },
    ...{ operation: "remember", key: `decision/${name}`, path: `decision/${name}.md`, before: null },
    ...{ after: hashOf(contents), contents },
    ...given,
  };
}

/** Trust of a running instance that treats everything as the user's. */
export function createFakeTrust(): Trust {
  const nothing = async (): Promise<void> => {};
  return {
    ...{ prepareLook: nothing, classify: nothing, refresh: nothing, own: nothing, disown: nothing },
    ...{ accept: nothing, revoke: async () => undefined, onChange: () => {} },
    team: { authorOf: () => undefined, question: () => undefined, answer: async () => "" },
    ...{ isOwn: () => true, isDecided: () => true, version: 0, isWatching: true },
    turns: { begin: nothing, end: nothing, endAll: nothing, onIdle: nothing },
  };
}
