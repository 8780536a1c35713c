/**
 * `strata doctor` with the real OpenCode: a healthy plugin in OpenCode 2, and what can be wrong with an installation or a
 * machine. Of a broken installation its first line names the cause.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Finding } from "../../../src/operations/doctor/machine.js";
import { layeredPlugin } from "../fixtures/layered-plugin.js";
import { repository } from "../repository.js";
import { findHost } from "../stage/opencode.js";
import { createProject, type Project } from "../stage/project.js";
import { readFindings, runDoctor, type StrataOptions, type StrataRun } from "../stage/strata.js";

interface Examined {
  code: number | null;
  seconds: number;
  findings: readonly Finding[];
  proof: readonly Finding[];
}

const examine = (project: Project, ...args: string[]): Promise<Examined> => examineWith({}, project, ...args);

async function examineWith(options: StrataOptions, project: Project, ...args: string[]): Promise<Examined> {
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
];

test.each(broken)("doctor names the cause in its first line: $name", async ({ first, install, todo }) => {
  const project = await createProject();
  try {
    await project.write("opencode.json", JSON.stringify(install(project.root)));
    const run = await runDoctor(project, [], withRegistry());
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
});

const withRegistry = (): StrataOptions => ({ env: { npm_config_registry: registry.url } });

const LEVELS = ["problem", "warning", "note", "ok"];

const levelsOf = ({ out }: StrataRun): string[] =>
  out.split("\n").flatMap((line) => /^(problem|warning|note|ok) /.exec(line)?.[1] ?? []);

/** The plugin with an extra layer whose hook throws, as a folder that OpenCode can load. */

/** Writes the plugin into `folder`; returns the folder. */
function writeThrowingPlugin(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"name": "throwing", "type": "module", "main": "index.js"}');
  writeFileSync(
    join(folder, "index.js"),
    layeredPlugin({
      id: "throwing",
      code: `
const throwing = { name: "throwing", phase: "before", handlers: { turn() { throw new Error("out of ink"); } } };
const createLayers = () => [throwing];`,
    }),
  );
  return folder;
}

/** A package registry on a local port that rejects every request. */

interface RefusingRegistry {
  readonly url: string;
  /** Requests, such as `GET /opencode-strata`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

async function startRefusingRegistry(status: 404 | 500): Promise<RefusingRegistry> {
  const asked: string[] = [];
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.writeHead(status, { "content-type": "application/json" });
    response.end('{"error":"refused"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
