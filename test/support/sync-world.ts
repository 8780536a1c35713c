/** Machines that share memories over a git remote, each with its own project, home and state on a real disk. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles } from "../../src/io/node-files.js";
import type { RunningProcesses } from "../../src/io/running-processes.js";
import { createMemoryStore } from "../../src/memory/store/memory-store.js";
import type { Trust } from "../../src/memory/trust/trust.js";
import { planFolders } from "../../src/project/folders.js";
import { createRemoteGit } from "../../src/sync/remote-git.js";
import { createSync } from "../../src/sync/sync.js";
import { openSyncFiles } from "../../src/sync/sync-state.js";
import { createFakeLog } from "./fake-log.js";
import { createFakeProcesses } from "./fake-processes.js";

export type Machine = Awaited<ReturnType<typeof openMachine>>;
export type SyncWorld = ReturnType<typeof openSyncWorld>;

const NETWORK_MS = 60_000;

export function openSyncWorld() {
  const root = mkdtempSync(join(tmpdir(), "strata-sync-"));
  const remote = join(root, "remote.git");
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", remote]);
  return {
    root,
    remote,
    machine: (name: string, { isOwn = true, url = remote }: { url?: string; isOwn?: boolean } = {}) =>
      openMachine(root, name, { url, isOwn }),
    /** The text of every object on the remote, and every ref's name. */
    readObjects: () => readObjects(remote),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const envOf = (root: string): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: join(root, "home"),
  XDG_CONFIG_HOME: join(root, "home", "config"),
  XDG_STATE_HOME: join(root, "home", "state"),
  GIT_CONFIG_NOSYSTEM: "1",
});

async function openMachine(parent: string, name: string, { isOwn, url }: { url: string; isOwn: boolean }) {
  const root = join(parent, name);
  const project = join(root, "project");
  mkdirSync(project, { recursive: true });
  const folders = planFolders(project);
  const place = { scope: "project" as const, folder: join(root, "home", "state", "sync") };
  await openSyncFiles(nodeFiles, place).writeConfig({ url, branch: "strata-memory", isOwn });
  let opened = 0;
  return {
    name,
    root,
    project,
    memory: folders.memory,
    /** Opens store and sync as a new process would; `files` may die. */
    async open({
      files = nodeFiles,
      processes,
      trust,
    }: {
      files?: Files;
      trust?: Trust;
      processes?: RunningProcesses;
    } = {}) {
      const instance = `${name}-${++opened}`;
      // An earlier one of this machine counts as ended.
      const own = processes ?? createFakeProcesses(opened);
      const locks = createLocks({ clock, files, processes: own, instance });
      const store = createMemoryStore({
        ...{ clock, files, folders, instance, locks },
        log: createFakeLog(),
        globalFolder: join(root, "home", "config", "opencode"),
        limits: { maxLines: 200, maxSize: 25_000 },
        ...(trust && { trust }),
      });
      const sync = createSync({
        ...{ clock, files, instance, locks, place },
        exchange: store.exchange,
        git: createRemoteGit(envOf(root)),
        machinePaths: [join(root, "home"), project],
        networkMs: NETWORK_MS,
      });
      return { store, sync };
    },
    /** Texts of all shareable memory files, by path. */
    readFiles: () => readShared(folders.memory),
    /** Lines of the shared ledger, sorted. */
    readLedger: () => readLedger(folders.memory),
  };
}

function readShared(memory: string): Map<string, string> {
  const paths = listAll(memory).filter((path) => /^(archive\/)?[a-z]+\/[^/]+\.md$/.test(path));
  const shared = paths.filter((path) => !/^(archive\/)?(conflicts|private|preference|feedback)\//.test(path));
  return new Map(shared.sort().map((path) => [path, readFileSync(join(memory, path), "utf8")]));
}

function readLedger(memory: string): string[] {
  const names = listAll(join(memory, "ledger")).filter((name) => name.endsWith(".jsonl"));
  return names
    .flatMap((name) => readFileSync(join(memory, "ledger", name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .sort();
}

export function listAll(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(folder.length + 1));
  } catch {
    return [];
  }
}

function readObjects(remote: string): string {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", remote, ...args], { encoding: "latin1", maxBuffer: 1e9 });
  const all = git("cat-file", "--batch-all-objects", "--batch", "--unordered");
  return Buffer.from(`${all}\n${git("for-each-ref")}`, "latin1").toString("utf8");
}
