import { join } from "node:path";
import { formatError } from "../base/error.js";
import type { Locks } from "../io/locks.js";
import { planPrivateTypes } from "../memory/memory.js";
import { createMemoryStore } from "../memory/store/memory-store.js";
import type { OpenMemories } from "../memory/store/store.js";
import { createTurns } from "../memory/trust/record.js";
import { createTrust, type Trust, TURNS } from "../memory/trust/trust.js";
import { createProgress } from "./command.js";
import { isInAgentsShell, openLocks, type Project } from "./project.js";

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
    privateTypes: planPrivateTypes(config, folders),
  });
}

/**
 * Opens the trust for a command. It is `isBrief`: writes nothing unless the user changes something. For `isToolServer` see
 * `TrustOptions`.
 */
export async function openTrust(
  project: Project,
  { isToolServer = false }: { isToolServer?: boolean } = {},
): Promise<Trust> {
  const { cli, globalFolder, instance, log, processes, root, stateFolder } = project;
  const { config } = await project.settings();
  return createTrust({
    ...{ clock: cli.clock, files: cli.files, log, processes, instance, globalFolder, stateFolder },
    project: root,
    // Loaded when it is asked about a file of which nothing is known.
    git: { ask: async (...asked) => (await import("../io/node-git.js")).createGit().ask(...asked) },
    accepted: config.trust,
    isBrief: true,
    ...(isToolServer ? { isToolServer } : { isAgent: await isAgents(project) }),
  });
}

/**
 * Is a command that changes something an agent's? A process that an agent left in the background has lost every trace of
 * it. So while an agent is working anywhere on this machine, only a command typed into a terminal counts as the user's.
 */
export async function isAgents({ cli, instance, processes, stateFolder }: Project): Promise<boolean> {
  const { clock, draw, files, warn } = cli;
  if (await isInAgentsShell(cli)) return true;
  if (draw) return false;
  const turns = createTurns({
    ...{ clock, files, processes, instance },
    folder: join(stateFolder, TURNS),
    onFailure: (thrown) => warn(`strata: ${formatError(thrown)}`),
  });
  const isInTurn = await turns.findWindows(clock.now()).catch(() => () => false);
  return isInTurn(clock.now());
}
