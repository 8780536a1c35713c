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
import { systemClock as clock } from "../../src/io/clock.js";
import type { Message } from "../../src/io/message.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createStrata, type Strata } from "../../src/strata.js";
import { atOnce } from "../support/at-once.js";
import { createFakeHost } from "../support/fake-host.js";
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
    return answer(n % 4 === 1 ? [call("bash", lines(resultBytes / 40, 39))] : []);
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
