/** Memories from past conversations: formats, repetitions, dates, interrupts. */
import { describe, expect, it } from "vitest";
import { LONGEST_LINE, splitLines } from "../../src/cli/learn/json-lines.js";
import type { Files } from "../../src/seams/files.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { type Ran, runStrata } from "../support/shell.js";

const FOLDER = `${PROJECT}/.opencode/memory`;
const TABS = "From now on always indent with tabs.";
const NO_TABS = "From now on never indent with tabs.";
const PORT = "Remember: the staging port is 5432.";
const PUSH = "Never push to main without asking.";

interface Said {
  id: string | number;
  session: string | number;
  text: string;
  role?: string;
  at?: unknown;
}

const said = (id: string, text: string, more: Partial<Said> = {}): Said => ({
  ...{ id, session: "s1", role: "user", text },
  ...more,
});
const lines = (...all: readonly (Said | string)[]): string =>
  all.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n");

const open = (text: string, more: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", "/m.jsonl": text, ...more });

const learn = (files: Files, flags = "", more: Parameters<typeof runStrata>[2] = {}): Promise<Ran> =>
  runStrata(files, `learn /m.jsonl ${flags}`, more);

const parse = ({ out }: Ran): Record<string, unknown>[] =>
  out === "" ? [] : out.split("\n").map((line) => JSON.parse(line));

/** Paths of the memory files that are not archived, below the folder. */
function listMemories(files: MemoryFiles): string[] {
  return [...files.contents.keys()]
    .filter((path) => path.startsWith(`${FOLDER}/`) && /\/memory\/[a-z]+\/[^/]+\.md$/.test(path))
    .map((path) => path.slice(FOLDER.length + 1))
    .sort();
}

/** Everything on the disk but what changes with each opening, such as locks and counts of uses. */
const listBytes = (files: MemoryFiles): [string, string][] =>
  [...files.contents].map(([path, bytes]): [string, string] => [path, Buffer.from(bytes).toString()]).sort();

describe("strata learn", () => {
  it("strata learn keeps the user's sentences with message, session and reason, and prints one object a line", async () => {
    const files = open(lines(said("m1", TABS), said("m2", "Fix the login page."), said("m3", PORT)));
    const ran = await learn(files, "--json");
    expect(ran.code).toBe(0);
    const [tabs, port, ...others] = parse(ran);
    expect(others).toEqual([]);
    expect(tabs).toEqual({
      ...{ message: "m1", session: "s1", type: "directive", content: TABS, candidate: false },
      ...{ title: expect.stringMatching(/indent with tabs$/), why: expect.any(String) },
    });
    expect(Object.keys(tabs ?? {})).toEqual("message session type title content why candidate".split(" "));
    expect(port).toMatchObject({ message: "m3", content: PORT, candidate: false });
    expect(listMemories(files)).toHaveLength(2);
    const history = await runStrata(files, "history indent --json");
    expect(JSON.parse(history.out)).toMatchObject([{ operation: "learn", session: "s1" }]);
    const shown = JSON.parse((await runStrata(files, "show tabs --json")).out);
    expect(shown).toMatchObject({ provenance: { by: "user", how: "signal", message: "m1", evidence: TABS } });
  });

  it("strata learn --dry-run prints the same objects and writes nothing", async () => {
    const text = lines(said("m1", TABS), said("m2", PORT, { session: "s2" }), said("m3", NO_TABS));
    const dry = open(text, { [`${FOLDER}/directive/mine.md`]: `${PUSH}\n` });
    const before = listBytes(dry);
    const tried = await learn(dry, "--dry-run --json");
    expect(listBytes(dry)).toEqual(before);
    const done = await learn(open(text, { [`${FOLDER}/directive/mine.md`]: `${PUSH}\n` }), "--json");
    expect(parse(tried)).toHaveLength(3);
    expect(parse(tried)).toEqual(parse(done));
    expect(tried.err).toContain("Nothing was changed");
  });

  it("strata learn can be repeated with no change, also where a later message contradicted a repeated one", async () => {
    const files = open(
      lines(
        said("m1", TABS),
        said("m2", TABS, { session: "s2" }),
        said("m3", NO_TABS, { session: "s3" }),
        said("m4", PORT),
      ),
    );
    const clock = createFakeClock();
    expect(parse(await learn(files, "--json", { clock }))).toHaveLength(3);
    const after = listBytes(files);
    clock.advance(60_000);
    const again = await learn(files, "--json", { clock });
    expect([again.code, again.out]).toEqual([0, ""]);
    expect(again.err).toContain("4 already known");
    expect(listBytes(files)).toEqual(after);
    const list = JSON.parse((await runStrata(files, "list --json")).out);
    expect(JSON.stringify(list)).toContain(NO_TABS);
  });

  it("strata learn keeps one memory of a sentence that is said twice, and none of one that is a memory already", async () => {
    const files = open(
      lines(said("m1", TABS), said("m2", `${TABS} ${TABS}`), said("m3", PUSH, { session: "s2" })),
    );
    await runStrata(files, `remember --type directive ${PUSH}`);
    const ran = await learn(files, "--json");
    expect(parse(ran).map(({ message }) => message)).toEqual(["m1"]);
    expect(listMemories(files)).toHaveLength(2);
  });

  it("strata undo --run reverts what one run of strata learn kept", async () => {
    const files = open(lines(said("m1", TABS), said("m2", PORT)));
    const { out } = await learn(files);
    const run = /strata undo --run (\S+) reverts it/.exec(out)?.[1];
    expect((await runStrata(files, `undo --run ${run}`)).code).toBe(0);
    expect(listMemories(files)).toEqual([]);
  });

  it("strata learn keeps no secret", async () => {
    const token = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
    const files = open("");
    await files.writeWhole(
      "/m.jsonl",
      lines(said("m1", `Remember: the deploy job reads ${token} from the vault.`)),
    );
    const ran = await learn(files, "--json");
    expect(ran.out).toContain("[removed: GitHub token]");
    const written = listBytes(files).filter(([path]) => path !== "/m.jsonl");
    expect(JSON.stringify([ran, written])).not.toContain(token);
  });

  it("strata learn without a source is wrong usage, and a missing file stops it before anything is read", async () => {
    const files = open(lines(said("m1", TABS)));
    expect(await runStrata(files, "learn")).toMatchObject({ code: 2, out: "" });
    const missing = await runStrata(files, "learn /m.jsonl /gone.jsonl");
    expect(missing).toMatchObject({ code: 3, err: expect.stringContaining("/gone.jsonl does not exist") });
    expect(listMemories(files)).toEqual([]);
  });
});

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
    const ran = await learn(open(text), "--json");
    expect(ran.code).toBe(1);
    expect(parse(ran).map(({ message }) => message)).toEqual(["m1", "m2"]);
    const told = ran.err.split("\n").filter((line) => line.startsWith("Skipped"));
    expect(told.map((line) => /\/m\.jsonl:(\d+): expected a message .*, (.*)$/.exec(line)?.slice(1))).toEqual(
      [
        ["3", "text that is not JSON came"],
        ["4", "a list came"],
        ["5", "id is missing"],
        ["6", "session is empty"],
        ["7", "text is missing"],
        ["8", "role is a number"],
        ["10", "text that is not JSON came"],
      ],
    );
  });

  it("a thousand bad lines are counted and only the first ones printed", async () => {
    const { code, err } = await learn(open(`${"x\n".repeat(1_000)}${JSON.stringify(said("m1", TABS))}`));
    expect(code).toBe(1);
    expect(err.split("\n").filter((line) => line.startsWith("Skipped")).length).toBe(21);
    expect(err).toContain("980 more");
  });

  it("only the user's messages are learned from; a message without a role is the user's", async () => {
    const { role: _, ...bare } = said("m4", PORT);
    const text = lines(
      said("m1", TABS, { role: "assistant" }),
      said("m2", NO_TABS, { role: "system" }),
      said("m3", PUSH, { role: "tool" }),
      bare,
    );
    expect(parse(await learn(open(text), "--json")).map(({ message }) => message)).toEqual(["m4"]);
  });

  it("ids come back as they are given, numbers as numbers", async () => {
    const text = lines(said("7", TABS), said("", PORT, { id: 8, session: 3 }));
    expect(parse(await learn(open(text), "--json"))).toMatchObject([
      { message: "7", session: "s1" },
      { message: 8, session: 3 },
    ]);
  });

  it("the date of a message is the memory's: ISO or milliseconds, and now where it has none, a wrong one or a later one", async () => {
    const of = async (at: unknown) => {
      const files = open(lines(said("m1", TABS, { at })));
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
      const files = open(text);
      await learn(files);
      const list = (await runStrata(files, "list --json")).out;
      expect(list).toContain(NO_TABS);
      expect(list).not.toContain(TABS);
    }
  });

  it("a line beyond the limit is left out without being held, and its neighbours are read", async () => {
    async function* chunks() {
      yield Buffer.from("first\nlo");
      for (let bytes = 0; bytes <= LONGEST_LINE; bytes += 1024 * 1024) yield Buffer.alloc(1024 * 1024, 0x78);
      yield Buffer.from("ng\nlast");
    }
    const read: (string | undefined)[] = [];
    for await (const { bytes } of splitLines(chunks())) read.push(bytes && Buffer.from(bytes).toString());
    expect(read).toEqual(["first", undefined, "last"]);
  });

  it("ten thousand messages are read in pieces of at most a megabyte, each once", async () => {
    const all = Array.from({ length: 10_000 }, (_, n) =>
      JSON.stringify(
        said(`m${n}`, n % 1_000 === 0 ? `Remember: server ${n} listens on port ${n + 1}.` : "ok"),
      ),
    ).join("\n");
    const disk = open(all);
    const read: number[] = [];
    const files: Files = {
      ...disk,
      read(path, options) {
        if (path === "/m.jsonl") throw new Error("read as a whole");
        return disk.read(path, options);
      },
      async readFrom(path, offset, options) {
        const bytes = await disk.readFrom(path, offset, options);
        if (path === "/m.jsonl") read.push(bytes?.byteLength ?? 0);
        return bytes;
      },
    };
    const ran = await learn(files, "--dry-run --json");
    expect(ran.err).toContain("from 10,000 messages");
    expect(parse(ran)).toHaveLength(10);
    expect(Math.max(...read)).toBeLessThanOrEqual(1024 * 1024);
  });
});

describe("an interrupt", () => {
  const text = lines(said("m1", TABS), said("m2", PORT), said("m3", PUSH));

  it("Ctrl-C ends strata learn after the message at hand, and the next run goes on from there", async () => {
    const files = open(text);
    const stopped = await learn(files, "--json", { stopsAfter: 1 });
    expect(stopped).toMatchObject({ code: 130, err: expect.stringContaining("Interrupted") });
    expect(parse(stopped).map(({ message }) => message)).toEqual(["m1"]);
    expect(listMemories(files)).toHaveLength(1);
    expect((await runStrata(files, "validate --strict")).code).toBe(0);
    const next = await learn(files, "--json");
    expect(next.code).toBe(0);
    expect(parse(next).map(({ message }) => message)).toEqual(["m2", "m3"]);
    const whole = open(text);
    await learn(whole);
    expect(listMemories(files)).toEqual(listMemories(whole));
  });
});
