/** What belongs to this machine in a project: its files, the marks on them, and the sessions that ran here. */
import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { formatError } from "../base/error.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import { type Files, readText } from "../io/files.js";
import type { Host } from "../io/host.js";
import { createLocks } from "../io/locks.js";
import type { Log } from "../io/log.js";
import type { Folders } from "./folders.js";
import { createStateOwner, locateRecord, type ProjectRecord } from "./state-owner.js";

export type Own = ReturnType<typeof openOwn>;

interface OwnOptions {
  clock: Clock;
  files: Files;
  log: Log;
  folders: Folders;
  instance: string;
  host: Pick<Host, "stateFolder" | "processes">;
}

/** Touches nothing until first used. */
export function openOwn({ clock, files, folders, host, instance, log }: OwnOptions) {
  const { processes, stateFolder } = host;
  const { project, strata } = folders;
  const locate = () => locateRecord(files, { project, stateFolder });
  const owner = createStateOwner({
    files,
    log,
    // With the same name, two locks in one process would take each other for abandoned.
    locks: createLocks({ clock, files, processes, instance: `${instance} owner` }),
    project,
    state: join(strata, "state"),
    locateRecord: locate,
  });
  const locateChecked = async (): Promise<ProjectRecord> => {
    // If the project was moved, its record moves with its state.
    await owner.check();
    return locate();
  };
  return {
    /** Includes the machine state shared by all sessions, but only if this machine wrote it. */
    files: owner.files,
    /** Marks lines that this user's machine wrote. */
    seal: createSeal({ files, log, stateFolder }),
    /** The sessions that ran on this machine. */
    sessions: createSeenSessions({ clock, files, log, locateRecord: locateChecked }),
    /** Paths of this machine's record of the project. Rejects with the system's error. */
    locateRecord: locateChecked,
  };
}

const KEY_BYTES = 32;
const MARK_CHARACTERS = 16;

export function createSeal(given: Pick<OwnOptions, "files" | "log"> & { stateFolder: string }) {
  const { files, log, stateFolder } = given;
  const path = join(stateFolder, "key");
  let key: Promise<Buffer> | undefined;

  return {
    /**
     * The mark of this text, the same in all processes of this user. If the key is unavailable, the mark is valid in this
     * process only. Never rejects.
     */
    async mark(text: string): Promise<string> {
      key ??= readKey().catch((thrown) => {
        log.warn(
          "owner",
          `${path} cannot be used, so only errors.log lines of this process are used: ${formatError(thrown)}`,
        );
        return randomBytes(KEY_BYTES);
      });
      const hash = createHmac("sha256", await key)
        .update(text)
        .digest("base64url");
      return hash.slice(0, MARK_CHARACTERS);
    },
  };

  /** Creates the key once for all processes; only one of two concurrent attempts succeeds. */
  async function readKey(): Promise<Buffer> {
    if (!(await files.stat(path))) await files.create(path, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
    const text = ((await readText(files, path)) ?? "").trim();
    if (!/^[0-9a-f]{64}$/.test(text))
      throw new Error(
        "expected 64 hexadecimal digits; delete the file to make a new key (earlier errors.log lines are then not used)",
      );
    return Buffer.from(text, "hex");
  }
}

export type SeenSessions = ReturnType<typeof createSeenSessions>;

/** Well below the time that a turn waits for its notes. */
const WITHIN_MS = 500;

/** No call rejects. */
export function createSeenSessions(
  given: Pick<OwnOptions, "clock" | "files" | "log"> & { locateRecord(): Promise<ProjectRecord> },
) {
  const { clock, files, locateRecord, log } = given;
  const known = new Set<string>();
  let readBytes = 0;

  return {
    /** Records, once, that this session runs here. */
    async note(sessionID: string): Promise<void> {
      if (known.has(sessionID)) return;
      known.add(sessionID);
      await guard(async () => files.appendLine((await locateRecord()).sessions, sessionID));
    },

    /** Returns the sessions that ran here; those that the record does not tell in time count as not run here. */
    async filter(sessionIDs: readonly string[]): Promise<ReadonlySet<string>> {
      if (sessionIDs.some((id) => !known.has(id))) await waitAtMost(clock, WITHIN_MS, () => guard(read));
      return new Set(sessionIDs.filter((id) => known.has(id)));
    },
  };

  async function read(): Promise<void> {
    const { sessions } = await locateRecord();
    const bytes = (await files.stat(sessions))?.bytes ?? 0;
    if (bytes === readBytes) return;
    const text = (await readText(files, sessions)) ?? "";
    for (const id of text.split("\n")) if (id !== "") known.add(id);
    readBytes = bytes;
  }

  async function guard(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      log.warn("owner", `cannot record which sessions ran on this machine: ${formatError(thrown)}`);
    }
  }
}
