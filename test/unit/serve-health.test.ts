import { beforeAll, describe, expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { formatToken } from "../../src/io/holders.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { createStyle } from "../../src/operations/command.js";
import { openProject } from "../../src/operations/project.js";
import { checkHealth, type HealthOptions } from "../../src/serve/health.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles, systemError } from "../support/memory-files.js";
import { HOST, serveApp } from "../support/served.js";
import { runStrata } from "../support/shell.js";
import { FOLDER, openSound } from "../support/sound-project.js";

const STATE = `${PROJECT}/.opencode/strata/state`;
const ENOUGH = 10_000_000_000;

let sound: MemoryFiles;
beforeAll(async () => {
  sound = await openSound();
});

/** An intact project. */
const copySound = (): MemoryFiles =>
  createMemoryFiles(Object.fromEntries([...sound.contents].map(([path, bytes]) => [path, bytes])));

/** Requests the health of a project on these files, as a client without the key. */
async function askHealth(files: Files, readFreeBytes: HealthOptions["readFreeBytes"] = async () => ENOUGH) {
  const clock = createFakeClock();
  const cli = {
    ...{ clock, folder: PROJECT, home: "/home/me", env: {}, style: createStyle(false) },
    ...{ say() {}, warn() {}, openFile: async () => {}, loadLayers: async () => [] },
  };
  // Opened while all was well.
  const project = { ...(await openProject({ ...cli, files: sound })), cli: { ...cli, files } };
  const health = () => checkHealth(clock, async () => [project], { readFreeBytes });
  const asked = serveApp({ health }).get("/health", { host: HOST });
  return { asked, clock };
}

/** The same disk, with these operations failing under these paths. */
const failing = (files: Files, names: readonly string[], below: RegExp, code = "EACCES"): Files =>
  new Proxy(files, {
    get: (target, name) =>
      names.includes(String(name))
        ? async (path: string, ...rest: unknown[]) => {
            if (below.test(path)) throw systemError(code, path);
            return Reflect.get(target, name)(path, ...rest);
          }
        : Reflect.get(target, name),
  });

async function token(change: object = {}): Promise<string> {
  const own = await createRunningProcesses().own();
  const since = new Date(MORNING).toISOString();
  return formatToken({ id: "t", instance: "x", since, process: { ...own, ...change } });
}

type Plant = (files: MemoryFiles) => Promise<Files | undefined>;

const write =
  (path: string, text: () => string | Promise<string>): Plant =>
  async (files) =>
    void (await files.writeWhole(path, await text()));

/** A folder of memories that is something else. */
const replaceFolder =
  (isLink: boolean): Plant =>
  async (files) => {
    await files.remove(`${FOLDER}/procedure`);
    await files.writeWhole(`${FOLDER}/procedure`, "/etc");
    if (isLink) files.links.add(`${FOLDER}/procedure`);
    return undefined;
  };

const fail =
  (name: string, below: RegExp, code?: string): Plant =>
  async (files) =>
    failing(files, [name], below, code);

const GLOBAL = "/home/me/.config/opencode";
const damaged = JSON.stringify({ v: 1, ledgerFile: "../../x.jsonl", lines: [{}] });

const cases: readonly (readonly [what: string, check: string, plant: Plant])[] = [
  ["an unreadable memory folder", "store", fail("list", /\/idea$/)],
  ["a memory folder whose stat fails", "store", fail("statItself", /\/memory$/, "EIO")],
  ["the private folder that may not be read", "store", fail("list", /private\/preference$/)],
  [
    "global memories that may not be read",
    "store",
    async (files) => {
      await files.writeWhole(`${GLOBAL}/memory/idea/a.md`, "a");
      return failing(files, ["list"], /^\/home\/me\/\.config\/opencode\/memory\/idea$/);
    },
  ],
  [
    "a project whose folder was deleted",
    "store",
    async (files) => {
      for (const path of [...files.contents.keys()])
        if (path.startsWith(`${PROJECT}/`)) await files.remove(path);
      return files;
    },
  ],
  ["a file instead of a memory folder", "store", replaceFolder(false)],
  ["a link instead of a memory folder", "store", replaceFolder(true)],
  ["a lock whose owner runs but does not renew it", "locks", write(`${STATE}/errors.lock`, token)],
  ["such a lock of memories", "locks", write(`${STATE}/memory/internal/lock`, token)],
  ["such a global lock", "locks", write(`${GLOBAL}/strata/state/memory/internal/lock`, token)],
  ["a state file that is not JSON", "state", write(`${STATE}/leases.json`, () => '{"v":1,"lea')],
  ["a state file that holds a list", "state", write(`${STATE}/dream.json`, () => "[]")],
  [
    "a state file that cannot be read",
    "state",
    async (files) => {
      await files.writeWhole(`${STATE}/prices.json`, "{}");
      return failing(files, ["read"], /prices\.json$/, "EIO");
    },
  ],
  [
    "a change in progress that names another file",
    "state",
    write(`${STATE}/memory/internal/pending.json`, () => damaged),
  ],
];

describe("/health", () => {
  it("answers 200 for an intact project", async () => {
    const { asked } = await askHealth(copySound());
    const answer = await asked;
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
  });

  it.each(cases)("answers 503 for %s, and says so without paths", async (_what, check, plant) => {
    const files = copySound();
    const answer = await (await askHealth((await plant(files)) ?? files)).asked;
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toEqual([
      503,
      { status: "degraded", problems: [{ check, what: expect.stringMatching(/^[a-z ,]+$/) }] },
    ]);
    expect(text).not.toMatch(/project|home|opencode|\.json/);
  });

  it("answers 503 when less than 200 MB are free, and 200 when the system does not say", async () => {
    const files = copySound();
    for (const [free, status] of [
      [199_999_999, 503],
      [200_000_000, 200],
      [undefined, 200],
    ] as const) {
      const { asked } = await askHealth(files, async () => free);
      expect([free, (await asked).status]).toEqual([free, status]);
    }
  });

  it("answers 503 when a check fails or does not end", async () => {
    const files = copySound();
    const broken = await askHealth(files, async () => {
      throw new Error("EIO");
    });
    expect(await (await broken.asked).json()).toMatchObject({ problems: [{ what: "the check failed" }] });
    const hung = await askHealth(files, () => new Promise(() => {}));
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    hung.clock.advance(5_000);
    const answer = await hung.asked;
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { problems: [{ what: "the check timed out" }] },
    ]);
  });

  it("answers 200 for locks that are in use, and for those of an ended process", async () => {
    const files = copySound();
    await files.writeWhole(`${STATE}/errors.lock`, await token());
    files.modifiedMs.set(`${STATE}/errors.lock`, MORNING - 59_000);
    await files.writeWhole(`${STATE}/dream.lock`, await token({ start: "0" }));
    expect((await (await askHealth(files)).asked).status).toBe(200);
  });
});

describe("strata serve --check", () => {
  it("prints what is wrong and where, and exits with 1", async () => {
    const files = copySound();
    expect(await runStrata(files, "serve --check")).toMatchObject({ code: 0, out: "ok" });
    await files.writeWhole(`${STATE}/leases.json`, "{");
    const { code, out } = await runStrata(files, "serve --check");
    expect([code, out]).toEqual([1, `a machine state file is damaged: ${STATE}/leases.json`]);
    const asJSON = await runStrata(files, "serve --check --json");
    expect(JSON.parse(asJSON.out)).toMatchObject({ status: "degraded", problems: [{ check: "state" }] });
  });
});
