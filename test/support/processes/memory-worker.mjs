/**
 * A process that changes ten memories in turn until it has done so many changes or is killed. Each memory holds a count
 * for every such process. It says what it has been promised to be on disk: "ack <id> <count>". It runs the built
 * package, as the host does, because a hundred of them have to start.
 *
 *     node memory-worker.mjs <project> <name> <changes>
 */
import { join } from "node:path";
import { planFolders } from "../../../dist/src/folders.js";
import { createRunningProcesses } from "../../../dist/src/host/running-processes.js";
import { createLocks } from "../../../dist/src/lock/locks.js";
import { createMemoryStore } from "../../../dist/src/memory/store/memory-store.js";
import { systemClock as clock } from "../../../dist/src/seams/clock.js";
import { nodeFiles as files } from "../../../dist/src/seams/node-files.js";

const [project, name, changes] = process.argv.slice(2);
const write = () => {};
const log = { error: write, warn: write, info: write, debug: write };
const locks = createLocks({ clock, files, processes: createRunningProcesses(), instance: name });
const store = createMemoryStore({
  clock,
  files,
  locks,
  log,
  instance: name,
  folders: planFolders(project),
  globalFolder: join(project, "global"),
  limits: { maxLines: 200, maxSize: 25_000 },
});

const withOneMore = (memory) => {
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
