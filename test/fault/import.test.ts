/** An import that is cut off leaves a store that is whole, and can be repeated. */
import { expect, it } from "vitest";
import { type LedgerLine, replayLedger } from "../../src/memory/store/ledger.js";
import { withDeath } from "../support/dying-files.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { sizeOf } from "../support/sizes.js";

const FOLDER = `${PROJECT}/.opencode/memory`;
const copies = [
  { v: 1, id: "idea/a", contents: "---\r\ntitle: A\r\n---\r\nx\r\n" },
  { v: 1, id: "idea/b", contents: "the same" },
  { v: 1, id: "idea/b-2", contents: "the same" },
  { v: 1, id: "plan/taken", contents: "theirs" },
  { v: 1, id: "private/plan/p", archived: true, contents: "mine" },
];
/** The shares of a thousand file operations at which it is killed. */
const EVERY = sizeOf({
  usual: 250,
  long: 1_000,
  of: "in 1,000 file operations at which an import is killed in fault/import.test.ts",
  because: "each is two imports",
});
const STEP = 1_000 / EVERY;
const begin = (): MemoryFiles =>
  createMemoryFiles({
    [`${PROJECT}/.git/HEAD`]: "x",
    [`${FOLDER}/plan/taken.md`]: "ours",
    "/m.jsonl": copies.map((one) => JSON.stringify(one)).join("\n"),
  });

function readMemories(files: MemoryFiles): Record<string, string> {
  const found = [...files.contents.keys()].filter((path) => /\/(idea|plan)\/[^/]+$/.test(path));
  return Object.fromEntries(
    found.sort().map((path) => [path.slice(FOLDER.length + 1), files.text(path) ?? ""]),
  );
}

it("an import that is killed at any file operation leaves every file whole, and the second import brings the rest", async () => {
  const whole = begin();
  expect((await runStrata(whole, "import /m.jsonl")).code).toBe(0);
  const wanted = readMemories(whole);
  const renamed = Object.keys(wanted).find((path) => path.startsWith("plan/taken-")) ?? "";
  expect([wanted["plan/taken.md"], wanted[renamed]]).toEqual(["ours", "theirs"]);
  expect(Object.keys(wanted)).toHaveLength(6);
  let hasEnded = false;
  for (let at = 1; !hasEnded; at += STEP) {
    const disk = begin();
    const process = withDeath(disk);
    process.dieAfter(at);
    await runStrata(process.files, "import /m.jsonl");
    hasEnded = !process.isDead;
    for (const [path, text] of Object.entries(readMemories(disk)))
      if (!/\.md\.[\w-]+$/.test(path)) expect([at, path, text]).toEqual([at, path, wanted[path]]);
    const again = await runStrata(disk, "import /m.jsonl");
    expect([at, again.code, again.err]).toEqual([at, 0, ""]);
    expect([at, readMemories(disk)]).toEqual([at, wanted]);
    const ledger = [...disk.contents.keys()].filter((path) => path.startsWith(`${FOLDER}/ledger/`));
    const lines = ledger.flatMap((path) => (disk.text(path) ?? "").trim().split("\n"));
    const replayed = replayLedger(lines.map((line) => JSON.parse(line) as LedgerLine));
    expect(replayed.get(renamed)).toBe("theirs");
    expect([...replayed.keys()]).toEqual(expect.arrayContaining(["idea/a.md", "idea/b.md", "idea/b-2.md"]));
  }
});
