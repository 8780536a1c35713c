/**
 * A process that changes ten memories in turn until it has made all its changes or is killed. Each memory has a count
 * per process. It prints each change that the store promised to be on disk: "ack <id> <count>". The script is bundled,
 * because a hundred of these processes have to start.
 *
 *     <project> <name> <changes>
 */
import { join } from "node:path";
import { systemClock as clock } from "../../../src/io/clock.js";
import { createLocks } from "../../../src/io/locks.js";
import { nodeFiles as files } from "../../../src/io/node-files.js";
import { createRunningProcesses } from "../../../src/io/running-processes.js";
import type { Memory } from "../../../src/memory/memory.js";
import { createMemoryStore } from "../../../src/memory/store/memory-store.js";
import { planFolders } from "../../../src/project/folders.js";
import { createFakeLog } from "../fake-log.js";

const [project = "", name = "", changes] = process.argv.slice(2);
const locks = createLocks({ clock, files, processes: createRunningProcesses(), instance: name });
const store = createMemoryStore({
  clock,
  files,
  locks,
  log: createFakeLog(),
  instance: name,
  folders: planFolders(project),
  globalFolder: join(project, "global"),
  limits: { maxLines: 200, maxSize: 25_000 },
});

const withOneMore = (memory: Memory): Memory => {
  const counts = JSON.parse(memory.content);
  return { ...memory, content: JSON.stringify({ ...counts, [name]: (counts[name] ?? 0) + 1 }) };
};

for (let n = 0; n < Number(changes); n++) {
  const id = `decision/key-${n % 10}`;
  const written = await store.update(id, withOneMore, { operation: "count" });
  if (written.kind !== "written") throw new Error(`${id}: ${JSON.stringify(written)}`);
  process.stdout.write(`ack ${id} ${JSON.parse(written.memory.content)[name]}\n`);
}
await store.onIdle();
process.stdout.write("done\n");
