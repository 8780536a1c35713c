/** `strata serve` in this process, with MCP behind its checks, and the health and figures of its projects. */
import { createHash } from "node:crypto";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { formatToken } from "../../src/io/locks.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { plainStyle } from "../../src/operations/command.js";
import { openProject } from "../../src/operations/project.js";
import { createProjectFigures } from "../../src/serve/figures.js";
import { checkHealth, type HealthOptions } from "../../src/serve/health.js";
import { createServerMetrics } from "../../src/serve/metrics.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { connectClient } from "../support/mcp.js";
import { copyFiles, createMemoryFiles, type MemoryFiles, systemError } from "../support/memory-files.js";
import { HOST, serveApp } from "../support/served.js";
import { endServing, type Serving, serve } from "../support/serving.js";
import { runStrata } from "../support/shell.js";
import { FOLDER, openSound } from "../support/sound-project.js";

afterEach(endServing);

let sound: MemoryFiles;
beforeAll(async () => {
  sound = await openSound();
});

/** Projects that this machine knows, with an idea in each. */
async function openProjects(...names: string[]): Promise<MemoryFiles> {
  const files = createMemoryFiles();
  for (const name of names) {
    const folder = `/projects/${name}`;
    await files.writeWhole(`${folder}/.git/HEAD`, "x");
    await runStrata(files, `remember --type idea a thought of ${name}`, { folder });
    const id = createHash("sha256").update(folder).digest("hex").slice(0, 32);
    const owner = JSON.stringify({ v: 1, id: "00000000-0000-0000-0000-000000000000", path: folder });
    await files.writeWhole(`/home/me/.local/state/opencode-strata/projects/${id}/owner.json`, owner);
  }
  return files;
}

const readProjects = async ({ ask }: Serving): Promise<{ id: string; project: string }[]> =>
  ((await (await ask("/stats")).json()) as { projects: { id: string; project: string }[] }).projects;

describe("strata serve", () => {
  it("serves a project until Ctrl-C, with the counts of strata status, writes nothing and reveals no text", async () => {
    const files = copyFiles(sound);
    await runStrata(files, "remember --type blocker --private the cellar key is missing");
    const before = new Map(files.contents);
    const served = await serve(files);
    expect(served.projects).toEqual([PROJECT]);
    const status = JSON.parse((await runStrata(files, "status --json")).out);
    expect(await readProjects(served)).toMatchObject([{ project: PROJECT, memories: status.memories }]);
    expect(await (await served.ask("/metrics")).text()).toContain(
      `strata_memories{project="${PROJECT}",type="decision"} 1`,
    );
    for (const path of ["/stats", "/metrics", "/health"])
      expect(await (await served.ask(path)).text()).not.toMatch(/cellar|8080|second idea|short answers/);
    expect((await served.ask("/stats", {})).status).toBe(401);
    expect(await served.end()).toEqual({ code: 0, err: "strata: stopping …" });
    expect(new Map(files.contents)).toEqual(before);
  });

  it("generates a key for each run, and a link that opens the page in one browser", async () => {
    const [first, second] = [await serve(sound), await serve(sound)];
    expect(first.key).toMatch(/^[\w-]{43}$/);
    expect(second.key).not.toBe(first.key);
    const [cookie = ""] = ((await fetch(first.link)).headers.get("set-cookie") ?? "").split(";");
    expect((await first.ask("/stats", { cookie })).status).toBe(200);
    expect((await second.ask("/stats", { cookie })).status).toBe(401);
  });

  it("serves every project that still exists with --all; one that cannot be read hides no other", async () => {
    const files = await openProjects("b", "a", "gone");
    for (const path of [...files.contents.keys()])
      if (path.startsWith("/projects/gone/")) await files.remove(path);
    const list = (path: string): Promise<string[]> =>
      path === "/projects/a/.opencode/strata/savings"
        ? Promise.reject(systemError("EIO", path))
        : files.list(path);
    const served = await serve({ ...files, list }, "--all", {}, "/elsewhere");
    expect(served.projects).toEqual(["/projects/a", "/projects/b"]);
    expect((await readProjects(served)).map(({ project }) => project)).toEqual(["/projects/b"]);
    expect((await served.end()).err).toContain("the figures of /projects/a cannot be read: EIO");
  });

  it("reads both names of a variable, the newer one first, and an option before both", async () => {
    const older = { OPENCODE_MEMORY_API_KEY: "older-key", OPENCODE_MEMORY_RATE_LIMIT: "2" };
    const newer = { ...older, STRATA_API_KEY: "newer-key", STRATA_RATE_LIMIT: "1" };
    for (const [line, env, key, limit] of [
      ["", older, "older-key", "2"],
      ["", newer, "newer-key", "1"],
      ["--rate-limit 3", newer, "newer-key", "3"],
    ] as const) {
      const served = await serve(sound, line, env);
      const { headers } = await served.ask("/stats");
      expect([served.key, headers.get("ratelimit-limit")]).toEqual([key, limit]);
    }
  });

  it.each([
    ["--port 65536", {}, "--port must be a whole number from 0 to 65535"],
    ["", { OPENCODE_MEMORY_PORT: "http" }, "OPENCODE_MEMORY_PORT must be a whole number"],
    ["", { STRATA_API_KEY: "with a space" }, "STRATA_API_KEY must consist of visible ASCII"],
    ["--host ::", { STRATA_API_KEY: "short" }, "expected a key of at least 16 characters"],
    ["", { OPENCODE_MEMORY_HOST: "192.168.0.7" }, "others can reach 192.168.0.7"],
    ["--tools recall,nonsense", {}, 'got "nonsense"'],
  ])("serve %s with %j is refused, and says what was expected", async (line, env, says) => {
    const { code, err } = await runStrata(sound, `serve ${line}`, { env });
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  });

  it("prints the address, the link, and the key only if it was generated", async () => {
    const made = await runStrata(sound, "serve --port 0", { stopsAfter: 1 });
    expect(made.out).toMatch(
      /^Serving \/project at http:\/\/127\.0\.0\.1:\d+; Ctrl-C stops it\n {2}page {2}http:\S+\/open\/\S+ {2}\(.*\)\n {2}mcp {3}http:\S+\/mcp {2}\(.*\)\n {2}key {3}[\w-]{43} {2}/,
    );
    const env = { STRATA_API_KEY: "mine-alone" };
    expect((await runStrata(sound, "serve --port 0", { stopsAfter: 1, env })).out).not.toContain(
      "mine-alone",
    );
  });
});

describe("/mcp", () => {
  const connect = ({ key, url }: Serving, path = "/mcp") =>
    connectClient(
      // The SDK's types allow no undefined session id where its own class has one.
      new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
      }) as never,
    );

  it("serves the memories to a client with the key, the private ones and more tools only with options", async () => {
    const files = copyFiles(sound);
    const served = await serve(files, "--rate-limit 1000");
    const usual = await connect(served);
    expect(await usual.call("recall", { query: "short answers" })).not.toContain("short answers");
    await usual.call("remember", { content: "We deploy on Fridays.", category: "decision" });
    const wide = await connect(await serve(files, "--rate-limit 1000 --private --tools all"));
    expect(await wide.call("recall", { query: "short answers" })).toContain("short answers");
    expect((await wide.names()).length).toBeGreaterThan((await usual.names()).length);
    expect((await served.end()).code).toBe(0);
    expect((await runStrata(files, "recall deploy")).out).toContain("Fridays");
  });

  it("needs a project's id if several are served, and then serves that one only", async () => {
    const served = await serve(await openProjects("a", "b"), "--all --rate-limit 1000", {}, "/elsewhere");
    const id = (await readProjects(served)).find(({ project }) => project === "/projects/b")?.id;
    const said = await (await connect(served, `/mcp/${id}`)).call("recall", { query: "thought" });
    expect([said.includes("thought of b"), said.includes("thought of a")]).toEqual([true, false]);
    for (const path of ["/mcp", "/mcp/none", `/mcp/${id}/more`, "/mcp/..%2f..", `/mcp/${id}x`])
      expect([path, (await served.ask(path)).status]).toEqual([path, 404]);
  });
});

/* Health. */

const STATE = `${PROJECT}/.opencode/strata/state`;

const cliOf = (files: Files, clock = createFakeClock()) => ({
  ...{ clock, files, folder: PROJECT, home: "/home/me", env: {}, style: plainStyle },
  ...{ say() {}, warn() {}, openFile: async () => {}, loadLayers: async () => [] },
});

/** Requests the health of a project on these files, as a client without the key. */
async function askHealth(
  files: Files,
  readFreeBytes: HealthOptions["readFreeBytes"] = async () => 10_000_000_000,
) {
  const cli = cliOf(files);
  // Opened while all was well.
  const project = { ...(await openProject(cliOf(sound))), cli };
  const health = () => checkHealth(cli.clock, async () => [project], { readFreeBytes });
  const asked = Promise.resolve(serveApp({ health }).get("/health", { host: HOST })).then(async (answer) => ({
    status: answer.status,
    text: await answer.text(),
  }));
  return { asked, clock: cli.clock };
}

/** The same disk, with one operation failing under these paths. */
const failing = (files: Files, name: keyof Files, below: RegExp): Files => ({
  ...files,
  [name]: async (path: string, ...rest: never[]) => {
    if (below.test(path)) throw systemError("EACCES", path);
    return (files[name] as (...given: unknown[]) => unknown)(path, ...rest);
  },
});

async function token(change: object = {}): Promise<string> {
  const own = await createRunningProcesses().own();
  const since = new Date(MORNING).toISOString();
  return formatToken({ id: "t", instance: "x", since, process: { ...own, ...change } });
}

const damaged = JSON.stringify({ ledger: { "../../x.jsonl": ["{}"] }, steps: [{}] });
const planted = (path: string, text: () => string | Promise<string>) => async (files: MemoryFiles) => {
  await files.remove(path).catch(() => {});
  await files.writeWhole(path, await text());
  return files;
};

describe("/health", () => {
  it.each<[what: string, check: string, plant: (files: MemoryFiles) => Files | Promise<Files>]>([
    ["an unreadable memory folder", "store", (files) => failing(files, "list", /\/idea$/)],
    ["a memory folder whose stat fails", "store", (files) => failing(files, "statItself", /\/memory$/)],
    ["a file instead of a memory folder", "store", planted(`${FOLDER}/procedure`, () => "/etc")],
    [
      "a project whose folder was deleted",
      "store",
      async (files) => {
        for (const path of [...files.contents.keys()])
          if (path.startsWith(`${PROJECT}/`)) await files.remove(path);
        return files;
      },
    ],
    ["a lock whose owner does not renew it", "locks", planted(`${STATE}/errors.lock`, token)],
    [
      "such a global lock",
      "locks",
      planted("/home/me/.config/opencode/strata/state/memory/internal/lock", token),
    ],
    ["a state file that is not JSON", "state", planted(`${STATE}/leases.json`, () => '{"v":1,"lea')],
    [
      "a damaged change in progress",
      "state",
      planted(`${STATE}/memory/internal/pending.json`, () => damaged),
    ],
  ])("answers 503 for %s, and says so without paths", async (_what, check, plant) => {
    const { status, text } = await (await askHealth(await plant(copyFiles(sound)))).asked;
    expect([status, JSON.parse(text)]).toEqual([
      503,
      { status: "degraded", problems: [{ check, what: expect.stringMatching(/^[a-z ,]+$/) }] },
    ]);
  });

  it.each([
    [199_999_999, 503],
    [200_000_000, 200],
    [undefined, 200],
  ])("with %s bytes free answers %s", async (free, status) => {
    expect((await (await askHealth(sound, async () => free)).asked).status).toBe(status);
  });

  it("answers 503 when a check fails or does not end", async () => {
    const broken = await askHealth(sound, () => Promise.reject(new Error("EIO")));
    expect((await broken.asked).text).toContain("the check failed");
    const hung = await askHealth(sound, () => new Promise(() => {}));
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    hung.clock.advance(5_000);
    expect((await hung.asked).text).toContain("the check timed out");
  });

  it("answers 200 for locks that are in use, and for those of an ended process", async () => {
    const files = copyFiles(sound);
    await files.writeWhole(`${STATE}/errors.lock`, await token());
    files.modifiedMs.set(`${STATE}/errors.lock`, MORNING - 59_000);
    await files.writeWhole(`${STATE}/dream.lock`, await token({ start: "0" }));
    expect(await (await askHealth(files)).asked).toEqual({ status: 200, text: '{"status":"ok"}' });
  });

  it("is printed with paths by strata serve --check, which then exits with 1", async () => {
    const files = copyFiles(sound);
    expect(await runStrata(files, "serve --check")).toMatchObject({ code: 0, out: "ok" });
    await files.writeWhole(`${STATE}/leases.json`, "{");
    const out = `a machine state file is damaged: ${STATE}/leases.json`;
    expect(await runStrata(files, "serve --check")).toMatchObject({ code: 1, out });
  });
});

/* Figures. */

describe("/metrics", () => {
  it("has every figure in Prometheus' text format, and drops what no longer exists", async () => {
    const figures = await createProjectFigures(await openProject(cliOf(sound)))();
    const project = 'C:\\a "b"\nc';
    const health = { status: "degraded", problems: [{ check: "disk", what: "x" }] } as const;
    const shown = { projects: [{ ...figures, project }], memoryBytes: 123, startedMs: 5_000, health };
    const answers = [shown, { ...shown, projects: [], health: { status: "ok" } as const }];
    const metrics = createServerMetrics(async () => answers.shift() ?? shown);
    metrics.observe({ method: "GET", route: "/stats", status: 200, seconds: 0.02 });
    const lines = (await metrics.format()).split("\n");
    for (const line of lines)
      expect(line).toMatch(
        /^$|^# (HELP|TYPE) [a-z_]+ .+$|^[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? -?[\d.e+]+$/,
      );
    const label = 'project="C:\\\\a \\"b\\"\\nc"';
    for (const line of [
      `strata_memories{${label},type="decision"} ${figures.memories.decision}`,
      `strata_conflicts{${label}} 0`,
      `strata_tokens_saved{${label}} ${figures.savings.net}`,
      `strata_errors{${label},kind="failed"} 0`,
      "strata_healthy 0",
      'strata_problems{check="disk"} 1',
      "process_start_time_seconds 5",
      'strata_http_requests_total{method="GET",route="/stats",status="200"} 1',
    ])
      expect(lines).toContain(line);
    const later = await metrics.format();
    expect(later).not.toMatch(/project=|check="disk"/);
    expect(later).toContain("strata_healthy 1");
  });
});
