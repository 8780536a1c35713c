/** A project on a real disk with real git, with its memory store and this machine's record of trust. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createGit } from "../../src/io/node-git.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { createMemoryStore } from "../../src/memory/store/memory-store.js";
import { createTrust, type TrustOptions } from "../../src/memory/trust/trust.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeLog } from "./fake-log.js";

export type TrustWorld = ReturnType<typeof openTrustWorld>;
export type TrustProject = ReturnType<typeof openProject>;
export type OpenedProject = ReturnType<TrustProject["open"]>;

/** A folder for several projects of one user. */
export function openTrustWorld() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "strata-trust-")));
  const state = join(root, "home", "state");
  return {
    root,
    state,
    project: (name: string) => openProject(join(root, name), { root, state }),
    remove: () => rmSync(root, { recursive: true, force: true }),
    /** Waits until the disk's coarse clock gives later files a later time. */
    later: () => untilDiskMoves(root),
  };
}

/** Waits until new files get a later time than all existing files and than a turn that has ended. */
export function untilDiskMoves(folder: string): void {
  const path = join(folder, "clock");
  const read = (): number => {
    writeFileSync(path, "");
    return statSync(path).ctimeMs;
  };
  const begun = read();
  const idle = new Int32Array(new SharedArrayBuffer(4));
  // Leaves the core to other processes between two reads.
  while (read() < begun + 120) Atomics.wait(idle, 0, 0, 5);
}

function openProject(path: string, { root, state }: { root: string; state: string }) {
  mkdirSync(path, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["user.name=Ada", "user.email=ada@example.invalid", "protocol.file.allow=always"];
  const file = (relativePath: string): string => join(path, relativePath);
  const run = (args: readonly string[], input?: string): string =>
    execFileSync("git", [...who.flatMap((one) => ["-c", one]), ...args], {
      cwd: path,
      env,
      encoding: "utf8",
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      ...(input !== undefined && { input }),
    });
  return {
    path,
    file,
    write(relativePath: string, text: string): void {
      mkdirSync(dirname(file(relativePath)), { recursive: true });
      writeFileSync(file(relativePath), text);
    },
    git: (...args: string[]): string => run(args),
    /** Runs git with `input` on standard input. */
    feed: run,
    /** Opens the project as a running instance or, if brief, as a command does. */
    open(options: Partial<TrustOptions> = {}) {
      const told: string[] = [];
      const log = createFakeLog();
      const processes = createRunningProcesses();
      const instance = options.instance ?? "one";
      const globalFolder = join(root, "home", "config");
      const trust = createTrust({
        ...{ clock, files, log, processes, instance, globalFolder, project: path, stateFolder: state },
        git: createGit(),
        accepted: { projects: [], remotes: [] },
        onForeign: (cause, count) => void told.push(`${count} ${cause}`),
        ...options,
      });
      const store = createMemoryStore({
        ...{ clock, files, log, instance, globalFolder, trust },
        folders: planFolders(path),
        locks: createLocks({ clock, files, processes, instance }),
        limits: { maxLines: 200, maxSize: 25_000 },
      });
      return {
        trust,
        store,
        told,
        warned: log.lines,
        /** Ids of the memories; a `?` marks those that are not the user's. */
        async list(): Promise<string[]> {
          const all = await store.list({ archived: true });
          return all.map(({ id, isForeign }) => `${id}${isForeign ? "?" : ""}`).sort();
        },
      };
    },
  };
}

export const read = (path: string): string => readFileSync(path, "utf8");
