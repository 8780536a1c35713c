/**
 * A process that takes a lock `times` times and each time adds one to a number in a file, in two steps: a second holder
 * would lose a count. It prints "locked" each time, so that it can be killed at that moment.
 *
 *     tsx lock-user.ts <folder> <times> [hold]      with "hold" it never releases
 */
import { join } from "node:path";
import { systemClock as clock } from "../../../src/io/clock.js";
import { createLocks } from "../../../src/io/locks.js";
import { nodeFiles as files } from "../../../src/io/node-files.js";
import { createRunningProcesses } from "../../../src/io/running-processes.js";

const [folder = "", times = "0", manner] = process.argv.slice(2);
const counter = join(folder, "count");
const locks = createLocks({
  clock,
  files,
  processes: createRunningProcesses(),
  instance: `user-${process.pid}`,
});

for (let n = 0; n < Number(times); n++) {
  await locks.withLock(
    join(folder, "x.lock"),
    async ({ check }) => {
      process.stdout.write("locked\n");
      while (manner === "hold") await clock.pause(1_000);
      const count = Number(new TextDecoder().decode(await files.read(counter)));
      await clock.pause(0);
      await check();
      await files.writeWhole(counter, String(count + 1));
      process.stdout.write(`counted\n`);
    },
    { waitMs: 30_000 },
  );
}
