/** Preferences and feedback in a project with a real git: what it sees, and what `strata memory publish` changes. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { hashOf } from "../../src/base/hash.js";
import { TORN_RULE } from "../../src/project/folders.js";
import { useGitProject } from "../support/git-project.js";

const M = ".opencode/memory";
const TABS = "I prefer tabs over spaces in Makefiles.";
const SEEN = "preference/prefer-tabs-over-spaces-makefiles";
const ID = `private/${SEEN}`;
const FILE = `${M}/${ID}.md`;
const { at, isThere, operations, read, readSeen, seen, strata, write } = useGitProject();

it("a preference and its history are where git sees nothing, also edited by hand, archived and restored", async () => {
  expect((await strata(`remember ${TABS}`)).out).toContain(`Remembered: ${ID}`);
  await strata("remember --type feedback No, the staging port is 9090 not 8080.");
  await strata("remember --type decision We deploy on Fridays.");
  expect(read(FILE)).toContain(TABS);
  write(FILE, read(FILE).replaceAll("Makefiles", "makefiles everywhere"));
  expect((await strata("list")).out).toMatch(new RegExp(`${ID}.*\\(not in git\\)`));
  await strata(`memory archive ${ID}`);
  expect(isThere(`${M}/private/archive/${SEEN}.md`)).toBe(true);
  await strata(`memory restore ${ID}`);
  expect((await strata("undo")).out).toContain(ID);
  expect(seen()).toContain("We deploy on Fridays.");
  expect(seen()).not.toMatch(/tabs|port is 9090/i);
  expect(operations(`${M}/private/ledger`)).toEqual([
    ...["remember", "edited by hand", "archive", "restore", "undo"],
  ]);
  expect((await strata("check")).code).toBe(0);
});

it("a published preference lies where git sees it, which strata undo does not take back", async () => {
  await strata(`remember ${TABS}`);
  await strata("remember --type preference I like short answers.");
  const published = await strata(`memory publish ${ID}`);
  expect(published).toMatchObject({ code: 0, out: expect.stringContaining(`Published: ${SEEN}`) });
  expect(isThere(FILE)).toBe(false);
  expect(readSeen().get(`${M}/${SEEN}.md`)).toContain(TABS);
  expect(readSeen().get(`${M}/${SEEN}.md`)).not.toContain("personal");
  expect(seen()).not.toContain("short answers");
  expect(operations(`${M}/ledger`)).toEqual(["publish"]);
  expect((await strata(`memory publish ${SEEN}`)).out).toContain("Unchanged");
  expect((await strata("check")).code).toBe(0);
  const [, run] = /"run":"([\w-]+)"/.exec(seen()) ?? [];
  expect((await strata(`undo --run ${run}`)).err).toContain("which is not undone");
  expect((await strata("undo")).out).toContain("short-answers");
  expect(seen()).toContain(TABS);
});

it("a memory is not published that names a private one", async () => {
  await strata(`remember ${TABS}`);
  await strata("remember --private --type decision The server moves to Lisbon.");
  const moves = `${M}/private/decision/the-server-moves-to-lisbon.md`;
  write(moves, `${read(moves)}As ${ID} says.\n`);
  const named = await strata("memory publish the-server-moves-to-lisbon");
  expect(named).toMatchObject({ code: 3, err: expect.stringContaining(ID) });
  expect(seen()).not.toMatch(/tabs|Lisbon/i);
});

it("a memory that git sees is superseded by a correction that it does not see, without its name", async () => {
  await strata("remember --type decision The staging server listens on port 8080.");
  const corrected = await strata("remember --type feedback The staging server listens on port 9090.");
  expect(corrected.out).toContain("It contradicts decision/");
  expect(seen()).toContain("status: superseded");
  expect(seen()).not.toMatch(/\b9090\b|feedback\/[a-z]/);
  const back = await strata("remember --type decision The staging server listens on port 7070.");
  expect(back.out).toContain("It contradicts private/feedback/");
  expect(seen()).toContain("7070");
  expect(seen()).not.toMatch(/\b9090\b|feedback\/[a-z]/);
  expect((await strata("check")).code).toBe(0);
});

it("an export has preferences only with --include-private, and an import keeps them out of git, under their old names too", async () => {
  await strata(`remember ${TABS}`);
  await strata("remember --type decision We deploy on Fridays.");
  expect((await strata("export")).out).not.toMatch(/tabs/i);
  await strata("export --include-private .git/all.jsonl");
  for (const prefix of ["private/", ""]) {
    rmSync(at(M), { recursive: true });
    write(".git/all.jsonl", read(".git/all.jsonl").replaceAll("private/preference/", `${prefix}preference/`));
    expect((await strata("import .git/all.jsonl")).out).toContain("Imported: 2 memories");
    expect(read(FILE)).toContain(TABS);
    expect((await strata("list")).out).toContain("not in git");
    expect(seen()).not.toMatch(/tabs/i);
  }
});

it("what 0.1.0 kept out of git beside other memories moves to private/ with its history, and what git saw stays", async () => {
  const page = (text: string): string => `---\ntitle: ${text}\n---\n${text}\n`;
  const line = (name: string, text: string): string =>
    JSON.stringify({
      ...{ v: 1, id: randomUUID(), at: "2026-11-01T09:00:00.000Z", instance: "a", by: "strata" },
      ...{ operation: "remember", key: `preference/${name}`, path: `preference/${name}.md`, before: null },
      ...{ after: hashOf(page(text)), contents: page(text) },
    });
  const rules = [
    "/preference/*",
    "/archive/preference/*",
    "!/preference/open.md",
    "!/archive/preference/open.md",
  ];
  write(`${M}/.gitignore`, `MEMORY.md\n${TORN_RULE}\n${rules.join("\n")}\n`);
  write(`${M}/private/.gitignore`, "*\n");
  for (const [name, ledger] of Object.entries({
    tabs: "private/ledger",
    gone: "private/ledger",
    open: "ledger",
  })) {
    const text = `The ${name} one.`;
    write(`${M}/${name === "gone" ? "archive/" : ""}preference/${name}.md`, page(text));
    const path = `${M}/${ledger}/2026-11-aaaaaaaa.jsonl`;
    write(path, `${isThere(path) ? read(path) : ""}${line(name, text)}\n`);
  }
  const listed = (await strata("list --archived")).out;
  expect(listed).toMatch(
    /private\/preference\/tabs[\s\S]*private\/preference\/gone|gone[\s\S]*private\/preference\/tabs/,
  );
  expect(listed).toMatch(/ preference\/open|^preference\/open/m);
  expect(operations(`${M}/private/ledger`)).toEqual(["remember"]);
  expect((await strata("memory history private/preference/tabs")).out).toContain("remember");
  expect(read(`${M}/.gitignore`)).toMatch(/^MEMORY.md\n/);
  expect(read(`${M}/.gitignore`)).not.toContain("preference");
  expect(seen()).toContain("The open one.");
  expect(seen()).not.toMatch(/tabs|gone/);
  expect((await strata("list")).out).not.toContain("added by hand");
  expect((await strata("check")).code).toBe(0);
});
