/**
 * A process that is one of several sessions: it sends its messages to the others in order and receives messages turn by
 * turn, while the test kills it repeatedly. After a restart it sends all its messages again, then continues to receive.
 *
 *     tsx mail-user.ts <folder> <number> <sessions> <messages> <turn>      prints "turn <n>", "sent", "taken <n>"
 */
import { join } from "node:path";
import { createMail } from "../../../layers/7-across-agents/mail/mail.js";
import { DAY_MS } from "../../../src/base/days.js";
import { createDecisions } from "../../../src/context/decisions.js";
import { systemClock as clock } from "../../../src/io/clock.js";
import { createLocks } from "../../../src/io/locks.js";
import { nodeFiles as files } from "../../../src/io/node-files.js";
import { createRunningProcesses } from "../../../src/io/running-processes.js";
import { createFakeLog } from "../fake-log.js";

const [folder = "", ...numbers] = process.argv.slice(2);
const [own = 0, sessions = 0, messages = 0, firstTurn = 0] = numbers.map(Number);
const instance = `i${own}-${process.pid}`;
const nameOf = (number: number): string => `ses_${number}`;
const log = createFakeLog();
const decisions = createDecisions({
  clock,
  files,
  log,
  folder: join(folder, "decisions"),
  resultsFolder: folder,
});
const locks = createLocks({ clock, files, processes: createRunningProcesses(), instance });
const mail = createMail({ clock, files, decisions, folder: join(folder, "mail"), locks });
const day = Math.floor(clock.now() / DAY_MS);
const { signal } = new AbortController();
const others = Array.from({ length: sessions }, (_, number) => number).filter((number) => number !== own);

await decisions.load([day]);
let turn = firstTurn;
for (let n = 0; n < messages; n++) {
  const receiver = nameOf(others[n % others.length] ?? 0);
  while (!(await post(receiver, n))) await take();
  if (n % 5 === 0) await take();
}
process.stdout.write("sent\n");
for (;;) {
  await take();
  await clock.pause(20);
}

/** Returns whether the mailbox had room for it. */
async function post(receiver: string, n: number): Promise<boolean> {
  try {
    await mail.post(receiver, { id: `n-${n}`, from: nameOf(own), instance, text: `message ${n}` });
    return true;
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "EFULL") throw thrown;
    await clock.pause(20);
    return false;
  }
}

/** One turn: a new user message, which may be followed by letters. */
async function take(): Promise<void> {
  process.stdout.write(`turn ${++turn}\n`);
  const taken = await mail.deliver(nameOf(own), { day, key: `${turn} user ${own}` }, signal);
  process.stdout.write(`taken ${taken?.length ?? 0}\n`);
}
