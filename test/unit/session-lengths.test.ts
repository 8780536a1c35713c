import { describe, expect, it } from "vitest";
import { createSessionLengths, expectMore } from "../../layers/2-micro-compact/session-lengths.js";
import { createFamily } from "../../src/family.js";
import { planFolders } from "../../src/folders.js";
import { createFakeHost, PROJECT } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";

const folders = planFolders(PROJECT);

function open(files = createMemoryFiles()) {
  const log = createFakeLog();
  const family = createFamily(createFakeHost());
  return { files, log, family, lengths: createSessionLengths({ family, files, folders, log }) };
}

describe("the requests to expect of a session", () => {
  it("the requests to expect of a session are as many again as it had, and 20 at least, before anything is known", () => {
    expect([0, 5, 20, 100].map((answers) => expectMore([], answers))).toEqual([20, 20, 20, 100]);
  });

  it("the requests to expect of a session come near to what longer sessions of this user still had", () => {
    const short = Array.from({ length: 40 }, () => 25);
    expect(expectMore(short, 20)).toBeLessThan(6);
    expect(expectMore(short, 5)).toBeCloseTo(20, 0);
    const long = Array.from({ length: 40 }, () => 300);
    expect(expectMore(long, 20)).toBeGreaterThan(250);
    // Longer than any before: what is known says nothing.
    expect(expectMore(short, 60)).toBe(60);
  });

  it("the requests to expect of a session are never negative or without bound", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_000)), fc.nat(5_000), (lengths, answers) => {
        const more = expectMore(lengths, answers);
        expect(more).toBeGreaterThan(0);
        expect(more).toBeLessThanOrEqual(5_000 + answers);
      }),
    );
  });
});

describe("the length of a session", () => {
  it("the length of a session is known at the next start, and grows with each turn", async () => {
    const { files, lengths } = open();
    lengths.note("ses_1", 40);
    lengths.note("ses_1", 400);
    lengths.note("ses_1", 3);
    await lengths.onIdle();
    const next = open(files).lengths;
    expect(next.expectMore(100)).toBe(100);
    await next.load();
    expect(next.expectMore(100)).toBeCloseTo((300 + 2 * 100) / 3);
  });

  it("the length of a session is kept for the last 50, with those that another instance has written", async () => {
    const { files, lengths } = open();
    const other = open(files).lengths;
    for (let n = 0; n < 60; n++) lengths.note(`ses_${n}`, 30);
    await lengths.onIdle();
    other.note("ses_other", 12);
    await other.onIdle();
    const { answers } = JSON.parse(files.text(folders.sessionLengths) ?? "") as { answers: object };
    expect(Object.keys(answers)).toHaveLength(50);
    expect(answers).toMatchObject({ ses_59: 30, ses_other: 12 });
    expect(answers).not.toHaveProperty("ses_0");
  });

  it("the length of a session is not counted for a subagent's", async () => {
    const { family, files, lengths } = open();
    family.hear({ type: "session.created", properties: { info: { id: "ses_child", parentID: "ses_1" } } });
    lengths.note("ses_child", 30);
    await lengths.onIdle();
    expect(files.text(folders.sessionLengths)).toBeUndefined();
  });

  it("the length of a session is learned again where the file is damaged", async () => {
    for (const text of ["", "[]", "{", '{"v":1,"answers":{"ses_1":"many"}}']) {
      const { lengths } = open(createMemoryFiles({ [folders.sessionLengths]: text }));
      await lengths.load();
      expect(lengths.expectMore(50)).toBe(50);
      lengths.note("ses_1", 150);
      await lengths.onIdle();
      expect(lengths.expectMore(50)).toBeCloseTo((100 + 2 * 50) / 3);
    }
  });
});
