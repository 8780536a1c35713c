/** Which memories may leave a machine, by their text. */
import { describe, expect, it } from "vitest";
import { type Outgoing, scanOutgoing } from "../../src/sync/scan-outgoing.js";
import { lineOf } from "../support/memory-world.js";

const FILE = "2026-11-3f9a1c22.jsonl";

function scan(contents: string, machinePaths: readonly string[]): Outgoing {
  const line = lineOf("port", contents);
  const shared = {
    lines: [{ file: FILE, text: JSON.stringify(line), line }],
    ...{ hidden: new Set<string>(), isOwn: () => true, isThere: () => true },
  };
  const scanning = scanOutgoing({
    ...{ shared, machinePaths, isShared: () => false, held: new Set<string>(), isTeams: false },
  });
  let step = scanning.next();
  while (!step.done) step = scanning.next();
  return step.value;
}

describe("a path of this machine", () => {
  it.each([
    "It lies in /home/ann.",
    "in /home/ann",
    "cc -I/home/ann/include main.c",
    '"-L/home/ann/lib"',
    "file:///home/ann/notes",
    "PATH=/usr/bin:/home/ann/bin",
    "(/home/ann)",
  ])("the home folder stays in: %s", (text) => {
    const { lines, refused } = scan(text, ["/home/ann"]);
    expect(lines).toEqual([]);
    expect(refused).toEqual([{ id: "decision/port", why: expect.stringContaining("(/home/ann)") }]);
  });

  it.each(["/home/anna/x", "/home/ann.old/x", "/home/ann-old", "../home/ann", "~/notes", "test/home/ann"])(
    "a path of another folder is sent: %s",
    (text) => {
      expect(scan(text, ["/home/ann"])).toMatchObject({ lines: [{ file: FILE }], refused: [] });
    },
  );

  it.each([
    "C:\\Users\\Ann\\shop",
    "c:\\users\\ann\\shop",
    "c:/Users/Ann.",
    '"C:\\\\Users\\\\Ann"',
    "/c/Users/Ann/shop",
    "/mnt/c/Users/Ann",
    "file:///C:/Users/Ann/x",
  ])("a home folder on a drive stays in any of its forms: %s", (text) => {
    expect(scan(text, ["C:\\Users\\Ann"]).lines).toEqual([]);
  });
});

describe("words behind YAML's escapes", () => {
  it.each([
    ['links: ["priv\\u0061te/decision/launch"]', "a private memory"],
    ['title: "in /home/\\x61nn/shop"', "a path"],
    ['tags: ["/home/\\\n  ann/shop"]', "a path"],
    ['aliases: ["ghp_a8Kd72Jq0LmPz\\u0058c4Vb6Nn1Qw3Er5Ty7Ui9Op"]', "a secret"],
  ])("%s stays", (field, why) => {
    const { lines, refused } = scan(`---\n${field}\n---\nharmless\n`, ["/home/ann"]);
    expect(lines).toEqual([]);
    expect(refused).toEqual([{ id: "decision/port", why: expect.stringContaining(why) }]);
  });
});
