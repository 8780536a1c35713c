/**
 * What the pages read and change, with the store, the locks and the ledger of the command line. A chunk of its own, loaded
 * with the first page: the sidebar needs none of it.
 *
 * One action after the other: two stores of one process that are open at once would each take the other for gone.
 */
import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import type { Clock } from "../io/clock.js";
import { decodeText, type Files } from "../io/files.js";
import type { WaitingCandidate } from "../memory/candidates/candidate.js";
import { findCandidates, keepCandidate } from "../memory/candidates/choose-candidates.js";
import type { Memory } from "../memory/memory.js";
import type { Found } from "../memory/search/search.js";
import type { OpenMemories, Written } from "../memory/store/store.js";
import { type CliContext, createStyle } from "../operations/command.js";
import { findEditor, openEditor } from "../operations/edit.js";
import { openCandidates } from "../operations/open-candidates.js";
import { openGate, withMemories } from "../operations/open-memories.js";
import { openSearch } from "../operations/open-search.js";
import { openProject, type Project, withOwnFiles } from "../operations/project.js";
import { isFileName } from "../project/folders.js";
import { locateRecord } from "../project/state-owner.js";
import {
  type Action,
  type ContextItems,
  type ContextRequestLine,
  readContextItems,
} from "../status/context-items.js";
import { type ContextRequests, createContextRequests } from "../status/context-requests.js";

/** A change, in words for the user. */
export interface Changed {
  isDone: boolean;
  what: string;
}

/** Every call rejects with a `StrataError` that says why, or with the system's error. */
export interface Actions {
  /** All but the archived ones. */
  listMemories(): Promise<readonly Memory[]>;
  /** Archived ones too. */
  readMemory(id: string): Promise<Memory | undefined>;
  editMemory(id: string): Promise<Changed>;
  pinMemory(id: string, isPinned: boolean): Promise<Changed>;
  archive(id: string): Promise<Changed>;
  restore(id: string): Promise<Changed>;
  /** Undoes the last change of memory; the answer has a line for each memory. */
  undo(): Promise<string>;
  listCandidates(): Promise<readonly WaitingCandidate[]>;
  keep(id: string): Promise<Changed>;
  drop(id: string): Promise<Changed>;
  recall(words: string): Promise<readonly Found[]>;
  readNotes(session: string): Promise<{ path: string; text: string } | undefined>;
  /** The user's editor; `undefined` if none is set. */
  editor(): string | undefined;
  editFile(path: string): Promise<Changed>;
  /** `undefined` if nothing is written yet. */
  readItems(session: string): Promise<ContextItems | undefined>;
  /** By item: what was asked for in this session and not applied yet. */
  readAsked(session: string): Promise<ReadonlyMap<string, Action>>;
  /** Asks the server half, which applies it before the next request. */
  steer(wanted: Pick<ContextRequestLine, "session" | "action" | "item">): Promise<void>;
}

export interface ActionsOptions {
  clock: Clock;
  files: Files;
  folder(): string;
  home: string;
  env: CliContext["env"];
  whileSuspended<T>(run: () => Promise<T>): Promise<T>;
}

const MOST_HITS = 30;
const MOST_NOTES_BYTES = 1024 * 1024;

export function createActions(options: ActionsOptions): Actions {
  const { env, whileSuspended } = options;
  let last: Promise<unknown> = Promise.resolve();

  return {
    listMemories: () => withStore((memories) => memories.list()),
    readMemory: (id) =>
      withStore(async (memories) => (await memories.list({ archived: true })).find((one) => one.id === id)),
    pinMemory: (id, isPinned) =>
      withStore(async (memories) => {
        const change = (current: Memory): Memory => ({ ...current, pinned: isPinned });
        const operation = isPinned ? "pin" : "unpin";
        return describe(await memories.update(id, change, { operation }), isPinned ? "Pinned" : "Unpinned");
      }),
    archive: (id) =>
      withStore(async (memories) =>
        describe(await memories.archive(id, { operation: "archive" }), "Archived"),
      ),
    restore: (id) =>
      withStore(async (memories) =>
        describe(await memories.restore(id, { operation: "restore" }), "Restored"),
      ),
    editMemory: (id) =>
      runCommand(async (cli) => {
        const { run } = await import("../operations/edit.js");
        return whileSuspended(() => run(cli, {}, [id]));
      }),
    async undo() {
      const undone = await runCommand(async (cli) => {
        const { run } = await import("../operations/undo.js");
        return run(cli, {}, []);
      });
      return undone.what;
    },
    listCandidates: () => inTurn(async (project) => openCandidates(project).list()),
    keep: (id) => inTurn((project) => keep(project, id)),
    drop: (id) =>
      inTurn(async (project) => {
        await openCandidates(project).drop([id]);
        return { isDone: true, what: "Dropped; it does not come back" };
      }),
    recall: (words) =>
      inTurn((project) => withMemories(project, (memories) => recall(project, memories, words))),
    readNotes: (session) => inTurn((project) => readNotes(project, session)),
    editor: () => findEditor(env),
    editFile: (path) =>
      inTurn(async () => {
        await whileSuspended(() => openEditor(env, path));
        return { isDone: true, what: `Closed ${basename(path)}` };
      }),
    readItems: (session) =>
      inTurn(async ({ cli, folders }) =>
        isFileName(session) ? readContextItems(cli.files, folders, session) : undefined,
      ),
    readAsked: (session) =>
      inTurn(async (project) => {
        const { waiting } = await openRequests(project).read();
        return new Map(
          waiting.filter((one) => one.session === session).map(({ action, item }) => [item, action]),
        );
      }),
    steer: (wanted) => inTurn(async (project) => void (await openRequests(project).ask(wanted))),
  };

  function inTurn<T>(run: (project: Project) => Promise<T>): Promise<T> {
    const done = last.then(async () => run(await openHere(options, () => {})));
    last = done.catch(() => {});
    return done;
  }

  function withStore<T>(run: (memories: OpenMemories) => Promise<T>): Promise<T> {
    return inTurn((project) => withMemories(project, run));
  }

  /** A command of the command line; what it prints is the answer. */
  function runCommand(run: (cli: CliContext) => Promise<number>): Promise<Changed> {
    return inTurn(async ({ cli }) => {
      const said: string[] = [];
      const add = (text: string): void => void said.push(text.replace(/^strata: /, ""));
      const code = await run({ ...cli, say: add, warn: add });
      return { isDone: code === 0, what: said.join("\n") };
    });
  }
}

/** The project as a command sees it that a person has typed. */
async function openHere(options: ActionsOptions, warn: (text: string) => void): Promise<Project> {
  const { clock, env, files, home } = options;
  // OpenCode sets these for the shells of agents, and in its own process.
  const { OPENCODE: _, OPENCODE_PID: __, ...own } = env;
  const cli = withOwnFiles({
    ...{ clock, files, home, warn },
    loadLayers: async () => (await import("../../layers/index.js")).layers,
    folder: options.folder(),
    env: own,
    style: createStyle(false),
    instance: "screen",
    say() {},
    openFile: async (path) => warn(`strata: open ${path}`),
    // A choice in a dialog is the user's own, as is what is typed into a terminal.
    draw() {},
  });
  return openProject(cli);
}

function describe(written: Written, done: string): Changed {
  if (written.kind === "refused") return { isDone: false, what: written.why };
  const what = written.kind === "unchanged" ? "Unchanged" : done;
  return { isDone: true, what: `${written.isKnown ? "Already known" : what}: ${written.memory.title}` };
}

async function keep(project: Project, id: string): Promise<Changed> {
  const candidates = openCandidates(project);
  const [chosen] = findCandidates(await candidates.list(), [id], "/keep");
  if (!chosen) return { isDone: false, what: "it no longer waits" };
  return withMemories(project, async (memories) => {
    const gate = await openGate(project, memories);
    const cause = { operation: "keep", run: randomUUID().slice(0, 8) };
    const nowMs = project.cli.clock.now();
    const { contradicted, written } = await keepCandidate(chosen, {
      candidates,
      cause,
      gate,
      memories,
      nowMs,
    });
    const changed = describe(written, "Remembered");
    return { ...changed, what: [changed.what, ...contradicted].join("\n") };
  });
}

function openRequests({ cli, folders, stateFolder }: Project): ContextRequests {
  const { clock, files } = cli;
  const locate = async (): Promise<string> =>
    (await locateRecord(files, { project: folders.project, stateFolder })).contextRequests;
  return createContextRequests({ clock, files, locate });
}

async function recall(project: Project, memories: OpenMemories, text: string): Promise<readonly Found[]> {
  const search = await openSearch(project, memories);
  await search.waitForMeaning();
  const found = await search.find({ text, limit: MOST_HITS });
  await search.onIdle();
  return found;
}

async function readNotes(
  { cli, folders }: Project,
  session: string,
): Promise<{ path: string; text: string } | undefined> {
  if (!isFileName(session)) return undefined;
  const path = join(folders.sessionMemory, `${session}.md`);
  if ((await cli.files.statItself(path))?.kind !== "file") return undefined;
  const bytes = await cli.files.readFrom(path, 0, { maxBytes: MOST_NOTES_BYTES });
  return bytes && { path, text: decodeText(bytes) };
}
