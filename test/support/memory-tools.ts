import { type AgentChange, createConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import { createMemoryTools } from "../../layers/5-auto-memory/tools/tools.js";
import type { Quotes } from "../../src/conversations/quotes.js";
import { bindTools } from "../../src/host/commands-and-tools.js";
import { createGate } from "../../src/memory/gate/gate.js";
import type { Memory } from "../../src/memory/memory.js";
import type { Found } from "../../src/memory/search/search.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock } from "./fake-clock.js";
import { PROJECT } from "./fake-host.js";
import { createFakeLog } from "./fake-log.js";
import { createKeptMemories } from "./kept-memories.js";
import { createMemoryFiles } from "./memory-files.js";

export interface MemoryToolsGiven {
  memories?: Memory[];
  /** The user's messages, optionally with the agent's text before them. */
  said?: (string | { text: string; asked?: string; atMs?: number })[];
  found?: Found[];
  files?: Record<string, string>;
  quotes?: Quotes;
}

/** Calls the tools as the host does. */
export function openMemoryTools(given: MemoryToolsGiven = {}) {
  const { files = {}, found = [], memories = [], quotes, said = [] } = given;
  const clock = createFakeClock();
  const log = createFakeLog();
  const store = createKeptMemories(...memories);
  const asked: object[] = [];
  const noted: AgentChange[] = [];
  const disk = createMemoryFiles(files);
  const folders = planFolders(PROJECT);
  const conflicts = createConflicts({ clock, files: disk, folder: folders.memory, store });
  const tools = createMemoryTools({
    clock,
    log,
    files: disk,
    folders,
    tellUser: (change) => void noted.push(change),
    conflicts,
    ...(quotes && { quotes: async () => quotes }),
    memories: store,
    gate: createGate({ memories: store }),
    search: {
      find: async (query) => {
        asked.push(query);
        return found;
      },
    },
    readUsersMessages: async () =>
      said.map((one, n) => ({ id: `msg_${n}`, ...(typeof one === "string" ? { text: one } : one) })),
  });
  const bound = bindTools(tools, { clock, log });
  const context = {
    sessionID: "ses_1",
    messageID: "msg_a",
    callID: "c",
    abort: new AbortController().signal,
  };
  const run = (name: string) => async (args: object) =>
    String(await bound[`memory_${name}`]?.execute(args as never, context as never));
  return {
    asked,
    disk,
    log,
    noted,
    store,
    tools,
    remember: run("remember"),
    recall: run("recall"),
    update: run("update"),
  };
}
