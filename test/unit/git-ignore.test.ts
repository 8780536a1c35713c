/** A repository may bring a .gitignore of its own for our folders, or track files in them: told by the real git. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createGit } from "../../src/io/node-git.js";
import { hideFromGit, hidesAll, planFolders } from "../../src/project/folders.js";
import { findOwnFlaws } from "../../src/project/own-flaws.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { defaults } from "../support/settings.js";
import { openWorld } from "../support/world.js";

const projects: string[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) rmSync(project, { recursive: true, force: true });
});

function openRepository(paths: Record<string, string>) {
  const project = mkdtempSync(join(tmpdir(), "strata-git-"));
  projects.push(project);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
      cwd: project,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  git("init", "-q");
  for (const [path, text] of Object.entries(paths)) write(path, text);
  return { project, write, git };
}

describe("a .gitignore in a folder of Strata", () => {
  const texts = [
    "",
    "# keep\n",
    "*",
    "*\r\n",
    "  *\n",
    "!x\n*\n",
    "*\n!sub/\n",
    "/*\n",
    "**/*\n",
    "*\n!sub/x\n!sub\n",
  ];
  for (const text of texts) {
    it(`of ${JSON.stringify(text)} is told by whether git sees a file there, and is completed so that git sees none`, async () => {
      const { git, project, write } = openRepository({ "f/.gitignore": text, "f/x": "1", "f/sub/x": "1" });
      const seen = (): string[] =>
        git("status", "--porcelain", "-uall")
          .split("\n")
          .filter((line) => line !== "" && !line.includes(".gitignore"));
      if (hidesAll(text)) expect(seen()).toEqual([]);
      await hideFromGit(files, join(project, "f"));
      write("f/sub/.gitignore", "!*\n");
      expect(seen()).toEqual([]);
      expect(hidesAll(readFileSync(join(project, "f/.gitignore"), "utf8"))).toBe(true);
      if (hidesAll(text)) expect(readFileSync(join(project, "f/.gitignore"), "utf8")).toBe(text);
    });
  }
});

it("files that git tracks in Strata's folders are named, unless they are committed on purpose or belong there", async () => {
  const { git, project } = openRepository({
    ".opencode/memory/idea/x.md": "1",
    ".opencode/memory/MEMORY.md": "1",
    ".opencode/memory/private/idea/x.md": "1",
    ".opencode/strata/.gitignore": "*\n",
    ".opencode/session-memory/ses_1.md": "1",
  });
  git("add", "-Af", ".");
  const folders = planFolders(project);
  const named = async (committedFolders: string[]) =>
    (
      await findOwnFlaws({
        ...{ files, folders, git: createGit() },
        config: { ...structuredClone(defaults), committedFolders },
      })
    ).map(({ path }) => path.slice(project.length + 1));
  const always = [".opencode/memory/private"];
  expect(await named([])).toEqual([...always, ".opencode/session-memory", ".opencode/memory"]);
  expect(await named([folders.sessionMemory, folders.memory])).toEqual(always);
});

const open: Record<string, string> = Object.fromEntries(
  ["tool-results", "session-memory", "strata", "memory/private"].map((folder) => [
    `${PROJECT}/.opencode/${folder}/.gitignore`,
    "# keep\n",
  ]),
);

it("the plugin completes each .gitignore at its start, and says so in the log", async () => {
  const world = await openWorld({ files: createMemoryFiles(open) });
  const log = await world.log();
  for (const path of Object.keys(open)) expect(world.files.text(path)).toBe("# keep\n*\n");
  expect(log.match(/added the missing rules/g)?.length).toBeGreaterThanOrEqual(3);
  const again = await world.restart();
  await again.strata.idle();
  for (const path of Object.keys(open)) expect(world.files.text(path)).toBe("# keep\n*\n");
});
