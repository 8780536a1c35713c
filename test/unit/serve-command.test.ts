import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles, systemError } from "../support/memory-files.js";
import { endServing, serve } from "../support/serving.js";
import { runStrata } from "../support/shell.js";
import { openSound } from "../support/sound-project.js";

afterEach(endServing);

const ID = "00000000-0000-0000-0000-000000000000";

/** Folder of a project's record on this machine. */
function ownerOf(path: string): string {
  const id = createHash("sha256").update(path).digest("hex").slice(0, 32);
  return `/home/me/.local/state/opencode-strata/projects/${id}/owner.json`;
}

/** Projects that this machine knows, with an idea in each. */
async function openProjects(...names: string[]): Promise<MemoryFiles> {
  const files = createMemoryFiles();
  for (const name of names) {
    const folder = `/projects/${name}`;
    await files.writeWhole(`${folder}/.git/HEAD`, "x");
    await runStrata(files, `remember --type idea in ${name}`, { folder });
    await files.writeWhole(ownerOf(folder), JSON.stringify({ v: 1, id: ID, path: folder }));
  }
  return files;
}

const readProjects = async (answer: Response): Promise<Record<string, unknown>[]> =>
  ((await answer.json()) as { projects: Record<string, unknown>[] }).projects;

describe("strata serve", () => {
  it("serves a project until Ctrl-C, with the same counts as strata status, and writes nothing", async () => {
    const files = await openSound();
    const before = new Map(files.contents);
    const served = await serve(files);
    expect(served.projects).toEqual([PROJECT]);
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const [project] = await readProjects(await served.ask("/stats"));
    const status = JSON.parse((await runStrata(files, "status --json")).out);
    expect(project).toMatchObject({
      project: PROJECT,
      memories: status.memories,
      conflicts: 0,
      openBlockers: 0,
    });
    expect(await (await served.ask("/metrics")).text()).toContain(
      `strata_memories{project="${PROJECT}",type="decision"} 1`,
    );
    expect((await served.ask("/health", {})).status).toBe(200);
    expect((await served.ask("/stats", {})).status).toBe(401);
    expect(await served.end()).toEqual({ code: 0, err: "strata: stopping …" });
    expect(new Map(files.contents)).toEqual(before);
  });

  it("reveals no memory text", async () => {
    const files = await openSound();
    await runStrata(files, "remember --type blocker --private the cellar key is missing");
    const served = await serve(files);
    for (const path of ["/stats", "/metrics", "/health"])
      expect(await (await served.ask(path)).text()).not.toMatch(/cellar|8080|second idea|short answers/);
  });

  it("generates a key for each run, and a link that opens the page in one browser", async () => {
    const files = await openSound();
    const [first, second] = [await serve(files), await serve(files)];
    expect(first.key).toMatch(/^[\w-]{43}$/);
    expect(second.key).not.toBe(first.key);
    const opened = await fetch(first.link);
    const [cookie = ""] = (opened.headers.get("set-cookie") ?? "").split(";");
    expect((await first.ask("/stats", { cookie })).status).toBe(200);
    expect((await second.ask("/stats", { cookie })).status).toBe(401);
    expect((await fetch(first.link)).status).toBe(401);
  });

  it("serves every project of this machine with --all, from any folder, and only those that still exist", async () => {
    const files = await openProjects("b", "a", "gone");
    for (const path of [...files.contents.keys()])
      if (path.startsWith("/projects/gone/")) await files.remove(path);
    const served = await serve(files, "--all", {}, "/elsewhere");
    expect(served.projects).toEqual(["/projects/a", "/projects/b"]);
    const projects = await readProjects(await served.ask("/stats"));
    expect(projects.map(({ memories, project }) => [project, memories])).toEqual([
      ["/projects/a", { idea: 1 }],
      ["/projects/b", { idea: 1 }],
    ]);
  });

  it("serves the other projects if the ledger of one cannot be read, and names that one in the terminal", async () => {
    const files = await openProjects("a", "b");
    const list = (path: string): Promise<string[]> =>
      path === "/projects/a/.opencode/strata/savings"
        ? Promise.reject(systemError("EIO", path))
        : files.list(path);
    const served = await serve({ ...files, list }, "--all", {}, "/elsewhere");
    const projects = await readProjects(await served.ask("/stats"));
    expect(projects.map(({ project }) => project)).toEqual(["/projects/b"]);
    expect((await served.ask("/metrics")).status).toBe(200);
    expect((await served.end()).err).toContain("the figures of /projects/a cannot be read: EIO");
  });

  it("reads both names of a variable, the newer one first, and an option before both", async () => {
    const files = await openSound();
    const older = { OPENCODE_MEMORY_API_KEY: "older-key", OPENCODE_MEMORY_RATE_LIMIT: "2" };
    const first = await serve(files, "", older);
    expect(first.key).toBe("older-key");
    for (const status of [200, 200, 429]) expect((await first.ask("/stats")).status).toBe(status);
    const newer = { ...older, STRATA_API_KEY: "newer-key", STRATA_RATE_LIMIT: "1" };
    const second = await serve(files, "", newer);
    expect(second.key).toBe("newer-key");
    for (const status of [200, 429]) expect((await second.ask("/stats")).status).toBe(status);
    const third = await serve(files, "--rate-limit 3", newer);
    for (const status of [200, 200, 200, 429]) expect((await third.ask("/stats")).status).toBe(status);
  });

  it.each([
    ["--port 65536", {}, "--port must be a whole number from 0 to 65535"],
    ["", { OPENCODE_MEMORY_PORT: "http" }, "OPENCODE_MEMORY_PORT must be a whole number"],
    ["--rate-limit 0", {}, "--rate-limit must be a whole number from 1"],
    ["", { STRATA_RATE_LIMIT: "-1" }, "STRATA_RATE_LIMIT must be a whole number"],
    ["", { STRATA_API_KEY: "with a space" }, "STRATA_API_KEY must consist of visible ASCII"],
    ["--host 0.0.0.0", {}, "others can reach 0.0.0.0: expected a key of at least 16 characters"],
    ["--host ::", { STRATA_API_KEY: "short" }, "expected a key of at least 16 characters"],
    ["", { OPENCODE_MEMORY_HOST: "192.168.0.7" }, "others can reach 192.168.0.7"],
    ["--host memory.example", {}, "others can reach memory.example"],
  ])("serve %s with %j is refused, and says what was expected", async (line, env, says) => {
    const { code, err } = await runStrata(await openSound(), `serve ${line}`, { env });
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  });

  it("prints the address, the link, and the key only if it was generated", async () => {
    const files = await openSound();
    const made = await runStrata(files, "serve --port 0", { stopsAfter: 1 });
    expect(made.out).toMatch(
      /^Serving \/project at http:\/\/127\.0\.0\.1:\d+; Ctrl-C stops it\n {2}page {2}http:\S+\/open\/\S+ {2}\(.*\)\n {2}mcp {3}http:\S+\/mcp {2}\(.*\)\n {2}key {3}[\w-]{43} {2}/,
    );
    const given = await runStrata(files, "serve --port 0", {
      stopsAfter: 1,
      env: { STRATA_API_KEY: "mine-alone" },
    });
    expect(given.out).not.toContain("mine-alone");
  });
});
