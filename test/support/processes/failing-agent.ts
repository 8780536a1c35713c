/**
 * A process in which `times` calls fail, one per request; all write to the same errors.log.
 *
 *     tsx failing-agent.ts <project> <session> <times>
 */

import { systemClock as clock } from "../../../src/io/clock.js";
import { nodeFiles as files } from "../../../src/io/node-files.js";
import { createRunningProcesses } from "../../../src/io/running-processes.js";
import { openFailures } from "../failures.js";
import { answer, call, user } from "../messages.js";

const [project = "", session = "", times = "0"] = process.argv.slice(2);
const failures = openFailures({
  clock,
  files,
  processes: createRunningProcesses(),
  project,
  stateFolder: `${project}/home`,
});
const messages = [user("go", session)];
const filler = "x".repeat(150);

for (let n = 0; n < Number(times); n++) {
  const input = { filePath: `${project}/${session}-${n}-${filler}` };
  messages.push(
    answer([call("read", "", { state: { status: "error", error: "File not found", input } })], session),
  );
  await failures.learn(session, messages);
}
await failures.onIdle();
