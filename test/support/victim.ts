/**
 * A user's home on a real disk with files in every folder above the memory, a hostile project in it, and a watch on all
 * access to those files and to anything outside the project.
 */
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, sep } from "node:path";
import { systemClock as clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { createMemoryStore } from "../../src/memory/store/memory-store.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeLog } from "./fake-log.js";
import { createFakeProcesses } from "./fake-processes.js";
import { runStrata } from "./shell.js";

/** Name of the file in every folder from the project's up to the one above the home. */
export const CANARY = "keep.conf";
export const PRECIOUS = "customers: Alice Example, owes 12000 EUR\n";
/** Their folders, relative to the memory folder. */
export const UP: readonly string[] = [1, 2, 3, 4, 5].map((depth) => "../".repeat(depth));
export const INTERNAL = ".opencode/strata/state/memory/internal";
export const MEMORY = ".opencode/memory";

export type Victim = ReturnType<typeof openVictim>;

export function openVictim() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "strata-victim-")));
  const home = join(root, "home");
  const project = join(home, "work", "clone");
  const globalFolder = join(home, ".config", "opencode");
  const state = join(home, ".local", "state");
  /** Identifies the project on this machine; a clone does not contain it. */
  const idFile = join(project, ".git", "opencode-strata-id");
  const own = [join(project, MEMORY), join(project, ".opencode", "strata"), globalFolder];
  const strayed: string[] = [];
  // Commands also read the project's configuration, and doctor tests whether its folders are writable.
  const isOwn = (path: string): boolean =>
    basename(path) !== CANARY &&
    [project, globalFolder, join(state, "opencode-strata")].some(
      (one) => path === one || path.startsWith(one + sep),
    );
  const watched = watchFiles(nodeFiles, (operation, path) => {
    if (path.startsWith(root + sep) && !isOwn(path)) strayed.push(`${operation} ${relative(root, path)}`);
  });
  const plant = (path: string, text: string): void => {
    const file = join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  plant(".git/HEAD", "ref: refs/heads/main\n");
  plant(`${MEMORY}/knowledge/api.md`, "The API listens on 8080.\n");
  mkdirSync(globalFolder, { recursive: true });
  for (const up of UP) writeFileSync(join(project, MEMORY, up, CANARY), PRECIOUS);

  return {
    home,
    project,
    files: watched,
    /** Reads, writes and removals of the user's files and outside the project. */
    strayed: strayed as readonly string[],
    /** Writes a file of the project. */
    plant,
    /** Creates a link at this path of the project to a folder or file of the user. */
    link(path: string, target: string): void {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      symlinkSync(target, join(project, path));
    },
    text: (path: string): string => readFileSync(join(project, path), "utf8"),

    /** All files outside the folders that memory may use, by path. */
    snapshot(): Map<string, string> {
      const found = new Map<string, string>();
      const visit = (folder: string): void => {
        for (const entry of readdirSync(folder, { withFileTypes: true })) {
          const path = join(folder, entry.name);
          if (path === own[0] || path === own[1] || path === state || path === idFile) continue;
          if (entry.isDirectory()) visit(path);
          else if (entry.isFile()) found.set(relative(root, path), readFileSync(path, "utf8"));
        }
      };
      visit(root);
      return found;
    },

    openStore() {
      const log = createFakeLog();
      const locks = createLocks({ clock, files: watched, processes: createFakeProcesses(), instance: "a" });
      const folders = planFolders(project);
      const limits = { maxLines: 200, maxSize: 25_000 };
      const common = { clock, files: watched, locks, log, instance: "a" };
      return { store: createMemoryStore({ ...common, folders, globalFolder, limits }), log };
    },

    strata: (line: string) =>
      runStrata(watched, line, {
        folder: project,
        env: { XDG_CONFIG_HOME: join(home, ".config"), XDG_STATE_HOME: state },
      }),

    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** A forged ledger line. */
export function forge(line: {
  path: string;
  from?: string;
  key?: string;
  was?: string;
  becomes?: string;
  at?: string;
  run?: string;
}): Record<string, unknown> {
  const { at = "2026-01-01T00:00:00.000Z", becomes, from, key = "knowledge/api", path, run, was } = line;
  return {
    v: 1,
    id: hash(JSON.stringify(line)),
    at,
    instance: "00000000",
    by: "strata",
    key,
    operation: "edit",
    path,
    ...(from !== undefined && { from }),
    ...(run !== undefined && { run }),
    before: was === undefined ? null : hash(was),
    after: from !== undefined ? hash(was ?? "") : becomes === undefined ? null : hash(becomes),
    ...(becomes !== undefined && { contents: becomes }),
  };
}

export const LEDGER_FILE = "2026-01-00000000.jsonl";

export function plantLedger({ plant }: Victim, lines: readonly object[]): void {
  plant(`${MEMORY}/ledger/${LEDGER_FILE}`, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

export function plantPending({ plant }: Victim, lines: readonly object[], ledgerFile = LEDGER_FILE): void {
  const texts = lines.map((line) => JSON.stringify(line));
  plant(`${INTERNAL}/pending.json`, JSON.stringify({ ledger: { [ledgerFile]: texts }, steps: lines }));
}

/** Reports the real path of each file that is read or changed, with links resolved. */
function watchFiles(files: Files, tell: (operation: string, path: string) => void): Files {
  const real = (path: string): string => {
    try {
      return realpathSync(path);
    } catch {
      return dirname(path) === path ? path : join(real(dirname(path)), basename(path));
    }
  };
  return new Proxy(files, {
    get(target, name: keyof Files) {
      const action = target[name] as (...args: unknown[]) => Promise<never>;
      const operation = WATCHED[name];
      if (operation === undefined) return action;
      return async (...args: [string, ...unknown[]]) => {
        const [path, to] = args;
        const paths =
          name === "rename" ? [dirname(path), String(to)] : [name === "remove" ? dirname(path) : path];
        for (const one of paths) if (!one.includes("\0")) tell(operation, real(one));
        return action(...args);
      };
    },
  });
}

const WATCHED: Partial<Record<keyof Files, string>> = {
  read: "read",
  readFrom: "read",
  writeWhole: "write",
  create: "write",
  appendLine: "write",
  rename: "write",
  remove: "remove",
};
