/** The memories of a project, as a command sees them. */
import { StrataError } from "../error.js";
import { planFolders } from "../folders.js";
import { findGlobalFolder } from "../host/config-files.js";
import { createRunningProcesses } from "../host/running-processes.js";
import { createLocks, type Locks } from "../lock/locks.js";
import type { Memory } from "../memory/memory.js";
import { findMemories } from "../memory/search/find.js";
import { createSecretGate } from "../memory/secret-gate.js";
import { createMemoryStore } from "../memory/store/memory-store.js";
import type { Memories, OpenMemories, Written } from "../memory/store.js";
import { keepLaterState } from "../record/later-state.js";
import { type ExitCode, exitCodes, type Surroundings } from "./command.js";
import { createProgress } from "./progress.js";
import { requireProject } from "./project.js";
import { readSettings } from "./settings.js";
import { openTrust } from "./trust/open-trust.js";

/** Who changes something, in the ledger. */
const INSTANCE = "cli";

/**
 * Locks that count in all processes. Two of one name in one process would take each other for gone. A lock that came
 * with a copy of the project, and that no command could wait for, is looked at until it is known for dead.
 */
export function openLocks({ clock, files, warn }: Surroundings, instance: string): Locks {
  const onDoubt = (why: string): void => warn(`strata: ${why}; looking on …`);
  return createLocks({ clock, files, processes: createRunningProcesses(), instance, onDoubt });
}

/** Opens the store beside whoever else has it open, and lets go of it when `run` is done. */
export async function withMemories<T>(
  surroundings: Surroundings,
  run: (memories: OpenMemories, project: string) => Promise<T>,
): Promise<T> {
  const { clock, env, files, home, warn } = surroundings;
  const project = await requireProject(surroundings);
  const { config } = await readSettings(surroundings, project);
  const say = (_source: string, message: string): void => warn(`strata: ${message}`);
  const log = { error: say, warn: say, info() {}, debug() {} };
  const memories = createMemoryStore({
    trust: await openTrust(surroundings, project, config.trust),
    clock,
    files: keepLaterState(files, log),
    locks: openLocks(surroundings, INSTANCE),
    log,
    folders: planFolders(project),
    globalFolder: findGlobalFolder({ home, env }),
    instance: INSTANCE,
    limits: config.autoMemory,
    gate: createSecretGate(clock),
  });
  const progress = createProgress(surroundings, "Opening the memory");
  try {
    return await run(memories, project);
  } finally {
    await memories.onIdle();
    progress.end();
  }
}

/**
 * The one memory that this id, or the end of an id, or a part of a title means; with `archived` one in the archive where
 * there is such a one, with `false` none from there. Throws where it is none or several.
 */
export async function requireMemory(
  memories: Memories,
  words: string,
  options: { archived?: boolean } = {},
): Promise<Memory> {
  const all = await memories.list({ archived: true });
  const isAway = ({ status }: Memory): boolean => status === "archived";
  const wanted = options.archived === false ? all.filter((one) => !isAway(one)) : all;
  const inArchive = options.archived ? findMemories(all.filter(isAway), words) : [];
  const found = inArchive.length > 0 ? inArchive : findMemories(wanted, words);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (!only)
    throw new StrataError("NO_MEMORY", `no memory is meant by "${words}"; strata list has all of them`);
  const ids = found.slice(0, 5).map(({ id }) => id);
  throw new StrataError(
    "MANY_MEMORIES",
    `"${words}" means ${found.length} memories, such as ${ids.join(", ")}; give the whole id`,
  );
}

/** Says what became of a change. */
export function reportWritten({ say, warn }: Surroundings, written: Written, what: string): ExitCode {
  if (written.kind === "refused") {
    warn(`strata: ${written.why}`);
    return exitCodes.failed;
  }
  const done = written.kind === "unchanged" ? "Already so" : what;
  say(`${written.isKnown ? "Known already" : done}: ${written.memory.id}  ${written.path}`);
  return exitCodes.fine;
}
