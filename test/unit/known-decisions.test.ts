/** Whose decisions count for whom, as it is on disk and as it is known. */
import { beforeEach, describe, expect, it } from "vitest";
import { createDecisions, type DatedDecision, type Decisions, decide } from "../../src/context/decisions.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";

const DAY = 1;
const cleared = (key: string, text = `${key} is gone`): DatedDecision => ({
  day: DAY,
  key,
  outcome: "cleared",
  text,
  file: "/r/f.txt",
});

const openDecisions = (files: MemoryFiles, log = createFakeLog()): Decisions =>
  createDecisions({ clock: createFakeClock(), files, log, folder: "/state", resultsFolder: "/r" });

describe("a decision of a session", () => {
  let files: MemoryFiles;
  let decisions: Decisions;
  const open = (): Decisions => openDecisions(files);
  /** As it is known here, and as another instance reads it. */
  async function read(key: string, session: string): Promise<(string | undefined)[]> {
    const other = open();
    await other.load([DAY]);
    return [decisions, other].map(({ find }) => find(key, session)?.cleared?.text);
  }

  beforeEach(async () => {
    files = createMemoryFiles();
    decisions = open();
    await decisions.load([DAY]);
    await decisions.begin("parent", [DAY]);
    await decisions.record("parent", "x", [cleared("before")]);
    await decisions.begin("fork", [DAY]);
  });

  it("what is decided in one session and came too late is not missing from the file when that is read again", async () => {
    const log = createFakeLog();
    const ours = openDecisions(files, log);
    await ours.load([DAY]);
    const late = new AbortController();
    const recorded = ours.record("parent", "x", [cleared("a")], late.signal);
    late.abort();
    await expect(recorded).rejects.toThrow("aborted");
    expect(ours.find("a", "parent")?.cleared).toBeUndefined();
    await decisions.record("fork", "x", [cleared("b")]);
    const written = [...files.contents.values()].map(String);
    await ours.load([DAY], { again: true });
    expect(log.lines).toEqual([]);
    expect([...files.contents.values()].map(String)).toEqual(written);
  });

  it("a decision of a session does not count if it was recorded too late, though another may have read it; the next one does", async () => {
    const late = new AbortController();
    const other = open();
    const { appendLine } = files;
    files.appendLine = async (path, line) => {
      await appendLine(path, line);
      if (!line.includes('"late"')) await other.load([DAY], { again: true });
      late.abort();
    };
    await expect(decisions.record("parent", "x", [cleared("a")], late.signal)).rejects.toThrow("aborted");
    expect(other.find("a", "parent")?.cleared).toBeDefined();
    files.appendLine = appendLine;
    expect(await read("a", "parent")).toEqual([undefined, undefined]);
    expect((await decisions.read(DAY)).map(({ key }) => key)).toEqual(["before"]);
    await other.load([DAY], { again: true });
    expect(other.find("a", "parent")?.cleared).toBeUndefined();
    await decisions.record("parent", "x", [cleared("a", "in time")]);
    expect(await read("a", "parent")).toEqual(["in time", "in time"]);
  });

  it("a decision of a session holds in its fork if it was made before, not after, nor the other way round", async () => {
    expect(await read("before", "fork")).toEqual(["before is gone", "before is gone"]);
    await decisions.record("parent", "x", [cleared("a")]);
    await decisions.record("fork", "x", [cleared("b")]);
    expect(await read("a", "fork")).toEqual([undefined, undefined]);
    expect(await read("b", "parent")).toEqual([undefined, undefined]);
    expect(await read("a", "parent")).toEqual(["a is gone", "a is gone"]);
  });

  it("a decision of a session holds in a fork that begins at the moment when another instance writes it", async () => {
    const other = open();
    await other.load([DAY]);
    await decisions.record("parent", "x", [cleared("a")]);
    await other.begin("late", [DAY]);
    expect(other.find("a", "late")?.cleared?.text).toBe("a is gone");
    expect(await read("a", "late")).toEqual(["a is gone", "a is gone"]);
  });

  it.each(["deleted", "cut short"])(
    "a decision of a session is written again if its file was %s meanwhile",
    async (how) => {
      const path = [...files.contents.keys()][0] ?? "";
      const whole = files.text(path) ?? "";
      if (how === "deleted") files.contents.clear();
      else files.contents.set(path, Buffer.from(whole.slice(0, whole.indexOf("\n") + 1)));
      await decisions.load([DAY], { again: true });
      expect(files.text(path)).toBe(whole);
      expect(await decisions.begin("parent", [DAY])).toBe(true);
      expect(await read("before", "parent")).toEqual(["before is gone", "before is gone"]);
    },
  );

  it("a decision of a session is not written again if its day was deleted on purpose", async () => {
    await decisions.forget(DAY);
    await decisions.load([DAY], { again: true });
    expect([...files.contents.keys()]).toEqual([]);
  });
});

describe("decisions on disk", () => {
  const PATH = "/state/1970-01-02.jsonl";
  const kept = (key: string) => decide({ day: DAY, key }, { outcome: "kept" });
  const replaced = (key: string, file = "/r/f.txt") => ({
    key,
    outcome: "replaced" as const,
    text: "t",
    file,
  });
  const format = (...decisions: object[]): string =>
    JSON.stringify({ v: 1, session: "ses_1", layer: "x", decisions });
  async function load(text: string): Promise<Decisions> {
    const decisions = openDecisions(createMemoryFiles({ [PATH]: text }));
    await decisions.load([DAY]);
    return decisions;
  }

  it("the first of two about one result counts, on disk and in memory", async () => {
    const decisions = await load(`${format({ key: "a", outcome: "kept" })}\n${format(replaced("a"))}`);
    expect(decisions.find("a", "ses_1")?.judged?.outcome).toBe("kept");
    await decisions.record("ses_2", "x", [kept("b")]);
    decisions.remember("ses_2", replaced("b"));
    expect(decisions.find("b", "ses_2")?.judged?.outcome).toBe("kept");
  });

  it("decisions of one time are on disk together or not at all: a torn line counts for nothing", async () => {
    const files = createMemoryFiles();
    await openDecisions(files).record("ses_1", "x", [kept("a"), kept("b")]);
    const whole = files.text(PATH) ?? "";
    for (let length = 1; length < whole.length - 1; length++) {
      const again = await load(whole.slice(0, length));
      expect([again.find("a", "ses_1"), again.find("b", "ses_1")]).toEqual([undefined, undefined]);
    }
  });

  it("decisions that name a file elsewhere do not count: the project has been moved", async () => {
    const elsewhere = ["/r-old/f.txt", "/r/../f.txt", "/r/deeper/f.txt"];
    const decisions = await load(format(...elsewhere.map((file) => replaced(file, file)), replaced("here")));
    const judged = [...elsewhere, "here"].filter((key) => decisions.find(key, "ses_1")?.judged);
    expect(judged).toEqual(["here"]);
  });
});
