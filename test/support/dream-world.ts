import { type RunOptions, runDream } from "../../layers/6-dream/dream.js";
import { listExpired } from "../../layers/6-dream/put-away.js";
import { layers } from "../../layers/index.js";
import { DAY_MS } from "../../src/base/days.js";
import type { Files } from "../../src/io/files.js";
import { createLocks } from "../../src/io/locks.js";
import { kernelFiles } from "../../src/kernel/file-kinds.js";
import { readDreamState } from "../../src/project/dream-state.js";
import { planFolders } from "../../src/project/folders.js";
import { PROJECT } from "./fake-host.js";
import { createFakeLog } from "./fake-log.js";
import { createFakeProcesses } from "./fake-processes.js";
import { MEMORY, type MemoryWorld, openMemoryWorld } from "./memory-world.js";

export type DreamWorld = ReturnType<typeof openDreamWorld>;

interface DreamWorldOptions extends Pick<MemoryWorld, "files" | "clock"> {
  wrap?: (files: Files) => Files;
  processID?: number;
  instance?: string;
  /** Other running processes. */
  running?: readonly number[];
}

const kinds = [...kernelFiles, ...layers.flatMap(({ files }) => files)];

/** A world for dreams, with memories in in-memory files. */
export function openDreamWorld(given: Partial<DreamWorldOptions> = {}) {
  const log = createFakeLog();
  const world = openMemoryWorld({ ...given, log });
  const { clock, store: memories } = world;
  const files = given.wrap?.(world.files) ?? world.files;
  const instance = given.instance ?? "a";
  const processes = createFakeProcesses(given.processID);
  for (const id of given.running ?? []) processes.running.add(id);
  const locks = createLocks({ clock, files, processes, instance });
  const parts = {
    clock,
    files,
    folders: planFolders(PROJECT),
    locks,
    log,
    memories,
    listExpired: () => listExpired({ clock, files, folders: planFolders(PROJECT), processes }, kinds),
  };
  return {
    ...world,
    log,
    /** Runs a scheduled dream, without a model. */
    dream: (options: Partial<RunOptions> = {}) => runDream(parts, { maxRuntimeMs: 60_000, ...options }),
    dreamState: () => readDreamState(files, parts.folders.dreamState),
    /** Text of each memory file, by path. */
    texts: () =>
      new Map(
        world
          .paths()
          .filter((path) => path.endsWith(".md") && !/(^|\/)(MEMORY|DREAMS)\.md$/.test(path))
          .sort()
          .map((path) => [path, world.files.text(`${MEMORY}/${path}`) ?? ""]),
      ),
    /** The change log. */
    page: () => world.files.text(`${MEMORY}/DREAMS.md`) ?? "",
  };
}

/** State after a year of weekly dreams. */
export function putDreamDays({ clock, files }: Pick<MemoryWorld, "clock" | "files">): void {
  const days = Array.from({ length: 52 }, (_, n) =>
    new Date(clock.now() - (52 - n) * 7 * DAY_MS).toISOString().slice(0, 10),
  );
  files.contents.set(planFolders(PROJECT).dreamState, Buffer.from(JSON.stringify({ v: 1, days })));
}

/** Writes a memory file by hand. */
export function putMemory(
  { files }: Pick<MemoryWorld, "files">,
  id: string,
  content: string,
  front: Record<string, unknown> = {},
): void {
  const lines = Object.entries({ created: CREATED, updated: CREATED, ...front }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}\n`,
  );
  files.contents.set(`${MEMORY}/${id}.md`, Buffer.from(`---\n${lines.join("")}---\n${content}\n`));
}

/** The day before the fake clock's. */
export const CREATED = "2026-11-20T09:00:00.000Z";
