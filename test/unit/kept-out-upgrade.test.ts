/** Preferences that a project had before they stayed out of git, with a real git. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { hashOf } from "../../src/hash.js";
import { useGitProject } from "../support/git-project.js";

const M = ".opencode/memory";
const TABS = "I prefer tabs over spaces in Makefiles.";
const ID = "preference/prefer-tabs-over-spaces-makefiles";
const FILE = `${M}/${ID}.md`;
const { at, git, operations, read, readSeen, seen, strata, write } = useGitProject();

describe("a project that had preferences before", () => {
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

  it("lets git merge what two people publish", async () => {
    write(`${M}/.gitattributes`, "ledger/*.jsonl merge=union\n");
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

  it("is not changed by a look at it while all of it is committed", async () => {
    await strata("list");
    expect(git("status", "--porcelain", "-uall", "--", M)).toBe("");
  });

  it("keeps what is not committed out of git from the next look on, and says so once", async () => {
    write(`${M}/preference/new.md`, page("The uncommitted one."));
    write(
      `${M}/ledger/2026-11-aaaaaaaa.jsonl`,
      `${line("old", "The committed one.")}\n${line("new", "The uncommitted one.")}\n`,
    );
    expect((await strata("list")).err).toContain("preference/new stays out of git from now on");
    expect(seen()).not.toContain("uncommitted");
    expect(readSeen().get(`${M}/preference/old.md`)).toContain("The committed one.");
    expect(operations(`${M}/ledger`, "new")).toEqual([]);
    expect(operations(`${M}/private/ledger`, "new")).toEqual(["remember"]);
    expect((await strata("list")).err).not.toContain("out of git");
    expect((await strata("validate --strict")).code).toBe(0);
  });
});
