/**
 * Which sessions ran on this machine, in this project. A repository may contain notes of other sessions, which are not
 * the user's words. Known from the machine's own record, one ID per line, or else from the host: IDs are random, so that
 * a repository cannot contain notes under an ID that the host knows.
 */
import { isAbsolute, relative } from "node:path";
import { formatError } from "../error.js";
import type { Log } from "../record/log.js";
import { type Clock, waitAtMost } from "../seams/clock.js";
import { type Files, readText } from "../seams/files.js";
import type { ProjectRecord } from "./record.js";

/** No call rejects. */
export interface SeenSessions {
  /** Records, once, that this session runs here. */
  note(sessionID: string): Promise<void>;
  /**
   * Returns the sessions that ran here. Asks the host about unknown ones, within `asked`; one without an answer in time
   * counts as not run here, and is asked about again.
   */
  filter(sessionIDs: readonly string[], asked?: AskedBounds): Promise<ReadonlySet<string>>;
}

export interface AskedBounds {
  /** Maximum number of sessions asked about. */
  most: number;
  /** Time limit for all of them; sessions unknown by then count as not run here. */
  withinMs: number;
}

export interface SeenSessionsOptions {
  clock: Clock;
  files: Files;
  log: Log;
  project: string;
  /** Rejects with the system's error. */
  locateRecord(): Promise<ProjectRecord>;
  /** Folder in which the host started the session; absent without a host. */
  findSessionFolder?: ((sessionID: string) => Promise<string | undefined | "unknown">) | undefined;
}

/** Default, for use during a turn: well below the time that a turn waits for its notes. */
const IN_A_TURN: AskedBounds = { most: 20, withinMs: 500 };
const AT_A_TIME = 10;

export function createSeenSessions(options: SeenSessionsOptions): SeenSessions {
  const { clock, files, findSessionFolder, locateRecord, log, project } = options;
  const known = new Set<string>();
  /** Sessions that, according to the host, did not run here. */
  const refused = new Set<string>();
  const asking = new Map<string, Promise<void>>();
  let readBytes = 0;
  let hasFailed = false;

  return {
    note: (sessionID) => write([sessionID]),

    async filter(sessionIDs, asked = IN_A_TURN) {
      const isOpen = (id: string): boolean => !known.has(id) && !refused.has(id);
      if (sessionIDs.some(isOpen))
        await waitAtMost(clock, asked.withinMs, async () => {
          await read();
          await askAll(sessionIDs.filter(isOpen).slice(0, asked.most));
        });
      return new Set(sessionIDs.filter((id) => known.has(id)));
    },
  };

  async function askAll(sessionIDs: readonly string[]): Promise<void> {
    if (!findSessionFolder) return;
    const waiting = [...sessionIDs];
    const askOn = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await askOnce(id);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, askOn));
  }

  function askOnce(sessionID: string): Promise<void> {
    const running = asking.get(sessionID) ?? ask(sessionID).finally(() => asking.delete(sessionID));
    asking.set(sessionID, running);
    return running;
  }

  async function ask(sessionID: string): Promise<void> {
    const folder = await findSessionFolder?.(sessionID);
    if (folder === "unknown") return;
    if (folder !== undefined && (await isHere(files, folder, project))) await write([sessionID]);
    else refused.add(sessionID);
  }

  async function read(): Promise<void> {
    await guard(async () => {
      const { sessions } = await locateRecord();
      const bytes = (await files.stat(sessions))?.bytes ?? 0;
      if (bytes === readBytes) return;
      const text = (await readText(files, sessions)) ?? "";
      for (const id of text.split("\n")) if (id !== "") known.add(id);
      readBytes = bytes;
    });
  }

  async function write(sessionIDs: readonly string[]): Promise<void> {
    const fresh = sessionIDs.filter((id) => !known.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) known.add(id);
    await guard(async () => {
      const { sessions } = await locateRecord();
      for (const id of fresh) await files.appendLine(sessions, id);
    });
  }

  async function guard(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      if (!hasFailed)
        log.warn("owner", `cannot record which sessions ran on this machine: ${formatError(thrown)}`);
      hasFailed = true;
    }
  }
}

/** In this project, or in a folder that no longer exists: a moved project keeps its notes. */
async function isHere(files: Files, folder: string, project: string): Promise<boolean> {
  // A folder that cannot be read exists.
  const realPath = (path: string): Promise<string | undefined> => files.realPath(path).catch(() => path);
  const [place, top] = await Promise.all([realPath(folder), realPath(project)]);
  return place === undefined || isWithin(place, top ?? project) || isWithin(folder, project);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(isAbsolute(way) || way === ".." || /^\.\.[\\/]/.test(way));
}
