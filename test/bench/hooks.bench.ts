/**
 * Time per hook, in the whole machine on the real file system. Read the ratios, which are taken in one run, rather than
 * the milliseconds. Tokens are not counted here: that happens behind the turn, in a thread of its own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, bench, describe } from "vitest";
import { writePreview } from "../../layers/1-tool-results/preview.js";
import { stack } from "../../layers/index.js";
import { atOnce } from "../../src/base/slices.js";
import { systemClock as clock } from "../../src/io/clock.js";
import type { Message } from "../../src/io/message.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createStrata, type Strata } from "../../src/strata.js";
import { openFailures } from "../support/failures.js";
import { createFakeHost } from "../support/fake-host.js";
import { createFakeProcesses } from "../support/fake-processes.js";
import { answer, call, lines, user } from "../support/messages.js";

const opened: { strata: Strata; project: string }[] = [];

afterAll(async () => {
  for (const { strata, project } of opened) {
    await strata.idle();
    rmSync(project, { recursive: true, force: true });
  }
});

async function open(): Promise<Strata> {
  const project = mkdtempSync(join(tmpdir(), "strata-bench-"));
  const host = { ...createFakeHost([]), project };
  const strata = await createStrata({ clock, files, host }, stack);
  opened.push({ strata, project });
  return strata;
}

/** A history of so many messages: every second an answer, every fourth with a result of 5 KB that stays. */
function history(count: number, resultBytes = 5_000): Message[] {
  return Array.from({ length: count }, (_, n) => {
    if (n % 2 === 0) return user("and now this");
    return answer(n % 4 === 1 ? [call("bash", "x".repeat(resultBytes))] : []);
  });
}

async function ask(strata: Strata, messages: readonly Message[]): Promise<void> {
  const request = strata.requests.open(messages);
  if (request) await strata.dispatcher.ask("context", request, messages);
}

describe("context hook with nothing to do", async () => {
  for (const count of [10, 1_000, 10_000]) {
    const strata = await open();
    const messages = history(count);
    await ask(strata, messages);
    bench(`${count} messages`, async () => void (await ask(strata, messages)), { time: 500 });
  }
});

describe("context hook that shows recorded previews", async () => {
  for (const count of [10, 1_000, 10_000]) {
    const strata = await open();
    const messages = history(count, 40_000);
    await ask(strata, messages);
    bench(`${count} messages, a quarter of them previews`, async () => void (await ask(strata, messages)), {
      time: 500,
    });
  }
});

describe("context hook whose messages the host hands over anew, beside reading these", async () => {
  for (const count of [1_000, 10_000]) {
    const strata = await open();
    const text = JSON.stringify(history(count));
    const read = (): Message[] => JSON.parse(text);
    await ask(strata, read());
    bench(`${count} messages, read only`, () => void read(), { time: 1_000 });
    bench(`${count} messages, read and asked about`, async () => void (await ask(strata, read())), {
      time: 1_000,
    });
  }
});

describe("a result of 1 MB", async () => {
  const strata = await open();
  const text = lines(12_500, 79);
  let n = 0;
  bench(
    "is spilled: judged, written, recorded, shown",
    async () => {
      // Other text each time: equal content would be stored once.
      await ask(strata, [user("go"), answer([call("bash", `${n++}\n${text}`)])]);
    },
    { time: 1_000 },
  );
  const content = Buffer.from(text);
  bench(
    "gets its preview",
    () => {
      atOnce(
        writePreview({
          tool: "bash",
          content,
          path: "/project/.opencode/tool-results/x.txt",
          pageBytes: 30_000,
        }),
      );
    },
    { time: 500 },
  );
});

describe("memory of failures at 2,000 calls, half of which have failed", async () => {
  const ended = (n: number, error: boolean) =>
    call("bash", error ? `cat: ${n}: No such file` : "ok", {
      state: { input: { command: `cat ${n}` }, metadata: { exit: error ? 1 : 0 } },
    });
  const settled = (message: Message): Message => {
    const created = message.info.time?.created ?? 0;
    return { ...message, info: { ...message.info, time: { created, completed: created } } };
  };
  const messages = [
    user("go"),
    ...Array.from({ length: 2_000 }, (_, n) => settled(answer([ended(n, n % 2 === 0)]))),
  ];
  const openBoth = async () => ({
    project: mkdtempSync(join(tmpdir(), "strata-bench-")),
    clock,
    files,
    processes: createFakeProcesses(),
  });
  const known = openFailures(await openBoth());
  await known.learn("ses_1", messages);
  bench("nothing is new", async () => void (await known.learn("ses_1", messages)), { time: 500 });
  bench("the session is taken in for the first time", async () => {
    await openFailures(await openBoth()).learn("ses_1", messages);
  });
  let n = 0;
  bench("a call has failed as before", async () => {
    await known.learn("ses_1", [...messages, settled(answer([ended(n++ % 100, true)]))]);
  });
});
