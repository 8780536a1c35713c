/** Preferences and feedback in a project with a real git: what it sees, and what `strata publish` changes. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { hashOf } from "../../src/base/hash.js";
import { useGitProject } from "../support/git-project.js";

const M = ".opencode/memory";
const TABS = "I prefer tabs over spaces in Makefiles.";
const ID = "preference/prefer-tabs-over-spaces-makefiles";
const FILE = `${M}/${ID}.md`;
const { at, git, isThere, operations, read, readSeen, seen, strata, write } = useGitProject();

describe("a preference", () => {
  it("a preference is a file in its folder that git does not see, with its history in the private ledger", async () => {
    expect((await strata(`remember ${TABS}`)).out).toContain(`Remembered: ${ID}`);
    await strata("remember --type feedback No, the staging port is 9090 not 8080.");
    await strata("remember --type decision We deploy on Fridays.");
    expect(read(FILE)).toContain(TABS);
    git("check-ignore", "-q", FILE);
    expect(seen()).not.toMatch(/tabs|port is 9090/i);
    expect(seen()).toContain("We deploy on Fridays.");
    expect(operations(`${M}/private/ledger`)).toEqual(["remember"]);
    expect((await strata("list")).out).toMatch(new RegExp(`${ID}.*\\(not in git\\)`));
    expect((await strata(`history ${ID}`)).out).toContain("remember");
    expect((await strata("check")).code).toBe(0);
  });

  it("a preference stays out of git when it is edited by hand, archived and restored", async () => {
    await strata(`remember ${TABS}`);
    write(FILE, read(FILE).replaceAll("Makefiles", "makefiles everywhere"));
    await strata("list");
    expect((await strata(`archive ${ID}`)).code).toBe(0);
    expect(isThere(`${M}/archive/${ID}.md`)).toBe(true);
    expect(seen()).not.toMatch(/tabs/i);
    expect((await strata(`restore ${ID}`)).code).toBe(0);
    expect((await strata("undo")).out).toContain(ID);
    expect(seen()).not.toMatch(/tabs/i);
    expect(operations(`${M}/private/ledger`)).toEqual([
      "remember",
      "edited by hand",
      "archive",
      "restore",
      "undo",
    ]);
  });

  it("a published preference is seen by git with its history, and strata undo takes both back", async () => {
    await strata(`remember ${TABS}`);
    await strata("remember --type preference I like short answers.");
    const published = await strata(`publish ${ID}`);
    expect(published).toMatchObject({ code: 0, out: expect.stringContaining(`Published: ${ID}`) });
    expect(readSeen().get(FILE)).toContain(TABS);
    expect(seen()).not.toContain("short answers");
    expect(operations(`${M}/ledger`)).toEqual(["remember", "publish"]);
    expect(operations(`${M}/private/ledger`)).toEqual([]);
    expect((await strata(`publish ${ID}`)).out).toContain("Unchanged");
    expect((await strata("check")).code).toBe(0);
    await strata(`archive ${ID}`);
    expect(readSeen().get(`${M}/archive/${ID}.md`)).toContain(TABS);
    await strata("undo");

    git("rm", "-rqf", "--cached", ".");
    expect((await strata("undo")).out).toContain(ID);
    expect(read(FILE)).toContain(TABS);
    expect(seen()).not.toMatch(/tabs/i);
    expect(operations(`${M}/ledger`)).toEqual([]);
    expect(operations(`${M}/private/ledger`)).toEqual(["remember", "publish", "archive", "undo", "undo"]);
    expect((await strata("list")).out).toMatch(/not in git/);
    expect((await strata("check")).code).toBe(0);
  });

  it("a published preference that has changed since stays published when the publishing is undone", async () => {
    await strata(`remember ${TABS}`);
    const { out } = await strata(`publish ${ID}`);
    write(FILE, read(FILE).replaceAll("Makefiles", "all files"));
    const [, run] = /--run (\w+)/.exec(out) ?? [];
    expect((await strata(`undo --run ${run}`)).out).toContain("it has been changed since");
    expect(readSeen().get(FILE)).toContain("all files");
  });

  it("a private memory that is published moves to the other folder and back, its history with it", async () => {
    await strata("remember --private --type decision The server moves to Lisbon.");
    await strata("remember --private --type decision Lisbon has two racks.");
    const id = "decision/the-server-moves-to-lisbon";
    expect((await strata(`publish private/${id}`)).out).toContain(`Published: ${id}`);
    expect(isThere(`${M}/private/${id}.md`)).toBe(false);
    expect(readSeen().get(`${M}/${id}.md`)).toContain("Lisbon");
    expect(seen()).not.toMatch(/racks|private\/decision/);
    expect(operations(`${M}/ledger`, "moves")).toEqual(["remember", "publish"]);
    git("rm", "-rqf", "--cached", ".");
    await strata("undo");
    expect(isThere(`${M}/${id}.md`)).toBe(false);
    expect(read(`${M}/private/${id}.md`)).toContain("Lisbon");
    expect(seen()).not.toMatch(/Lisbon/i);
    expect((await strata("check")).code).toBe(0);
  });

  it("a private preference that is published is seen by git at once", async () => {
    await strata(`remember --private --type preference ${TABS}`);
    expect((await strata("publish prefer-tabs-over-spaces-makefiles")).out).toContain(`Published: ${ID}`);
    expect(readSeen().get(FILE)).toContain(TABS);
    git("rm", "-rqf", "--cached", ".");
    await strata("undo");
    expect(seen()).not.toMatch(/tabs/i);
    expect(isThere(FILE)).toBe(false);
    expect(read(`${M}/private/${ID}.md`)).toContain(TABS);
  });

  it("a memory is not published that names a hidden one, or that a file holds a secret of; versions of it that do stay private", async () => {
    await strata(`remember ${TABS}`);
    await strata("remember --type preference I like short answers.");
    const path = `${M}/preference/like-short-answers.md`;
    const short = isThere(path) ? path : `${M}/preference/i-like-short-answers.md`;
    const before = read(short);
    write(short, `${before}As ${ID} says, and private/decision/x.\n`);
    const named = await strata("publish short-answers");
    expect(named).toMatchObject({ code: 3, err: expect.stringContaining("private/decision/x") });
    write(short, `${before}As ${ID} says.\n`);
    expect((await strata("publish short-answers")).err).toContain(ID);
    write(short, before);
    expect((await strata("publish short-answers")).code).toBe(0);
    expect(seen()).not.toMatch(/tabs|private\/decision/i);
    expect(seen()).toContain("short answers");
  });

  it("a memory that git sees is not written if it names a preference that git does not see", async () => {
    await strata(`remember ${TABS}`);
    const refused = await strata(`remember --type decision We follow ${ID} everywhere.`);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("kept out of git") });
    const superseded = await strata("remember --type decision I don't prefer tabs over spaces in Makefiles.");
    expect(superseded.code).toBe(0);
    expect(seen()).not.toContain(ID);
  });
});

describe("a memory that git sees", () => {
  it("a memory that git sees is superseded by a correction that it does not see, without its name", async () => {
    await strata("remember --type decision The staging server listens on port 8080.");
    const corrected = await strata("remember --type feedback The staging server listens on port 9090.");
    expect(corrected.out).toContain("It contradicts decision/");
    expect(seen()).toContain("status: superseded");
    expect(seen()).not.toMatch(/\b9090\b|feedback\/[a-z]/);
    const back = await strata("remember --type decision The staging server listens on port 7070.");
    expect(back.out).toContain("It contradicts feedback/");
    expect(seen()).toContain("7070");
    expect(seen()).not.toMatch(/\b9090\b|feedback\/[a-z]/);
    expect((await strata("check")).code).toBe(0);
    const [name = ""] = readdirSync(at(`${M}/feedback`));
    write(`${M}/idea/hint.md`, `As feedback/${name.replace(".md", "")} says.\n`);
    expect((await strata("check")).out).toContain("which git ignores, and may be committed");
  });
});

describe("what leaves the project", () => {
  it("an export has preferences only with --include-private, and an import keeps them out of git", async () => {
    await strata(`remember ${TABS}`);
    await strata("remember --type decision We deploy on Fridays.");
    expect((await strata("export")).out).not.toMatch(/tabs/i);
    await strata("export --include-private .git/all.jsonl");
    rmSync(at(M), { recursive: true });
    expect((await strata("import .git/all.jsonl")).out).toContain("Imported: 2 memories");
    expect(read(FILE)).toContain(TABS);
    expect(seen()).not.toMatch(/tabs/i);
  });

  it("an index that git sees leaves them out", async () => {
    write(`${M}/.gitignore`, "!MEMORY.md\n");
    await strata("remember --type decision We deploy on Fridays.");
    await strata(`remember ${TABS}`);
    expect(readSeen().get(`${M}/MEMORY.md`)).toContain("Fridays");
    expect(seen()).not.toMatch(/tabs/i);
    expect((await strata("check")).out).not.toContain("out of date");
  });

  it("the user's own settings let git see them, and a project's do not", async () => {
    write("opencode.json", JSON.stringify({ memory: { autoMemory: { keepOutOfGit: [] } } }));
    await strata(`remember ${TABS}`);
    expect(seen()).not.toMatch(/tabs/i);
    write(
      ".git/home/config/opencode/opencode.json",
      JSON.stringify({ memory: { autoMemory: { keepOutOfGit: [] } } }),
    );
    await strata("remember --type preference I like short answers.");
    expect(seen()).toContain("short answers");
    expect(seen()).not.toMatch(/tabs/i);
  });
});

describe("a project in which preferences are committed", () => {
  const page = (text: string): string => `---\ntitle: ${text}\n---\n${text}\n`;
  const line = (id: string, text: string): string =>
    JSON.stringify({
      ...{ v: 1, id, at: "2026-11-01T09:00:00.000Z", instance: "a", by: "strata", operation: "remember" },
      ...{ key: `preference/${id}`, path: `preference/${id}.md`, before: null },
      after: hashOf(page(text)),
      contents: page(text),
    });

  beforeEach(() => {
    write(`${M}/.gitignore`, "MEMORY.md\n");
    write(`${M}/preference/old.md`, page("The committed one."));
    write(`${M}/ledger/2026-11-aaaaaaaa.jsonl`, `${line("old", "The committed one.")}\n`);
    git("add", "-A");
    git("commit", "-qm", "memories");
  });

  it("keeps what is committed where it is, in git, with its changes", async () => {
    await strata("remember --type decision We deploy on Fridays.");
    expect(git("status", "--porcelain", "--", `${M}/preference`, `${M}/ledger/2026-11-aaaaaaaa.jsonl`)).toBe(
      "",
    );
    write(`${M}/preference/old.md`, page("The committed one, changed."));
    await strata("archive preference/old");
    expect(readSeen().get(`${M}/archive/preference/old.md`)).toContain("changed");
    expect(operations(`${M}/private/ledger`, "old")).toEqual([]);
  });

  it("is not changed by a look at it while all of it is committed", async () => {
    await strata("list");
    expect(git("status", "--porcelain", "-uall", "--", M)).toBe("");
  });

  it("keeps a file that a person adds out of git from the next look on", async () => {
    write(`${M}/preference/new.md`, page("The uncommitted one."));
    await strata("list");
    expect(seen()).not.toContain("uncommitted");
    expect(readSeen().get(`${M}/preference/old.md`)).toContain("The committed one.");
    expect(operations(`${M}/private/ledger`, "new")).toHaveLength(1);
    expect((await strata("check")).code).toBe(0);
  });
});

it("git merges what two people publish", async () => {
  await strata(`remember ${TABS}`);
  await strata("remember --type preference I like short answers.");
  git("add", "-A");
  git("commit", "-qm", "rules");
  const clone = at(".git/clone");
  git("clone", "-q", ".", clone);
  await strata(`publish ${ID}`);
  git("add", "-A");
  git("commit", "-qm", "one");
  const rules = read(`${M}/.gitignore`).replaceAll("prefer-tabs-over-spaces-makefiles", "another");
  writeFileSync(join(clone, M, ".gitignore"), rules);
  git("-C", clone, "commit", "-qam", "another");
  git("pull", "-q", "--no-rebase", "--no-edit", clone, "main");
  git("check-ignore", "-q", `${M}/preference/i-like-short-answers.md`);
  expect(() => git("check-ignore", "-q", FILE)).toThrow();
  expect(() => git("check-ignore", "-q", `${M}/preference/another.md`)).toThrow();
});
