import { planFolders } from "../folders.js";
import { findGlobalFolder, findStateFolder } from "../host/config-files.js";
import { createRunningProcesses } from "../host/running-processes.js";
import type { MemorySearch } from "../memory/search/search.js";
import type { OpenMemories } from "../memory/store.js";
import type { Own } from "../own/own.js";
import type { Clock } from "../seams/clock.js";
import type { CliContext } from "./command.js";
import { requireProject } from "./find-project.js";
import { createCliLog } from "./log.js";
import { createProgress } from "./progress.js";
import type { Project } from "./project.js";
import type { Settings } from "./settings.js";

/** The instance that the ledger names for changes made by commands. */
const INSTANCE = "cli";

/** Opens the project of the folder in which the command was called. Throws if there is none. */
export async function openProject(cli: CliContext): Promise<Project> {
  const { clock, env, files, home, warn } = cli;
  const root = await requireProject(cli);
  let settings: Promise<Settings> | undefined;
  let own: Promise<Own> | undefined;
  const project: Project = {
    cli,
    root,
    folders: planFolders(root),
    globalFolder: findGlobalFolder({ home, env }),
    processes: createRunningProcesses(),
    log: createCliLog((message) => warn(`strata: ${message}`)),
    settings() {
      settings ??= import("./settings.js").then(({ readSettings }) => readSettings(cli, root));
      return settings;
    },
    async openLocks(instance, given = files) {
      const { createLocks } = await import("../lock/locks.js");
      // A lock may have come with a copy of the project; it is watched until it is known to be dead.
      const onDoubt = (why: string): void => warn(`strata: ${why}; waiting …`);
      return createLocks({ clock, files: given, processes: project.processes, instance, onDoubt });
    },
    own() {
      own ??= openOwn(project);
      return own;
    },
    async openTrust() {
      const { openTrust } = await import("./trust/open-trust.js");
      const { config } = await project.settings();
      return openTrust(cli, { ...pickTrust(project), accepted: config.trust });
    },
    openSearch: (memories) => openSearch(project, memories),
    withMemories: (run) => withMemories(project, run),
  };
  return project;
}

const pickTrust = ({ cli, globalFolder, log, processes, root }: Project) => ({
  ...{ project: root, globalFolder, stateFolder: findStateFolder(cli), processes, log },
  instance: INSTANCE,
});

async function openOwn({ cli, folders, log, processes }: Project): Promise<Own> {
  const { openOwn: open } = await import("../own/own.js");
  const { clock, files } = cli;
  const host = { stateFolder: findStateFolder(cli), processes };
  return open({ clock, files, log, folders, instance: INSTANCE, host });
}

async function withMemories<T>(project: Project, run: (memories: OpenMemories) => Promise<T>): Promise<T> {
  const [{ createMemoryStore }, { createSecretGate }, { keepLaterState }] = await Promise.all([
    import("../memory/store/memory-store.js"),
    import("../memory/secret-gate.js"),
    import("../record/later-state.js"),
  ]);
  const { cli, folders, globalFolder, log } = project;
  const { config } = await project.settings();
  const memories = createMemoryStore({
    trust: await project.openTrust(),
    clock: cli.clock,
    files: keepLaterState(cli.files, log),
    locks: await project.openLocks(INSTANCE),
    log,
    folders,
    globalFolder,
    instance: INSTANCE,
    limits: config.autoMemory,
    gate: createSecretGate(cli.clock),
  });
  const progress = createProgress(cli, "Opening memories");
  try {
    return await run(memories);
  } finally {
    await memories.onIdle();
    progress.end();
  }
}

async function openSearch(
  { cli, folders, log, own }: Project,
  memories: OpenMemories,
): Promise<MemorySearch> {
  const [{ createMemorySearch }, { effectiveImportance }, { default: PQueue }] = await Promise.all([
    import("../memory/search/search.js"),
    import("../memory/rank.js"),
    import("p-queue"),
  ]);
  return createMemorySearch({
    memories,
    clock: keepAwake(cli.clock),
    files: cli.files,
    log,
    background: new PQueue({ concurrency: 1 }),
    sessionMemory: folders.sessionMemory,
    sessions: (await own()).sessions,
    importanceOf: (memory) => effectiveImportance(memory, memories.useOf(memory.id), cli.clock.now()),
  });
}

/** A clock whose timers keep the process alive: between two slices of indexing nothing else does. */
function keepAwake(clock: Clock): Clock {
  return {
    ...clock,
    after(delayMs, action) {
      let isCancelled = false;
      void clock.pause(delayMs).then(() => isCancelled || action());
      return () => {
        isCancelled = true;
      };
    },
  };
}
