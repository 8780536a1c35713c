/** Lines of past conversations: which are read, with which dates, and how much is held. */
import { describe, expect, it } from "vitest";
import { MORNING } from "../support/fake-clock.js";
import {
  learn,
  lines,
  NO_TABS,
  openConversation,
  PORT,
  parseObjects,
  said,
  TABS,
} from "../support/learning.js";
import { runStrata } from "../support/shell.js";

describe("lines of a conversation", () => {
  it("a line that is no message is named with what was expected and what came, and the others are read", async () => {
    const text = [
      `\ufeff${JSON.stringify(said("m1", TABS))}\r`,
      "",
      "no json",
      '["a list"]',
      '{"session":"s","text":"x"}',
      '{"id":"m","session":"","text":"x"}',
      '{"id":"m","session":"s","content":"x"}',
      '{"id":"m","session":"s","text":"x","role":7}',
      JSON.stringify(said("m2", PORT)),
      '{"id":"m3","session":"s","text":"Remem',
    ].join("\n");
    const ran = await learn(openConversation(text), "--json");
    expect(ran.code).toBe(1);
    expect(parseObjects(ran).map(({ message }) => message)).toEqual(["m1", "m2"]);
    const told = ran.err.split("\n").filter((line) => line.startsWith("Skipped"));
    expect(told.map((line) => /\/m\.jsonl:(\d+): expected a message .*, (.*)$/.exec(line)?.slice(1))).toEqual(
      [
        ["3", "got text that is not JSON"],
        ["4", "got a list"],
        ["5", "id is missing"],
        ["6", "session is empty"],
        ["7", "text is missing"],
        ["8", "role is a number"],
        ["10", "got text that is not JSON"],
      ],
    );
  });

  it("the date of a message is the memory's: ISO or milliseconds, and now where it has none, a wrong one or a later one", async () => {
    const of = async (at: unknown) => {
      const files = openConversation(lines(said("m1", TABS, { at })));
      const ran = await learn(files);
      const { created, updated } = JSON.parse((await runStrata(files, "show tabs --json")).out);
      expect(updated).toBe(created);
      return [ran.code, created];
    };
    const now = new Date(MORNING).toISOString();
    expect(await of("2025-03-01T10:00:00+01:00")).toEqual([0, "2025-03-01T09:00:00.000Z"]);
    expect(await of(Date.UTC(2025, 2, 1))).toEqual([0, "2025-03-01T00:00:00.000Z"]);
    expect(await of(undefined)).toEqual([0, now]);
    expect(await of(null)).toEqual([0, now]);
    expect(await of("2126-01-01")).toEqual([0, now]);
    expect(await of("long ago")).toEqual([1, now]);
    expect(await of({})).toEqual([1, now]);
  });

  it("of two opposite sentences the later one holds, in whatever order the files have them", async () => {
    const early = said("m1", TABS, { at: "2025-01-01" });
    const repeated = said("m2", TABS, { at: "2025-02-01", session: "s2" });
    const late = said("m3", NO_TABS, { at: "2025-03-01", session: "s3" });
    for (const text of [
      lines(early, repeated, late),
      lines(late, early, repeated),
      lines(repeated, early, late),
    ]) {
      const files = openConversation(text);
      await learn(files);
      const list = (await runStrata(files, "list --json")).out;
      expect(list).toContain(NO_TABS);
      expect(list).not.toContain(TABS);
    }
  });
});
