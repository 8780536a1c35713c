import { expect, it } from "vitest";
import { formatID, isName, memoryTypes, parseID } from "../../src/memory/memory.js";
import { foldName, formatName, planName } from "../../src/memory/path.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { BY_TEST, MEMORY, openMemoryWorld } from "../support/memory-world.js";
import { fc } from "../support/property.js";

const names: [title: string, name: string | undefined][] = [
  ["Port 8080, not 3000!", "port-8080-not-3000"],
  ["开发服务器用 8080 端口", "开发服务器用-8080-端口"],
  ["Café, São Paulo, Łódź", "cafe-sao-paulo-łodz"],
  ["don't force-push", "dont-force-push"],
  ["../../etc/passwd", "etc-passwd"],
  ["a\0b", "a-b"],
  ["CON", "con-memory"],
  ["nul.", "nul-memory"],
  [".hidden", "hidden"],
  ["🙂", undefined],
  ["The server listens on port 8080, not on 3000", "server-listens-port-8080-not"],
  ["", undefined],
];
it.each(names)("the name of a file made from %j is %s", (title, name) => {
  expect(formatName(title)).toBe(name);
});

it("the name of a file has at most five words, ends at a word, and is valid on every disk, whatever the title", () => {
  expect(formatName("word ".repeat(60))).toBe("word-word-word-word-word");
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (title) => {
      const name = planName(title, "decision", new Set());
      expect(isName(name)).toBe(true);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(80);
      expect(name).toMatch(/^[^\s<>:"/\\|?*.\p{Cc}]+$/u);
      expect(foldName(name)).toBe(foldName(foldName(name)));
    }),
  );
});

it("the name of a file is free even on disks that ignore case and Unicode composition", () => {
  const taken = new Set(
    ["Port.md", "port-2.md", "e\u0301te\u0301.md"].map((name) => foldName(name.slice(0, -3))),
  );
  expect(planName("port", "decision", taken)).toBe("port-3");
  expect(planName("été", "decision", taken)).toBe("ete");
  expect(planName("日本", "decision", new Set([foldName("日本")]))).toBe("日本-2");
});

it("an id survives parsing and formatting", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("project" as const, "global" as const),
      fc.constantFrom("internal" as const, "private" as const),
      fc.constantFrom(...memoryTypes),
      fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }).filter(isName),
      (scope, sensitivity, type, name) => {
        const place = { scope, sensitivity, type, name };
        expect(parseID(formatID(place))).toEqual(place);
      },
    ),
  );
});

it.each([
  ...["../x", "decision/..", "decision/../../x", "decision/a/b", "decision/", "/etc/passwd", "decision/a\0b"],
  ...["decision/.x", "decision\\x", "archive/decision/x", "ledger/x", "private/ledger/x", "x", ""],
  ...["private/private/decision/x", `decision/${"x".repeat(300)}`],
])("an id %j leads nowhere", async (id) => {
  expect(parseID(id)).toBeUndefined();
  const files = createMemoryFiles({ "/project/.opencode/x.md": "x", [`${MEMORY}/ledger/x.md`]: "x" });
  const { store } = openMemoryWorld({ files });
  const before = [...files.contents.keys()];
  expect(await store.read(id)).toBeUndefined();
  const refused = { kind: "refused", why: expect.stringContaining("there is no memory") };
  expect(await store.update(id, (one) => ({ ...one, content: "changed" }), BY_TEST)).toMatchObject(refused);
  expect(await store.archive(id, BY_TEST)).toMatchObject(refused);
  expect(await store.restore(id, BY_TEST)).toMatchObject(refused);
  expect([...files.contents.keys()]).toEqual(before);
});
