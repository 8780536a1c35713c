/** Memories from past conversations: what is kept, tried, repeated, undone, interrupted. */
import { describe, expect, it } from "vitest";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import {
  FOLDER,
  learn,
  lines,
  listBytes,
  listMemories,
  NO_TABS,
  openConversation,
  PORT,
  PUSH,
  parseObjects,
  said,
  TABS,
} from "../support/learning.js";
import { runStrata } from "../support/shell.js";

describe("strata learn", () => {
  it("strata learn keeps the user's sentences with message, session and reason, and prints one object a line", async () => {
    const files = openConversation(
      lines(said("m1", TABS), said("m2", "Fix the login page."), said("m3", PORT)),
    );
    const ran = await learn(files, "--json");
    expect(ran.code).toBe(0);
    const [tabs, port, ...others] = parseObjects(ran);
    expect(others).toEqual([]);
    expect(tabs).toEqual({
      ...{ message: "m1", session: "s1", type: "directive", content: TABS, candidate: false },
      ...{ title: expect.stringMatching(/indent with tabs$/), why: expect.any(String) },
    });
    expect(Object.keys(tabs ?? {})).toEqual("message session type title content why candidate".split(" "));
    expect(port).toMatchObject({ message: "m3", content: PORT, candidate: false });
    expect(listMemories(files)).toHaveLength(2);
    const history = await runStrata(files, "memory history indent --json");
    expect(JSON.parse(history.out)).toMatchObject([{ operation: "learn", session: "s1" }]);
    const shown = JSON.parse((await runStrata(files, "show tabs --json")).out);
    expect(shown).toMatchObject({ provenance: { by: "user", how: "marked", message: "m1", evidence: TABS } });
  });

  it("strata learn --dry-run prints the same objects and writes nothing", async () => {
    const text = lines(said("m1", TABS), said("m2", PORT, { session: "s2" }), said("m3", NO_TABS));
    const dry = openConversation(text, { [`${FOLDER}/directive/mine.md`]: `${PUSH}\n` });
    const before = listBytes(dry);
    const tried = await learn(dry, "--dry-run --json");
    expect(listBytes(dry)).toEqual(before);
    const done = await learn(
      openConversation(text, { [`${FOLDER}/directive/mine.md`]: `${PUSH}\n` }),
      "--json",
    );
    expect(parseObjects(tried)).toHaveLength(3);
    expect(parseObjects(tried)).toEqual(parseObjects(done));
    expect(tried.err).toContain("Nothing was changed");
  });

  it("strata learn can be repeated with no change, also where a later message contradicted a repeated one", async () => {
    const files = openConversation(
      lines(
        said("m1", TABS),
        said("m2", TABS, { session: "s2" }),
        said("m3", NO_TABS, { session: "s3" }),
        said("m4", PORT),
      ),
    );
    const clock = createFakeClock();
    expect(parseObjects(await learn(files, "--json", { clock }))).toHaveLength(3);
    const after = listBytes(files);
    clock.advance(60_000);
    const again = await learn(files, "--json", { clock });
    expect([again.code, again.out]).toEqual([0, ""]);
    expect(again.err).toContain("4 already known");
    expect(listBytes(files)).toEqual(after);
    const list = JSON.parse((await runStrata(files, "list --json")).out);
    expect(JSON.stringify(list)).toContain(NO_TABS);
  });
});

describe("an interrupt", () => {
  const text = lines(said("m1", TABS), said("m2", PORT), said("m3", PUSH));

  it("Ctrl-C ends strata learn after the message at hand, and the next run goes on from there", async () => {
    const files = openConversation(text);
    const stopped = await learn(files, "--json", { stopsAfter: 1 });
    expect(stopped).toMatchObject({ code: 130, err: expect.stringContaining("Interrupted") });
    expect(parseObjects(stopped).map(({ message }) => message)).toEqual(["m1"]);
    expect(listMemories(files)).toHaveLength(1);
    expect((await runStrata(files, "check")).code).toBe(0);
    const next = await learn(files, "--json");
    expect(next.code).toBe(0);
    expect(parseObjects(next).map(({ message }) => message)).toEqual(["m2", "m3"]);
    const whole = openConversation(text);
    await learn(whole);
    expect(listMemories(files)).toEqual(listMemories(whole));
  });
});

/* Lines of past conversations: which are read, with which dates, and how much is held. */

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
