/** How OpenCode 2 is told of the package, in a home where nothing was set up: each form loads, both halves of it. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./repository.js";
import { findOpenCode2 } from "./stage/opencode-binary.js";
import { findArchive } from "./stage/packed.js";
import type { Project } from "./stage/project.js";
import { openStage, type Stage } from "./stage/stage.js";
import { runDoctor, runStrata } from "./stage/strata.js";
import { installByHost } from "./terminal/installed.js";

interface Loaded {
  id: string;
  features: { server?: boolean; tui?: boolean };
  state: { status: string };
}

/** What the host has loaded for the project, of Strata or of another plugin. */
async function findLoaded({ host }: Stage, wanted = "opencode-strata"): Promise<Loaded[]> {
  const { data } = await host.api<{ data: Loaded[] }>("GET", "/plugin");
  return data.filter(({ id }) => id === wanted);
}

const both = [
  expect.objectContaining({ features: { server: true, tui: true }, state: { status: "active" } }),
];
const serverAlone = [expect.objectContaining({ features: { server: true }, state: { status: "active" } })];

const write = (project: Project, path: string, text: string): void => {
  mkdirSync(dirname(project.file(path)), { recursive: true });
  writeFileSync(project.file(path), text);
};
const configure = (config: (project: Project) => object) => (project: Project) =>
  write(project, "opencode.json", JSON.stringify(config(project)));

const FORMS: [string, (project: Project) => void, object[]][] = [
  ["the folder, in plugins", configure(() => ({ plugins: [repository] })), both],
  ["the folder, in OpenCode 1's list", configure(() => ({ plugin: [repository] })), both],
  [
    "the folder, in both lists, which loads it once",
    configure(() => ({ plugin: [repository], plugins: [repository] })),
    both,
  ],
  [
    "the folder with options",
    configure(() => ({ plugins: [{ package: repository, options: { log: { level: "debug" } } }] })),
    both,
  ],
  ["a file: address of the folder", configure(() => ({ plugins: [`file://${repository}`] })), both],
  [
    "the folder, seen from the project",
    configure(({ path }) => ({ plugins: [`./${relative(path, repository)}`] })),
    both,
  ],
  [
    "a link to the folder in .opencode/plugins",
    (project) => {
      mkdirSync(project.file(".opencode/plugins"), { recursive: true });
      symlinkSync(repository, project.file(".opencode/plugins/strata"));
    },
    both,
  ],
  [
    "a file in .opencode/plugin that re-exports it, which has no screen half",
    (project) =>
      write(
        project,
        ".opencode/plugin/strata.js",
        `export { default } from ${JSON.stringify(join(repository, "server.js"))};\n`,
      ),
    serverAlone,
  ],
  ["the tarball", configure(({ root }) => ({ plugins: [`file:${findArchive(root)}`] })), both],
];

for (const [form, prepare, expected] of FORMS)
  test(`OpenCode 2 loads the package as ${form}`, async () => {
    await using stage = await openStage({ plugin: [], prepare });
    await expect.poll(() => findLoaded(stage), { timeout: 30_000 }).toEqual(expected);
  });

test("`opencode plugin add` puts the package into the user's own configuration, and OpenCode 2 loads it in every project", async () => {
  await using stage = await openStage({
    alone: true,
    plugin: [],
    prepare: async (project) => void (await installByHost(project)),
  });
  await expect.poll(() => findLoaded(stage), { timeout: 30_000 }).toEqual(both);
  const { cache, config } = stage.project.folders;
  const { out } = await runDoctor(stage.project, ["--no-proof"], {
    folder: dirname(findOpenCode2()),
    env: { XDG_CACHE_HOME: cache, XDG_CONFIG_HOME: config },
  });
  expect(out).toMatch(
    /^ok {7}OpenCode loads opencode-strata \S+ from \S+\/opencode\/npm\/opencode-strata@latest\//m,
  );
});

/** As its user has it: OpenCode 2 in the PATH. */
const init = async (project: Project, ...flags: string[]): Promise<string> => {
  const { code, err, out } = await runStrata(project, ["init", ...flags], {
    folder: dirname(findOpenCode2()),
    env: { XDG_CONFIG_HOME: project.folders.config },
  });
  expect(code, err).toBe(0);
  return out;
};

for (const flags of [[], ["--global"]])
  test(`what \`strata ${["init", ...flags].join(" ")}\` writes, OpenCode 2 loads, both halves of it, until --remove`, async () => {
    await using stage = await openStage({
      alone: flags.includes("--global"),
      plugin: [],
      prepare: async (project) => {
        expect(await init(project, ...flags)).toContain("in the PATH is OpenCode 2.");
      },
    });
    await expect.poll(() => findLoaded(stage), { timeout: 30_000 }).toEqual(both);
    await init(stage.project, ...flags, "--remove");
    await stage.restart();
    expect(await findLoaded(stage)).toEqual([]);
  });

test("a folder without the two files, a file of it, an archive's path, and what a later entry removes are passed over by OpenCode 2", async () => {
  const lists = (root: string): string[][] => [
    [join(repository, "docs")],
    [join(repository, "dist/plugin.js")],
    [findArchive(root)],
    [repository, "-opencode-strata"],
    [repository, "-*"],
  ];
  for (const index of lists(repository).keys()) {
    await using stage = await openStage({
      plugin: [],
      prepare: (project) => {
        // Of a list, the host loads one after the other: when the last is there, no other is to come.
        write(project, "last/server.js", 'export default { id: "last", setup() {} };');
        configure(({ root }) => ({ plugins: [...(lists(root)[index] ?? []), "./last"] }))(project);
      },
    });
    await expect.poll(() => findLoaded(stage, "last"), { timeout: 30_000 }).toEqual(serverAlone);
    expect(await findLoaded(stage)).toEqual([]);
  }
});
