/**
 * The screen as a door: what its pages read and change, with the store, the locks and the ledger of the command line. A
 * chunk of its own, loaded with the first page: the sidebar needs none of it.
 *
 * One action after the other: two stores of one process that are open at once would each take the other for gone.
 */
import { basename } from "node:path";
import { StrataError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { planPaths, readNotes } from "../notes/session-files.js";
import { type CliContext, plainStyle } from "../operations/command.js";
import { findEditor, openEditor } from "../operations/edit.js";
import {
  type Answer,
  createTerminalCore,
  formatForPage,
  perform,
  withCore,
} from "../operations/operation.js";
import { openProject, type Project, withSafeFiles } from "../operations/project.js";
import { operations } from "../operations/table.js";
import { isFileName } from "../project/folders.js";

export type OperationName = keyof typeof operations;

/** A change, in words for the user. */
export interface Changed {
  isDone: boolean;
  what: string;
}

export interface ActionsOptions {
  clock: Clock;
  files: Files;
  folder(): string;
  home: string;
  env: CliContext["env"];
  whileSuspended<T>(run: () => Promise<T>): Promise<T>;
}

export type Actions = ReturnType<typeof createActions>;

/** Every call rejects with a `StrataError` that says why, or with the system's error. */
export function createActions(options: ActionsOptions) {
  const { env, whileSuspended } = options;
  let last: Promise<unknown> = Promise.resolve();
  const ask = (name: OperationName, input: object = {}, session?: { session: string }) =>
    inTurn((project) =>
      withCore(project, "person", (core) => perform({ ...core, ...session }, operations[name], input)),
    );

  return {
    /** What an operation answers to programs; `session`: on the screen, so what was said in it is not quoted. */
    read: async <T>(name: OperationName, input?: object, session?: string) =>
      (await ask(name, input, session === undefined ? undefined : { session })).data as T,
    /** Runs an operation and says what came of it, also if it was refused. */
    async change(name: OperationName, input?: object): Promise<Changed> {
      try {
        return { isDone: true, what: formatForPage(await ask(name, input)) };
      } catch (thrown) {
        if (thrown instanceof StrataError) return { isDone: false, what: thrown.message };
        throw thrown;
      }
    },
    /** Opens the memory's file in the user's editor. */
    editMemory: (id: string): Promise<Changed> =>
      inTurn(async (project) => {
        const core = createTerminalCore(project, "person");
        const run = (): Promise<Answer> => perform(core, operations["edit file"], { name: id });
        const { isProblem = false, notes = [], text } = await whileSuspended(run);
        return { isDone: !isProblem, what: [text, ...notes].filter(Boolean).join("\n") };
      }),
    readNotes: (session: string) => inTurn((project) => readPage(project, session)),
    /** The user's editor; `undefined` if none is set. */
    editor: () => findEditor(env),
    editFile: (path: string): Promise<Changed> =>
      inTurn(async () => {
        await whileSuspended(() => openEditor(env, path));
        return { isDone: true, what: `Closed ${basename(path)}` };
      }),
  };

  function inTurn<T>(run: (project: Project) => Promise<T>): Promise<T> {
    const done = last.then(async () => run(await openHere(options)));
    last = done.catch(() => {});
    return done;
  }
}

/** The project as a command sees it that a person has typed. */
async function openHere({ clock, env, files, folder, home }: ActionsOptions): Promise<Project> {
  // OpenCode sets these for the shells of agents, and in its own process.
  const { OPENCODE: _, OPENCODE_PID: __, ...own } = env;
  const cli = withSafeFiles({
    ...{ clock, files, home },
    loadLayers: async () => (await import("../../layers/index.js")).layers,
    folder: folder(),
    env: own,
    style: plainStyle,
    instance: "screen",
    say() {},
    warn() {},
    openFile: async () => {},
    // A choice in a dialog is the user's own, as is what is typed into a terminal.
    draw() {},
  });
  return openProject(cli);
}

/** `undefined` too if they are no text. */
async function readPage(
  { cli, folders }: Project,
  session: string,
): Promise<{ path: string; text: string } | undefined> {
  if (!isFileName(session)) return undefined;
  const path = planPaths(folders.sessionMemory, session).notes;
  const { text } = { text: undefined, ...(await readNotes(cli.files, path)) };
  return text === undefined ? undefined : { path, text };
}
