/** Files that a person, git or a failing disk left in the memory folder. */
import { describe, expect, it } from "vitest";
import { createMemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, idOf, MEMORY, openMemoryWorld } from "../support/memory-world.js";
import { SECRET } from "../support/sound-project.js";

const PATH = `${MEMORY}/decision/x.md`;

/** Each field ten times the one before. */
const BOMB = [..."abcdefgh"]
  .map((name, n) => `${name}: &${name} [${(n === 0 ? "x" : `*${"abcdefgh"[n - 1]}`).concat(",").repeat(10)}]`)
  .join("\n");

const broken: [what: string, contents: string | Uint8Array, why: RegExp][] = [
  ["bad YAML", "---\ntitle: [a\n---\nx", /not valid YAML/],
  ["half a file", "---\ntitle: a\ncreated: 2026-", /does not end/],
  ["an empty file", "", /empty/],
  [
    "conflict markers",
    "---\ntitle: a\n---\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n",
    /conflict markers/,
  ],
  ["invalid UTF-8", Uint8Array.from([0x61, 0xff, 0x62]), /UTF-8/],
  ["10 MB", "x".repeat(10_000_000), /10000000 bytes/],
  ["names that stand for names without end", `---\n${BOMB}\n---\n`, /names and values/],
];

describe("a file that cannot be used", () => {
  for (const [what, contents, why] of broken) {
    it(`for ${what} is left as it is, reported once, and never overwritten`, async () => {
      const files = createMemoryFiles({ [PATH]: contents, [`${MEMORY}/decision/y.md`]: "fine" });
      const before = files.contents.get(PATH);
      const world = openMemoryWorld({ files });
      expect((await world.store.list()).map(({ id }) => id)).toEqual(["decision/y"]);
      await world.store.list();
      expect(world.store.problems()).toEqual([{ path: PATH, what: expect.stringMatching(why) }]);
      expect(world.log.lines.filter((line) => line.includes(PATH))).toEqual([expect.stringMatching(why)]);
      expect(await world.store.read("decision/x")).toBeUndefined();
      const change = await world.store.update("decision/x", (one) => ({ ...one, content: "mine" }), BY_TEST);
      expect(change).toMatchObject({ kind: "refused", why: expect.stringMatching(why) });
      expect((await world.store.archive("decision/x", BY_TEST)).kind).toBe("refused");
      expect(idOf(await world.store.remember(draft("mine", { title: "x" }), BY_TEST))).toBe("decision/x-2");
      expect(files.contents.get(PATH)).toBe(before);
      await world.store.onIdle();
      expect(files.text(`${MEMORY}/MEMORY.md`)).not.toContain("decision/x.md");
      // Once repaired, it is a memory like any other.
      files.contents.set(PATH, Buffer.from("mended"));
      expect((await world.store.list()).map(({ content }) => content)).toContain("mended");
      expect(world.store.problems()).toEqual([]);
    });
  }
});

describe("a file that looks odd but can be used", () => {
  const odd: [what: string, text: string, title: string, content: string][] = [
    ["CRLF", "---\r\ntitle: a\r\n---\r\none\r\ntwo\r\n", "a", "one\ntwo"],
    ["a mark at its beginning", "\uFEFF---\ntitle: a\n---\nx", "a", "x"],
    [
      "fields of other kinds",
      "---\ntitle: 7\nimportance: high\ntags: 3\npinned: maybe\ncreated: then\n---\nx",
      "x",
      "x",
    ],
    ["a line of dashes in it", "---\ntitle: a\n---\nx\n\n---\n\ny", "a", "x\n\n---\n\ny"],
  ];
  for (const [what, text, title, content] of odd) {
    it(`for ${what} is read, and a change keeps the rest`, async () => {
      const files = createMemoryFiles({ [PATH]: text });
      const world = openMemoryWorld({ files });
      expect(await world.store.list()).toMatchObject([{ title, content, importance: 0.5, pinned: false }]);
      const written = await world.store.update("decision/x", (one) => ({ ...one, tags: ["new"] }), BY_TEST);
      expect(written).toMatchObject({ kind: "written", memory: { title, content, tags: ["new"] } });
      for (const line of text.split(/\r?\n/).filter((one) => !one.startsWith("tags") && one !== "---"))
        expect(files.text(PATH)).toContain(line);
      if (text.includes("\r\n")) expect(files.text(PATH)?.replaceAll("\r\n", "")).not.toContain("\n");
    });
  }
});

it("a file with a secret is left alone and unused, and enters the ledger once the secret is removed", async () => {
  const world = openMemoryWorld();
  const id = idOf(
    await world.store.remember(draft("the token is in the vault", { title: "token" }), BY_TEST),
  );
  const path = `${MEMORY}/${id}.md`;
  const before = world.files.text(path) ?? "";
  world.clock.advance(1_000);
  await world.files.writeWhole(path, before.replace("in the vault", SECRET));
  for (let n = 0; n < 3; n++) expect(await world.store.list()).toEqual([]);
  expect(world.store.problems()).toEqual([{ path, what: expect.stringContaining("GitHub token") }]);
  const ledger = () =>
    [...world.files.contents.keys()]
      .filter((one) => one.includes("/ledger/"))
      .map((one) => world.files.text(one))
      .join("");
  expect(ledger()).not.toContain(SECRET);
  expect(world.log.lines.filter((line) => line.includes("is not used and left as it is"))).toHaveLength(1);
  for (const change of [
    world.store.archive(id, BY_TEST),
    world.store.update(id, (one) => ({ ...one, pinned: true }), BY_TEST),
  ])
    expect(await change).toMatchObject({ kind: "refused", why: expect.stringContaining("GitHub token") });
  expect(world.files.text(path)).toContain(SECRET);

  world.clock.advance(1_000);
  await world.files.writeWhole(path, before.replace("in the vault", "in the safe"));
  await world.store.list();
  await world.store.onIdle();
  expect(ledger()).toContain("in the safe");
  expect((await world.store.history(id)).map(({ operation }) => operation)).toEqual([
    "remember",
    "edited by hand",
  ]);
  expect((await world.store.archive(id, BY_TEST)).kind).toBe("written");
  expect(ledger()).not.toContain(SECRET);
});
