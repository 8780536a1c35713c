/** Two people, each with a clone, commit their memories and merge. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createMemoryStore } from "../../src/memory/store/memory-store.js";
import type { Memories } from "../../src/memory/store/store.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeLog } from "../support/fake-log.js";
import { createFakeProcesses } from "../support/fake-processes.js";
import { BY_TEST, draft } from "../support/memory-world.js";
import { removeFolder } from "../support/remove-folder.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "strata-git-"));
});
afterEach(() => removeFolder(root));

const git = (clone: string, ...args: string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main", ...args],
    {
      cwd: join(root, clone),
      encoding: "utf8",
      stdio: "pipe",
    },
  );

function openStore(clone: string): Memories {
  const project = join(root, clone);
  return createMemoryStore({
    clock,
    files,
    locks: createLocks({ clock, files, processes: createFakeProcesses(), instance: clone }),
    log: createFakeLog(),
    instance: clone,
    folders: planFolders(project),
    globalFolder: join(root, "global"),
    limits: { maxLines: 200, maxSize: 25_000 },
  });
}

async function commit(clone: string, store: Memories): Promise<void> {
  await store.list();
  await store.onIdle();
  git(clone, "add", "-A");
  git(clone, "commit", "-qm", "memories");
}

/** Two clones that have the memories `one` and `two`, and a branch each. */
async function openClones(): Promise<{ mine: Memories; theirs: Memories }> {
  await files.writeWhole(join(root, "mine", "x"), "");
  git("mine", "init", "-q");
  const mine = openStore("mine");
  for (const title of ["one", "two"]) await mine.remember(draft(`about ${title}`, { title }), BY_TEST);
  await commit("mine", mine);
  execFileSync("git", ["clone", "-q", "mine", "theirs"], { cwd: root });
  return { mine, theirs: openStore("theirs") };
}

it("changes of different memories merge without conflict, and none counts as edited by hand", async () => {
  const { mine, theirs } = await openClones();
  await mine.update("decision/one", (one) => ({ ...one, content: "mine" }), BY_TEST);
  await mine.remember(draft("mine too", { title: "three" }), BY_TEST);
  await mine.remember(draft("nobody else's", { sensitivity: "private" }), BY_TEST);
  await commit("mine", mine);
  await theirs.update("decision/two", (one) => ({ ...one, content: "theirs" }), BY_TEST);
  await theirs.remember(draft("theirs too", { title: "four" }), BY_TEST);
  await commit("theirs", theirs);
  git("theirs", "pull", "-q", "--no-rebase", "--no-edit", "origin", "main");
  const memories = await theirs.list();
  expect(Object.fromEntries(memories.map(({ id, content }) => [id, content]))).toEqual({
    "decision/one": "mine",
    "decision/two": "theirs",
    "decision/three": "mine too",
    "decision/four": "theirs too",
  });
  for (const { id } of memories) {
    const history = await theirs.history(id);
    expect(history.map(({ by }) => by)).not.toContain("person");
    expect(history.at(-1)?.contents).toBe(
      await readFile(join(root, "theirs", ".opencode", "memory", `${id}.md`), "utf8"),
    );
  }
  expect(git("theirs", "status", "--porcelain")).toBe("");
});

it("a clone whose git changes line ends, as on Windows, has the same bytes, and none counts as edited by hand", async () => {
  const { mine } = await openClones();
  execFileSync("git", ["clone", "-q", "-c", "core.autocrlf=true", "mine", "windows"], { cwd: root });
  const theirs = openStore("windows");
  for (const { id } of await theirs.list()) {
    const [ours, cloned] = await Promise.all(
      ["mine", "windows"].map((name) =>
        readFile(join(root, name, ".opencode", "memory", `${id}.md`), "utf8"),
      ),
    );
    expect(cloned).toBe(ours);
    expect(await theirs.history(id)).toEqual(await mine.history(id));
  }
});
