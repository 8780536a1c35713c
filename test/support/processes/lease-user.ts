/**
 * A process that repeatedly claims one item, prints that it holds it, and releases it.
 *
 *     tsx lease-user.ts <folder> <times> [hold]      prints "held" and "free"; with "hold" it never releases
 */
import { join } from "node:path";
import { createPlaces } from "../../../layers/7-across-agents/leases/edits.js";
import { createLeases } from "../../../layers/7-across-agents/leases/leases.js";
import { systemClock as clock } from "../../../src/io/clock.js";
import { createLocks } from "../../../src/io/locks.js";
import { nodeFiles as files } from "../../../src/io/node-files.js";
import { createRunningProcesses } from "../../../src/io/running-processes.js";
import { createInstances } from "../../../src/project/instances.js";
import { createFakeLog } from "../fake-log.js";

const [folder = "", times = "0", manner] = process.argv.slice(2);
const id = `p${process.pid}`;
const processes = createRunningProcesses();
const instances = createInstances({
  clock,
  family: { knownParent: () => undefined },
  files,
  log: createFakeLog(),
  processes,
  folder: join(folder, "instances"),
  id,
  directory: folder,
});
const leases = createLeases({
  clock,
  files,
  instances,
  locks: createLocks({ clock, files, processes, instance: id }),
  places: createPlaces({ files, project: folder, directory: folder }),
  path: join(folder, "leases.json"),
});

for (let taken = 0; taken < Number(times); ) {
  const { kind } = await leases.claim("the item", { session: `ses_${id}`, forMs: 60_000 });
  if (kind === "held") {
    taken++;
    // Two holders at once would find each other's file here.
    const isAlone = await files.create(join(folder, "inside"), id);
    process.stdout.write(isAlone ? "held\n" : "not alone\n");
    while (manner === "hold") await clock.pause(1_000);
    await clock.pause(1);
    await files.remove(join(folder, "inside"));
    await leases.release("the item", { session: `ses_${id}` });
    process.stdout.write("free\n");
  } else await clock.pause(2);
}
await instances.leave();
