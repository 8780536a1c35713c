import type { Locks } from "../io/locks.js";
import { typesOutOfGit } from "../memory/kept-out.js";
import { createSecretGate } from "../memory/secret-gate.js";
import type { KeepOutOptions } from "../memory/store/keep-out.js";
import { createMemoryStore } from "../memory/store/memory-store.js";
import type { OpenMemories } from "../memory/store.js";
import type { Trust } from "../memory/trust/trust.js";
import { readTracked } from "../project/git-index.js";
import { openLocks } from "./open-locks.js";
import { openTrust } from "./open-trust.js";
import { createProgress } from "./progress.js";
import type { Project } from "./project.js";

/** Opens the store beside any other process that has it open, and closes it when `run` is done and all is written. */
export async function withMemories<T>(
  project: Project,
  run: (memories: OpenMemories) => Promise<T>,
): Promise<T> {
  const { cli, instance } = project;
  const memories = await openMemories(project, {
    trust: await openTrust(project),
    locks: openLocks(project, instance),
  });
  const progress = createProgress(cli, "Opening memories");
  try {
    return await run(memories);
  } finally {
    await memories.onIdle();
    progress.end();
  }
}

/** Opens the store, also while other processes have it open. `onIdle` waits until everything is written. */
export async function openMemories(
  project: Project,
  { locks, trust }: { locks: Locks; trust: Trust },
): Promise<OpenMemories> {
  const { cli, folders, globalFolder, instance, log } = project;
  const { clock, files } = cli;
  const { config } = await project.settings();
  return createMemoryStore({
    ...{ clock, log, folders, globalFolder, instance, trust, locks },
    files,
    limits: config.autoMemory,
    gate: createSecretGate(clock),
    ...(await planKeepOut(project)),
  });
}

/** Which memories stay out of git. */
async function planKeepOut(project: Project): Promise<Omit<KeepOutOptions, "files">> {
  const { cli, folders } = project;
  const { config } = await project.settings();
  return {
    keepOutOfGit: typesOutOfGit(config, folders),
    listTracked: () => readTracked(cli.files, folders.memoryProject),
  };
}
