/**
 * `strata doctor` with the real OpenCode: a healthy plugin in OpenCode 2, and what can be wrong with an installation or a
 * machine. Of a broken installation its first line names the cause.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Finding } from "../../../src/operations/doctor/machine.js";
import { patiently } from "../../support/patience.js";
import { startChild } from "../../support/processes/child.js";
import { writeSlowOpenCode } from "../fixtures/slow-opencode.js";
import { writeThrowingPlugin } from "../fixtures/throwing-plugin.js";
import { repository } from "../repository.js";
import { type DoctorOptions, type DoctorRun, readFindings, runDoctor } from "../stage/doctor.js";
import { findHost } from "../stage/opencode.js";
import { packAs } from "../stage/packed.js";
import { createProject, type Project } from "../stage/project.js";
import { type RefusingRegistry, startRefusingRegistry } from "../stage/registry.js";

interface Examined {
  code: number | null;
  seconds: number;
  findings: readonly Finding[];
  proof: readonly Finding[];
}

const examine = (project: Project, ...args: string[]): Promise<Examined> => examineWith({}, project, ...args);

async function examineWith(options: DoctorOptions, project: Project, ...args: string[]): Promise<Examined> {
  const run = await runDoctor(project, ["--json", ...args], options);
  return { code: run.code, seconds: run.seconds, ...readFindings(run) };
}

async function withProject(
  config: object,
  run: (project: Project) => Promise<void>,
  left = [".git", "opencode.json"],
): Promise<void> {
  const project = await createProject({ "opencode.json": JSON.stringify(config) });
  try {
    await run(project);
    // Neither in the project nor among the temporary files is anything left.
    expect(readdirSync(project.folders.tmp).filter((name) => name.startsWith("strata-"))).toEqual([]);
    expect(readdirSync(project.path).sort()).toEqual(left);
  } finally {
    await project.remove();
  }
}

const healthy = { plugin: [repository] };
const troublesOf = ({ findings }: Examined): string[] =>
  findings
    .filter(({ level }) => level === "problem" || level === "warning")
    .map(({ level, what }) => `${level}: ${what}`);

const look = (project: Project) => examine(project, "--no-proof");

test("doctor proves a healthy plugin in OpenCode 2, in the same session", async () => {
  await withProject({ plugins: [repository] }, async (project) => {
    const { code, proof } = await examineWith({ folder: dirname(findHost(2)) }, project);
    const unusual = proof.filter(({ level }) => level !== "fine").map(({ what }) => what);
    expect(unusual).toEqual(["hook config does not exist in OpenCode 2.0.15"]);
    expect(proof.map(({ what }) => what)).toContain("command /memory answered without a model call");
    expect(proof.filter(({ what }) => /^layer \S+ works: /.test(what))).toHaveLength(8);
    expect(code).toBe(0);
  });
});

test("doctor tells a layer that is off from one whose hook throws", async () => {
  const options = { microCompact: { enabled: false } };
  await withProject({ plugin: [[repository, options]] }, async (project) => {
    const { code, proof } = await examine(
      project,
      "--plugin",
      writeThrowingPlugin(join(project.root, "throwing")),
    );
    const unusual = proof
      .filter(({ level }) => level !== "fine")
      .map(({ level, what }) => `${level}: ${what}`);
    expect(unusual).toEqual([
      "note: layer micro-compact is off: microCompact.enabled is false",
      expect.stringMatching(
        /^problem: layer throwing failed \d+ times, last at hook turn: failed: out of ink$/,
      ),
    ]);
    expect(code).toBe(1);
  });
});

test("doctor says how far OpenCode 2 was tested, that no hook fired there, and runs no program from the repository", async () => {
  await withProject(
    healthy,
    async (project) => {
      const script = (said: string) => `#!/bin/sh\necho ${said} >> ${project.root}/ran\necho ${said}\n`;
      await project.write("node_modules/.bin/opencode", script("9.9.9"));
      const folder = join(project.root, "two");
      mkdirSync(folder);
      writeFileSync(join(folder, "opencode"), script("2.2.7"));
      for (const path of [join(folder, "opencode"), project.file("node_modules/.bin/opencode")])
        chmodSync(path, 0o755);
      const { code, findings, proof } = await examineWith({ folder }, project);
      expect(findings).toContainEqual({
        level: "note",
        what: expect.stringContaining(`OpenCode 2.2.7, ${folder}/opencode: Strata is tested with 2.0.15`),
        todo: expect.stringContaining("the proof shows"),
      });
      // This OpenCode answers everything with its version and loads no plugin.
      expect(code).toBe(1);
      expect(proof.filter(({ level }) => level === "fine")).toEqual([]);
      expect(proof).toContainEqual(expect.objectContaining({ level: "problem" }));
      const ran = readFileSync(join(project.root, "ran"), "utf8");
      expect(new Set(ran.trim().split("\n"))).toEqual(new Set(["2.2.7"]));
    },
    [".git", "node_modules", "opencode.json"],
  );
});

test("doctor tells a lock whose process was killed from one that is held", async () => {
  const withState = [".git", ".opencode", "opencode.json"];
  await withProject(
    healthy,
    async (project) => {
      const state = project.file(".opencode/strata/state");
      mkdirSync(state, { recursive: true });
      const holder = startChild("lock-user.ts", state, "1", "hold");
      await holder.line("locked");
      const held = await look(project);
      expect([held.code, troublesOf(held)]).toEqual([0, []]);
      expect(
        held.findings.some(({ what }) => /x\.lock is held by instance user-\d+ \(process \d+/.test(what)),
      ).toBe(true);
      await holder.kill();
      const stale = await look(project);
      expect([stale.code, troublesOf(stale)]).toEqual([
        1,
        [expect.stringMatching(/^warning: .*x\.lock is a stale lock: instance user-\d+ .* has ended$/)],
      ]);
    },
    withState,
  );
});

test("doctor --within ends the session in time, proves nothing, and says what to do", async () => {
  await withProject(healthy, async (project) => {
    const { code, proof } = await examine(project, "--within", "2");
    expect(code).toBe(1);
    expect(proof).toEqual([
      {
        level: "problem",
        what: expect.stringMatching(/did not (end within 2 s|listen within 2000 ms)/),
        ...(proof[0]?.todo && { todo: expect.stringContaining("--within") }),
      },
    ]);
  });
});

test(
  "doctor needs no longer limit on a machine that is five times as slow",
  async () => {
    await withProject(healthy, async (project) => {
      const folder = writeSlowOpenCode(join(project.root, "slow"), 5);
      const { code, proof } = await examineWith({ folder }, project);
      expect(proof.filter(({ level }) => level !== "fine")).toEqual([]);
      expect(code).toBe(0);
    });
  },
  patiently(400_000),
);

let registry: RefusingRegistry;
beforeAll(async () => {
  registry = await startRefusingRegistry(404);
});
afterAll(() => registry.close());

interface Installation {
  name: string;
  /** Makes it, in a folder beside the project, and says what stands in the configuration. */
  install(folder: string): unknown;
  /** The first thing that the doctor says. */
  first: RegExp;
  todo?: RegExp;
}

/** Makes a package of this name in the folder. */
function writePackage(folder: string, files: Record<string, string>): string {
  mkdirSync(folder, { recursive: true });
  const manifest = {
    name: "opencode-strata",
    version: "0.1.0",
    type: "module",
    main: "./main.js",
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const broken: readonly Installation[] = [
  {
    name: "not configured",
    install: () => ({ plugin: ["opencode-pty"] }),
    first: /^problem {2}opencode-strata is not configured: no plugin list names it/,
    todo: /strata init/,
  },
  {
    name: "a name that the registry does not have",
    install: () => ({ plugin: ["opencode-strata"] }),
    first:
      /^problem {2}OpenCode cannot install "opencode-strata" in \S+opencode\.json: 404 Not Found - GET http:/,
    todo: /name a version that the registry has, or a folder/,
  },
  {
    name: "a folder that is not there",
    install: (folder) => ({ plugin: [join(folder, "opencode-strata")] }),
    first:
      /^problem {2}"\S+" in \S+opencode\.json: \S+opencode-strata does not exist, so OpenCode does not load/,
  },
  {
    name: "a folder that was not built",
    install: (folder) => ({ plugin: [[writePackage(join(folder, "unbuilt"), {}), {}]] }),
    first: /^problem {2}"\S+unbuilt" in \S+: \S+main\.js does not exist, so .*: it was not built/,
    todo: /npm run build in \S+unbuilt/,
  },
  {
    name: "an archive by its path",
    install: (folder) => ({ plugin: [`file://${folder}/opencode-strata-0.1.0.tgz`] }),
    first: /^problem {2}"\S+" in \S+ is an archive, which OpenCode cannot load by its path/,
    todo: /write it as "opencode-strata@file:\/\S+\.tgz"/,
  },
  {
    name: "a module that throws as it is loaded",
    install: (folder) => ({
      plugin: [writePackage(join(folder, "throws"), { "main.js": 'throw new Error("out of ink");' })],
    }),
    first: /^problem {2}OpenCode cannot load "\S+throws" in \S+opencode\.json: out of ink/,
  },
  {
    name: "a plugin that throws as it starts",
    install: (folder) => ({
      plugin: [
        writePackage(join(folder, "stumbles"), {
          "main.js": 'export default { id: "x", server() { throw new Error("out of paper"); } };',
        }),
      ],
    }),
    first: /^problem {2}OpenCode has loaded "\S+stumbles" in \S+, and it failed to start: out of paper/,
  },
  {
    name: "options that are none",
    install: () => ({ plugin: [[repository, "fast"]] }),
    first: /^problem {2}\S+opencode\.json: the options of "\S+" are "fast", but must be an object/,
  },
  {
    name: "an option with a wrong value",
    install: () => ({ plugin: [[repository, { toolResults: { threshold: "30kb" } }]] }),
    first: /^problem {2}\S+opencode\.json: toolResults\.threshold is "30kb", expected/,
  },
  {
    name: "two copies",
    install: (folder) => ({
      plugin: [writePackage(join(folder, "copy"), { "main.js": "" }), "opencode-strata@0.1.0"],
    }),
    first: /^problem {2}opencode-strata is loaded 2 times: "\S+copy" in \S+, "opencode-strata@0\.1\.0" in /,
  },
];

/** These concern the configuration alone, and a session takes seconds. */
const WITHOUT_PROOF = new Set(["options that are none", "an option with a wrong value", "two copies"]);

test.each(broken)(
  "doctor names the cause in its first line: $name",
  async ({ first, install, name, todo }) => {
    const project = await createProject();
    try {
      await project.write("opencode.json", JSON.stringify(install(project.root)));
      const run = await runDoctor(project, WITHOUT_PROOF.has(name) ? ["--no-proof"] : [], withRegistry());
      const [line, next] = run.out.split("\n");
      expect(line).toMatch(first);
      if (todo) expect(next).toMatch(todo);
      expect(run.code).toBe(1);
      expect(levelsOf(run)).toEqual(levelsOf(run).toSorted((a, b) => LEVELS.indexOf(a) - LEVELS.indexOf(b)));
      // Without a terminal it prints nothing but findings.
      expect(run.err).toBe("");
    } finally {
      await project.remove();
    }
  },
);

test(
  "doctor installs and proves an archive of another version, and names the version in its first line",
  async () => {
    const project = await createProject();
    try {
      const archive = packAs("0.0.9", project.root);
      const spec = `opencode-strata@file:${archive}`;
      await project.write("opencode.json", JSON.stringify({ plugin: [spec] }));
      const run = await runDoctor(project, [], withRegistry());
      expect(run.out.split("\n")[0]).toMatch(
        /^warning {2}OpenCode loads opencode-strata 0\.0\.9 from "opencode-strata@file:\S+\.tgz" in \S+, but this command line is 0\.1\.0/,
      );
      expect(run.out).toMatch(/^note {5}"\S+" in \S+: not installed yet/m);
      expect(run.out).toMatch(/^ok {7}layer tool-results works/m);
    } finally {
      await project.remove();
    }
  },
  patiently(300_000),
);

const withRegistry = (): DoctorOptions => ({ env: { npm_config_registry: registry.url } });

const LEVELS = ["problem", "warning", "note", "ok"];

const levelsOf = ({ out }: DoctorRun): string[] =>
  out.split("\n").flatMap((line) => /^(problem|warning|note|ok) /.exec(line)?.[1] ?? []);
