import { join } from "node:path";
import {
  type Conversations,
  type ConversationsOptions,
  createConversations,
} from "../../src/conversations/conversations.js";
import type { Line, SessionHead } from "../../src/conversations/lines.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { createFakeClock, MORNING } from "./fake-clock.js";
import { createFakeLog } from "./fake-log.js";
import { createFakeProcesses } from "./fake-processes.js";
import type { MemoryFiles } from "./memory-files.js";

export const SHOP: SessionHead = { id: "ses_shop", project: "/home/me/shop", title: "Moving the server" };
export const BLOG: SessionHead = { id: "ses_blog", project: "/home/me/blog", title: "A new theme" };

/** An index on the real disk, in this folder. */
export function openConversations(
  scratch: string,
  more: Partial<ConversationsOptions> = {},
): Conversations & { path: string; log: ReturnType<typeof createFakeLog> } {
  const clock = createFakeClock();
  const log = createFakeLog();
  const folder = join(scratch, "conversations");
  const given = { clock, files: nodeFiles, processes: createFakeProcesses() };
  const locks = createLocks({ ...given, instance: `test ${Math.random()}` });
  const options = { clock, files: nodeFiles, locks, log, folder, maxBytes: 200_000_000, ...more };
  return { ...createConversations(options), path: join(folder, "index.db"), log };
}

/** SQLite opens its own file, so this folder of the files in memory is a real one. */
export const withRealFolder = (memory: MemoryFiles, folder: string): MemoryFiles =>
  new Proxy(memory, {
    get(target, name) {
      const own = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]) =>
        (String(given[0]).startsWith(folder) ? Reflect.get(nodeFiles, name) : own).apply(undefined, given);
    },
  });

/** One message; each is a minute after the one before. */
export const said = (minute: number, text: string, by: Line["by"] = "user"): Line => ({
  messageID: `msg_${minute}`,
  atMs: MORNING + minute * 60_000,
  by,
  text,
});
