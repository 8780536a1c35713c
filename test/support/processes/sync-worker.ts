/**
 * A machine's process that remembers, changes a memory that all machines share, and pushes, until it has made all its
 * changes or is killed. It prints each step before it takes it ("step <n>"), and each write that the store confirmed
 * ("ack <content>"). The script is bundled, because many of these processes are started.
 *
 *     <machine's root> <name> <from> <changes>
 */
import { join } from "node:path";
import { createRemoteGit } from "../../../src/host/remote-git.js";
import { systemClock as clock } from "../../../src/io/clock.js";
import type { Files } from "../../../src/io/files.js";
import { createLocks } from "../../../src/io/locks.js";
import { nodeFiles } from "../../../src/io/node-files.js";
import { createRunningProcesses } from "../../../src/io/running-processes.js";
import { createMemoryStore } from "../../../src/memory/store/memory-store.js";
import { planFolders } from "../../../src/project/folders.js";
import { createSync } from "../../../src/sync/sync.js";
import { createFakeLog } from "../fake-log.js";

const [root = "", name = "", from, changes] = process.argv.slice(2);
let steps = 0;
const step = (): void => void process.stdout.write(`step ${++steps}\n`);

const files = new Proxy(nodeFiles, {
  get(target, property) {
    const operation: unknown = Reflect.get(target, property);
    if (typeof operation !== "function") return operation;
    return (...args: unknown[]) => {
      step();
      return Reflect.apply(operation, target, args);
    };
  },
}) as Files;
const remoteGit = createRemoteGit(process.env);
const git: typeof remoteGit = {
  run(args, options) {
    step();
    return remoteGit.run(args, options);
  },
};

const folders = planFolders(join(root, "project"));
const instance = `${name}-${process.pid}`;
const locks = createLocks({ clock, files, processes: createRunningProcesses(), instance });
const store = createMemoryStore({
  ...{ clock, files, folders, instance, locks },
  log: createFakeLog(),
  globalFolder: join(root, "home", "config", "opencode"),
  limits: { maxLines: 200, maxSize: 25_000 },
});
const sync = createSync({
  ...{ clock, files, git, instance, locks },
  exchange: store.exchange,
  place: { scope: "project", folder: join(root, "home", "state", "sync") },
  machinePaths: [root],
  networkMs: 60_000,
});

for (let n = Number(from); n < Number(from) + Number(changes); n++) {
  const content = `${name} ${n}`;
  const written = await store.remember(
    { type: "decision", content, title: content, provenance: { by: "user" } },
    { operation: "remember" },
  );
  if (written.kind !== "written") throw new Error(JSON.stringify(written));
  process.stdout.write(`ack ${content}\n`);
  await store.update("decision/shared", (memory) => ({ ...memory, tags: [...memory.tags, `${name}${n}`] }), {
    operation: "tag",
  });
  await sync.push();
  process.stdout.write(`pushed ${n}\n`);
}
await store.onIdle();
process.stdout.write("done\n");
