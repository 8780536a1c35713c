import PQueue from "p-queue";
import { expect, it } from "vitest";
import { createSavings } from "../../src/costs/savings.js";
import { createDeferred } from "../../src/io/deferred.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

function open() {
  const clock = createFakeClock();
  const log = createFakeLog();
  const done: string[] = [];
  return { clock, log, done, deferred: createDeferred({ clock, log }) };
}

it("deferred work runs once a second as it was added last, and at once when it is settled, with what it adds", async () => {
  const { clock, deferred, done } = open();
  for (const what of ["a", "b", "c"]) {
    deferred.add("notes", async () => done.push(what));
    clock.advance(300);
  }
  expect(done).toEqual([]);
  clock.advance(100);
  await Promise.resolve();
  expect(done).toEqual(["c"]);
  deferred.add("first", async () => {
    done.push("first");
    deferred.add("second", async () => done.push("second"));
  });
  await deferred.settle();
  expect(done).toEqual(["c", "first", "second"]);
});

it("deferred work that fails is logged and keeps nothing else from running", async () => {
  const { deferred, done, log } = open();
  deferred.add("bad", () => Promise.reject(new Error("no disk")));
  deferred.add("good", async () => done.push("good"));
  await deferred.settle();
  expect(done).toEqual(["good"]);
  expect(JSON.stringify(log)).toContain("no disk");
});

const answer = { session: "ses_1", layer: "view", event: "answer" };

function openSavings() {
  const { clock, deferred, log } = open();
  const inner = createMemoryFiles();
  const appended: string[] = [];
  const files = {
    ...inner,
    appendLine(path: string, line: string) {
      appended.push(line);
      return inner.appendLine(path, line);
    },
  };
  const writes = new PQueue({ concurrency: 1 });
  const of = { clock, deferred, files, log, writes, folder: "/savings", instance: "i1" };
  const events = (): string[] =>
    (inner.text("/savings/ses_1.jsonl") ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line).event);
  return { appended, deferred, events, savings: createSavings(of) };
}

it("records come before one that must be on disk first, in the same call", async () => {
  const { appended, deferred, events, savings } = openSavings();
  savings.record(answer);
  await savings.recordNow({ ...answer, event: "cleared" });
  expect(events()).toEqual(["answer", "cleared"]);
  await deferred.settle();
  expect(appended).toHaveLength(1);
});
