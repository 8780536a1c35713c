/** Adds lines to an index, a message in each step, and says how far it is. */
import { createConversations } from "../../../src/conversations/conversations.js";
import type { Line } from "../../../src/conversations/lines.js";
import { systemClock as clock } from "../../../src/io/clock.js";
import { createLocks } from "../../../src/io/locks.js";
import { nodeFiles as files } from "../../../src/io/node-files.js";
import { createRunningProcesses } from "../../../src/io/running-processes.js";
import { createFakeLog } from "../fake-log.js";

const [folder = "", count = "0", from = "0"] = process.argv.slice(2);
const locks = createLocks({ clock, files, processes: createRunningProcesses(), instance: "worker" });
const index = createConversations({ clock, files, locks, log: createFakeLog(), folder, maxBytes: 2e8 });
const lines = Array.from({ length: Number(count) }, (_, n): Line => {
  const text = `message ${n} ${"of many words that fill a step ".repeat(600)}`.slice(0, 17_000);
  return { messageID: `msg_${n}`, atMs: 1_000 + n, by: "user", text };
}).slice(Number(from));
const session = { id: "ses_1", project: "/p", title: "Many words" };
for (const line of lines) {
  await index.add(session, [line]);
  process.stdout.write(`added ${line.messageID}\n`);
}
