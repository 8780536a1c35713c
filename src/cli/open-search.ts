import PQueue from "p-queue";
import { effectiveImportance } from "../memory/rank.js";
import { createMemorySearch, type MemorySearch } from "../memory/search/search.js";
import type { OpenMemories } from "../memory/store.js";
import type { Clock } from "../seams/clock.js";
import { openOwnState } from "./open-own.js";
import type { Project } from "./project.js";

export function openSearch(project: Project, memories: OpenMemories): MemorySearch {
  const { cli, folders, log } = project;
  const { clock, files } = cli;
  return createMemorySearch({
    ...{ memories, files, log },
    clock: keepAwake(clock),
    background: new PQueue({ concurrency: 1 }),
    sessionMemory: folders.sessionMemory,
    sessions: openOwnState(project).sessions,
    importanceOf: (memory) => effectiveImportance(memory, memories.useOf(memory.id), clock.now()),
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
