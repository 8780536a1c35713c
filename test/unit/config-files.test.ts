import { expect, it } from "vitest";
import type { ConfigFile } from "../../src/io/host.js";
import { type ConfigFilesInput, listConfigFiles } from "../../src/project/folders.js";

const input = { directory: "/repo/packages/a", project: "/repo", home: "/home/me", env: {} };
const paths = (files: readonly ConfigFile[]) => files.map(({ path }) => path);

it("configuration files are in the order in which OpenCode 1.18.33 lets one overrule the other, as measured", () => {
  expect(paths(listConfigFiles(input))).toEqual([
    "/home/me/.config/opencode/config.json",
    "/home/me/.config/opencode/opencode.json",
    "/home/me/.config/opencode/opencode.jsonc",
    ...["/repo", "/repo/packages", "/repo/packages/a"].flatMap((f) => [
      `${f}/opencode.jsonc`,
      `${f}/opencode.json`,
    ]),
    ...["/repo/packages/a", "/repo/packages", "/repo", "/home/me"].flatMap((f) => [
      `${f}/.opencode/opencode.json`,
      `${f}/.opencode/opencode.jsonc`,
    ]),
  ]);
});

it("configuration files follow OpenCode's own variables", () => {
  const env = {
    XDG_CONFIG_HOME: "/xdg",
    OPENCODE_CONFIG: "/one.json",
    OPENCODE_CONFIG_DIR: "/dir",
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  };
  expect(paths(listConfigFiles({ ...input, env }))).toEqual([
    "/xdg/opencode/config.json",
    "/xdg/opencode/opencode.json",
    "/xdg/opencode/opencode.jsonc",
    "/one.json",
    "/home/me/.opencode/opencode.json",
    "/home/me/.opencode/opencode.jsonc",
    "/dir/opencode.json",
    "/dir/opencode.jsonc",
  ]);
});

const inFolderA = { directory: "/repo/a", project: "/repo", home: "/home/me", env: {} };
const usersOf = (given: Partial<ConfigFilesInput>): string[] =>
  listConfigFiles({ ...inFolderA, ...given }).flatMap(({ origin, path }) =>
    origin === "user" ? [path] : [],
  );
const inGlobal = (folder: string) =>
  ["config.json", "opencode.json", "opencode.jsonc"].map((name) => `${folder}/${name}`);
const inFolder = (folder: string) => ["opencode.json", "opencode.jsonc"].map((name) => `${folder}/${name}`);

it("the owner of a configuration file follows from its role: those of the global and home folder are the user's, all in the project the project's", () => {
  expect(usersOf({})).toEqual([...inGlobal("/home/me/.config/opencode"), ...inFolder("/home/me/.opencode")]);
});

it("a file named by the user's variables is the user's, even inside the project, and no file is listed twice", () => {
  const env = {
    OPENCODE_CONFIG: "/repo/opencode.json",
    OPENCODE_CONFIG_DIR: "/repo/a/.opencode",
    OPENCODE_CONFIG_CONTENT: '{"small_model":"a/b"}',
  };
  expect(usersOf({ env })).toEqual([
    ...inGlobal("/home/me/.config/opencode"),
    "/repo/opencode.json",
    ...inFolder("/home/me/.opencode"),
    ...inFolder("/repo/a/.opencode"),
    "OPENCODE_CONFIG_CONTENT",
  ]);
  const all = listConfigFiles({ ...inFolderA, env }).map(({ path }) => path);
  expect(new Set(all).size).toBe(all.length);
});

it("a project's file never becomes the user's because the home folder is in the project or equal to it, or because the project is the global folder", () => {
  const inside = "/repo/home";
  expect(usersOf({ home: inside })).toEqual([
    ...inGlobal(`${inside}/.config/opencode`),
    ...inFolder(`${inside}/.opencode`),
  ]);
  const home = { project: "/home/me", directory: "/home/me/work" };
  expect(usersOf(home)).toEqual(usersOf({}));
  expect(listConfigFiles({ ...inFolderA, ...home })).toContainEqual({
    path: "/home/me/opencode.json",
    origin: "project",
  });
  const global = "/home/me/.config/opencode";
  expect(usersOf({ project: global, directory: global }).sort()).toEqual(usersOf({}).sort());
});
