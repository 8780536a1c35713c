/** Candidates on disk: in the user's state folder, of one project, for one writer at a time, and never half-written. */
import { expect, it } from "vitest";
import type { Message } from "../../src/io/message.js";
import { candidateOf, openTestCandidates, textsOf } from "../support/candidates.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT, STATE } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles, systemError } from "../support/memory-files.js";
import { user } from "../support/messages.js";
import { recordOf } from "../support/own-project.js";

const SQLITE = "The storage is SQLite, because it needs no server.";
const REDIS = "The queue is Redis.";
const TOKEN = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
const said = (text: string, id = "msg_1"): Message => {
  const message = user(text);
  return { ...message, info: { ...message.info, id } };
};

it("candidates lie in the user's state folder alone, and survive the deletion of the project's .opencode", async () => {
  const files = createMemoryFiles({ [`${PROJECT}/.opencode/strata/state/x`]: "x" });
  await openTestCandidates({ files }).offer([candidateOf(SQLITE)]);
  const holding = [...files.contents].filter(([, bytes]) => String(Buffer.from(bytes)).includes("SQLite"));
  expect(holding.map(([path]) => path)).toEqual([(await recordOf(files)).candidates]);
  for (const path of [...files.contents.keys()]) if (path.startsWith(PROJECT)) files.contents.delete(path);
  expect(textsOf(await openTestCandidates({ files }).list())).toEqual([SQLITE]);
});

it("candidates of two processes that write at once are all there", async () => {
  const files = createMemoryFiles();
  const clock = createFakeClock();
  const both = ["a", "b"].map((instance) => openTestCandidates({ files, clock, instance }));
  const texts = Array.from({ length: 20 }, (_, n) => `Thing${n} keeps number${n} beside value${n}.`);
  await Promise.all(texts.map((text, n) => both[n % 2]?.offer([candidateOf(text, { message: `msg_${n}` })])));
  expect(textsOf((await both[0]?.list()) ?? []).sort()).toEqual(texts.sort());
  expect([...files.contents.keys()].filter((path) => path.includes(".lock"))).toEqual([]);
});

it("candidates hold no secrets, and none that is nothing else", async () => {
  const files = createMemoryFiles();
  const candidates = openTestCandidates({ files });
  await candidates.offer([
    candidateOf(`The registry takes ${TOKEN} as its token.`),
    candidateOf(TOKEN, { message: "msg_2" }),
  ]);
  expect(textsOf(await candidates.list())).toEqual([
    "The registry takes [removed: GitHub token] as its token.",
  ]);
  expect([...files.contents.values()].map((bytes) => String(Buffer.from(bytes))).join()).not.toContain(TOKEN);
});

it("candidates that were dropped do not come back, in this process or another, and others of the message stay", async () => {
  const files = createMemoryFiles();
  const candidates = openTestCandidates({ files });
  await candidates.offer([candidateOf(SQLITE), candidateOf(REDIS)]);
  const [sqlite] = (await candidates.list()).filter((one) => textsOf([one])[0] === SQLITE);
  await candidates.drop([sqlite?.id ?? ""]);
  expect(textsOf(await candidates.list())).toEqual([REDIS]);
  const other = openTestCandidates({ files, instance: "b" });
  await other.offer([candidateOf(SQLITE), candidateOf("Storage means SQLite.")]);
  await other.offer([candidateOf(SQLITE.toLowerCase(), { session: "ses_2", message: "msg_2" })]);
  expect(textsOf(await other.list())).toEqual([REDIS]);
  const all = [...files.contents.values()].map((bytes) => String(Buffer.from(bytes))).join();
  expect(all).not.toContain("SQLite");
});

it("an undone message takes its candidates away, and brings them back when it is redone", async () => {
  const candidates = openTestCandidates({ files: createMemoryFiles() });
  await candidates.offer([candidateOf(SQLITE)]);
  await candidates.follow("ses_1", []);
  expect(await candidates.list()).toEqual([]);
  await candidates.follow("ses_1", [said(`Look. ${SQLITE}`)]);
  expect(textsOf(await candidates.list())).toEqual([SQLITE]);
});

it("a file of candidates that is damaged counts as empty, which the log says, and entries that are none are left out", async () => {
  const files = createMemoryFiles();
  const log = createFakeLog();
  const { candidates: path } = await recordOf(files);
  const candidates = openTestCandidates({ files, log });
  await files.writeWhole(path, '{"v":1,"waiting":[{"id":"3f');
  expect(await candidates.list()).toEqual([]);
  expect(log.lines.join()).toContain("begun anew");
  await candidates.offer([candidateOf(SQLITE)]);
  const stored = JSON.parse(files.text(path) ?? "");
  await files.writeWhole(path, JSON.stringify({ v: 1, waiting: [null, { id: 1 }, ...stored.waiting] }));
  expect(textsOf(await candidates.list())).toEqual([SQLITE]);
});

it("a state folder that may not be written to keeps no candidates, said once; any other failure is passed on", async () => {
  const files = createMemoryFiles();
  const log = createFakeLog();
  let code = "EROFS";
  const failing = { ...files, create: () => Promise.reject(systemError(code, STATE)) };
  const candidates = openTestCandidates({ files: failing, log });
  for (const n of [1, 2])
    expect(await candidates.offer([candidateOf(SQLITE, { message: `m${n}` })])).toEqual([]);
  expect(log.lines).toHaveLength(1);
  code = "EIO";
  await expect(candidates.offer([candidateOf(SQLITE)])).rejects.toThrow("EIO");
});

it("a failure of any single file operation loses no candidate that waits", async () => {
  for (let nth = 1; nth <= 40; nth++) {
    const files = createMemoryFiles();
    await openTestCandidates({ files }).offer([candidateOf(SQLITE)]);
    let count = 0;
    const failing = Object.fromEntries(
      Object.entries(files).map(([name, run]) => [
        name,
        typeof run !== "function" || name === "text"
          ? run
          : (...given: never[]) => {
              if (++count === nth) return Promise.reject(systemError("EIO", "x"));
              return (run as (...all: never[]) => unknown)(...given);
            },
      ]),
    ) as unknown as typeof files;
    const other = openTestCandidates({ files: failing, instance: "b" });
    await other.offer([candidateOf(REDIS, { message: "msg_2" })]).catch(() => undefined);
    await other.noteAnswers(new Map([["x", "unsure"]])).catch(() => undefined);
    expect(textsOf(await openTestCandidates({ files, instance: "c" }).list())).toContain(SQLITE);
  }
});
