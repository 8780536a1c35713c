/** A repository may bring links, and an agent may make one: nothing behind them is read or written. */
import { readFileSync } from "node:fs";
import { lstat, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { createOwnFiles } from "../../src/project/own-files.js";
import { createFakeClock } from "../support/fake-clock.js";
import { openPlanted, type Planted } from "../support/planted-links.js";
import { runStrata } from "../support/shell.js";

const opened: Planted[] = [];
afterEach(() => {
  for (const planted of opened.splice(0)) planted.remove();
});

function open(): Planted {
  const planted = openPlanted();
  opened.push(planted);
  return planted;
}

/** The user's machine keeps what it knows beside the project. */
const envOf = ({ theirs }: Planted) => ({ XDG_STATE_HOME: join(theirs, "..", "state") });

/** The files that docs/files.md lists in a project, one path for each. */
const listed = [...readFileSync("docs/files.md", "utf8").matchAll(/^\| (.+?) \|/gm)]
  .flatMap(([, cell = ""]) => [...cell.matchAll(/`(\.opencode\/[^`]+)`/g)])
  .map(([, path = ""]) =>
    path.replaceAll("<type>", "directive").replaceAll("<id>", "x").replaceAll("<day>", "2026-11-21"),
  );
/** Every folder on the way to one of them. */
const folders = [
  ...new Set(
    listed.flatMap((path) => {
      const parts = path.split("/").slice(0, -1);
      return parts.map((_, depth) => parts.slice(0, depth + 1).join("/"));
    }),
  ),
];

function openOwn(linked: readonly string[] = []) {
  const clock = createFakeClock();
  const said: string[] = [];
  const report = (message: string): void => void said.push(message);
  return {
    clock,
    said,
    files: createOwnFiles({ files: nodeFiles, clock, report, listLinked: async () => linked }),
  };
}

/** Everything that can be done to a path; what was read, as text. */
async function doAll(files: Files, path: string): Promise<string> {
  const seen: unknown[] = [];
  const attempt = async (action: () => Promise<unknown>): Promise<void> => {
    const found = await action().catch(() => undefined);
    seen.push(found instanceof Uint8Array ? Buffer.from(found).toString() : found);
  };
  await attempt(() => files.read(path));
  await attempt(() => files.readFrom(path, 0));
  await attempt(() => files.stat(path));
  await attempt(() => files.list(path));
  await attempt(() => files.touch(path, 1));
  await attempt(() => files.create(path, "ours"));
  await attempt(() => files.appendLine(path, "ours"));
  await attempt(() => files.writeWhole(path, "ours"));
  await attempt(() => files.rename(path, `${path}.1`));
  await attempt(() => files.rename(`${path}.1`, path));
  await attempt(() => files.remove(path));
  return JSON.stringify(seen);
}

describe("a link in the place of a file that docs/files.md lists", () => {
  for (const path of listed) {
    it(`${path}: is neither read nor written through, and gives way to our file`, async () => {
      const planted = open();
      planted.linkFile(path);
      const { files, said } = openOwn();
      expect(await files.read(planted.file(path))).toBeUndefined();
      expect(await files.readFrom(planted.file(path), 0)).toBeUndefined();
      expect(await files.stat(planted.file(path))).toBeUndefined();
      await files.appendLine(planted.file(path), "ours");
      expect((await lstat(planted.file(path))).isFile()).toBe(true);
      expect(await readFile(planted.file(path), "utf8")).toBe("ours\n");
      expect(said).toEqual([expect.stringContaining(`${planted.file(path)} is a link`)]);
      for (const write of ["writeWhole", "create"] as const) {
        const other = open();
        other.linkFile(path);
        await openOwn().files[write](other.file(path), "ours");
        expect(await readFile(other.file(path), "utf8")).toBe("ours");
        expect(other.changes()).toEqual([]);
      }
      const last = open();
      last.linkFile(path);
      expect(await doAll(openOwn().files, last.file(path))).not.toContain("purple");
      expect([...planted.changes(), ...last.changes()]).toEqual([]);
    });
  }
});

describe("a link in the place of a folder that docs/files.md lists", () => {
  for (const folder of folders) {
    it(`${folder}: leads nowhere, for every file below it`, async () => {
      const planted = open();
      planted.linkFolder(folder);
      const { files, said } = openOwn();
      for (const path of listed.filter((one) => one.startsWith(`${folder}/`))) {
        expect(await doAll(files, planted.file(path))).not.toContain("purple");
        await expect(files.writeWhole(planted.file(path), "x")).rejects.toMatchObject({ code: "EELSEWHERE" });
      }
      expect(planted.changes()).toEqual([]);
      expect(said).toEqual([expect.stringContaining(`${planted.file(folder)}: it is a link that leads to`)]);
    });
  }

  it("is followed where the user's own configuration lists the place, and .opencode within its project", async () => {
    const planted = open();
    planted.linkFolder(".opencode/memory");
    const { files, said } = openOwn([await realpath(planted.theirs)]);
    expect(
      Buffer.from((await files.read(planted.file(".opencode/memory/MEMORY.md"))) ?? []).toString(),
    ).toContain("purple");
    expect(await files.statItself(planted.file(".opencode/memory"))).toMatchObject({ kind: "folder" });
    const other = open();
    const { mkdir, symlink } = await import("node:fs/promises");
    await mkdir(other.file("tools/agent"), { recursive: true });
    await symlink("tools/agent", other.file(".opencode"));
    await files.writeWhole(other.file(".opencode/memory/idea/x.md"), "x");
    expect(await readFile(other.file("tools/agent/memory/idea/x.md"), "utf8")).toBe("x");
    expect(said).toEqual([]);
  });
});

it("init edits no configuration file outside of the project, unless its folder is listed", async () => {
  const planted = open();
  planted.write(".git/HEAD", "ref: refs/heads/main\n");
  planted.linkFile("opencode.json", "{}\n");
  const refused = await runStrata(nodeFiles, "init", { folder: planted.project, env: envOf(planted) });
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("is a link out of the project")]);
  expect(planted.changes()).toEqual([]);
  const env = { ...envOf(planted), XDG_CONFIG_HOME: join(planted.theirs, "..", "config") };
  const global = join(env.XDG_CONFIG_HOME, "opencode", "opencode.json");
  await nodeFiles.writeWhole(global, JSON.stringify({ memory: { linkedFolders: [planted.theirs] } }));
  expect((await runStrata(nodeFiles, "init", { folder: planted.project, env })).code).toBe(0);
  expect((await lstat(planted.file("opencode.json"))).isSymbolicLink()).toBe(true);
  expect(planted.changes()).toHaveLength(1);
});
