/** `strata doctor` with broken installations: its first line names the cause. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patiently } from "../../support/patience.js";
import { repository } from "../repository.js";
import { type DoctorRun, runDoctor } from "../stage/doctor.js";
import { packAs } from "../stage/packed.js";
import { createProject, type Project } from "../stage/project.js";
import { type RefusingRegistry, startRefusingRegistry } from "../stage/registry.js";

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
      const run = await examine(project, WITHOUT_PROOF.has(name) ? ["--no-proof"] : []);
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
      const run = await examine(project);
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

const LEVELS = ["problem", "warning", "note", "ok"];

const levelsOf = ({ out }: DoctorRun): string[] =>
  out.split("\n").flatMap((line) => /^(problem|warning|note|ok) /.exec(line)?.[1] ?? []);

const examine = (project: Project, args: readonly string[] = []): Promise<DoctorRun> =>
  runDoctor(project, args, { env: { npm_config_registry: registry.url } });
