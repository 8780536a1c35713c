/** Memories from past conversations: what is kept, tried, repeated, undone, interrupted. */
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.js";
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
