/** What the shells offer after Tab. The scripts are run by the shells themselves, the built program answers. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { readOptions } from "../../src/operations/command.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles, systemError } from "../support/memory-files.js";
import { removeFolder } from "../support/remove-folder.js";
import { runStrata } from "../support/shell.js";
import { openRepository, openSound } from "../support/sound-project.js";

const MEMORY = `${PROJECT}/.opencode/memory`;
const DECISION = "decision/server-listens-port-8080";

/** The values offered for these words, the last of which is being typed. */
async function complete(files: MemoryFiles, ...words: string[]): Promise<string[]> {
  const { code, err, out } = await runStrata(files, ["__complete", ...words].join(" "));
  expect([code, err]).toEqual([0, ""]);
  return out.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

describe("completions", () => {
  it("are the commands, the first words of each, and its options", async () => {
    const files = await openSound();
    expect(await complete(files, "sync")).toEqual(["sync"]);
    expect(await complete(files, "help", "sync")).toEqual(["sync"]);
    expect(await complete(files, "--v")).toEqual(["--version"]);
    expect(await complete(files, "candidates", "d")).toEqual(["drop"]);
    expect(await complete(files, "sync", "pu")).toEqual(["push", "pull"]);
    expect(await complete(files, "list", "--type", "de")).toEqual(["decision"]);
    for (const command of commands)
      for (const word of [
        ...[command.name, ...(command.aliases ?? [])],
        ...(command.was ?? []).map((old) => (command.wasFor ? `${old} r-3fa2b1c` : old)),
      ])
        expect(await complete(files, ...word.split(" "), "--")).toEqual([
          ...(await readOptions(command)).map(([flags]) => flags.split(" ")[0]),
          "--help",
        ]);
  });

  it("are ids, names and titles of memories where a command takes one, of archived ones where it restores", async () => {
    const files = await openSound();
    for (const name of ["show", "memory edit", "memory archive", "publish", "history"]) {
      expect(await complete(files, ...name.split(" "), "dec")).toEqual([DECISION]);
      expect(await complete(files, ...name.split(" "), "server")).toEqual(["server-listens-port-8080"]);
      expect(await complete(files, ...name.split(" "), "private/")).toEqual([
        "private/preference/short-answers",
      ]);
      expect(await complete(files, ...name.split(" "), "'the")).toEqual(["the server listens on port 8080"]);
      expect(await complete(files, ...name.split(" "), DECISION, "dec")).toEqual([]);
    }
    expect(await complete(files, "restore", "idea")).toEqual(["idea/an-idea-put-aside"]);
    const { out } = await runStrata(files, "__complete show dec");
    expect(out).toBe(`${DECISION}\tthe server listens on port 8080`);
  });

  it("are none where a file or free words are expected, or nothing is known", async () => {
    const files = await openSound();
    for (const line of ["export m", "remember x", "frobnicate x", "check --days 3", "status x"])
      expect(await complete(files, ...line.split(" "))).toEqual([]);
  });

  it("never fail, write, or use the network, whatever is in the project", async () => {
    const sound = await openSound();
    const refuse = async (path: string): Promise<never> => {
      throw systemError("EIO", path);
    };
    const broken = new Proxy(sound, {
      get: (files, name) => (name === "contents" || name === "links" ? Reflect.get(files, name) : refuse),
    });
    await sound.writeWhole(`${MEMORY}/idea/broken.md`, "---\ntitle: [\n");
    await sound.writeWhole(`${PROJECT}/opencode.json`, "{");
    const before = [...sound.contents.keys()];
    const get = () => {
      throw new Error("the network was used");
    };
    for (const files of [sound, broken, createMemoryFiles()])
      for (const line of ["", "show", "show i", "restore", "help", "-", "list --type"])
        expect(await runStrata(files, `__complete ${line}`, { get })).toMatchObject({ code: 0, err: "" });
    expect([...sound.contents.keys()]).toEqual(before);
  });

  it("leave out what a shell would run in an open quote, since a title may come from a repository", async () => {
    const files = openRepository();
    for (const [name, title] of Object.entries({
      a: "Tab $(rm x)",
      b: "Tab `rm x`",
      c: "Tab 'x",
      d: "Tab fine",
    }))
      await files.writeWhole(`${MEMORY}/idea/${name}.md`, `---\ntitle: ${title}\n---\nx\n`);
    expect(await complete(files, "show", '"Tab')).toEqual(["Tab fine"]);
    expect(await complete(files, "show", "Tab")).toHaveLength(4);
  });
});

describe("the scripts", () => {
  const home = mkdtempSync(join(tmpdir(), "strata-completion-"));
  afterAll(() => removeFolder(home));
  const project = join(home, "project");
  const folder = join(project, ".opencode", "memory", "decision");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "port-8080.md"), "---\ntitle: The server's port is 8080\n---\nx\n");
  writeFileSync(join(project, "export.jsonl"), "");
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    STRATA: resolve("dist/strata.js"),
    NODE: process.execPath,
  };
  const run = (program: string, args: readonly string[]) =>
    spawnSync(program, args, { cwd: project, env, encoding: "utf8" });
  const readScript = async (shell: string): Promise<string> =>
    (await runStrata(createMemoryFiles(), `completion ${shell}`)).out;

  /** What each shell offers. */
  const expected = [
    [["strata", "reco"], ["reconcile"]],
    [["strata", "push", "--glo"], ["--global"]],
    [["strata", "show", "dec"], ["decision/port-8080"]],
    [["strata", "frobnicate", ""], []],
  ] as const;

  it("in bash they complete commands, options, ids and titles, and quote what bash would run", async () => {
    const script = await readScript("bash");
    const press = (words: readonly string[]): string[] => {
      const typed = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      const press = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _strata; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const ran = run("bash", [
        ...["--noprofile", "--norc", "-c"],
        `strata() { "$NODE" "$STRATA" "$@"; }\n${script}\n${press}`,
      ]);
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      return ran.stdout.split("\n").filter((line) => line !== "");
    };
    for (const [words, values] of expected) expect(press(words)).toEqual(values);
    expect(press(["strata", "show", "The"])).toEqual(["The\\ server\\'s\\ port\\ is\\ 8080"]);
    expect(press(["strata", "show", "The\\ ser"])).toEqual(["The\\ server\\'s\\ port\\ is\\ 8080"]);
    expect(script).toMatch(/^complete .*-o default .*strata$/m);
  });

  it("in fish and zsh they ask the same program", async () => {
    expect(await readScript("fish")).toContain("complete -c strata -f -a '(__strata_complete)'");
    expect(await readScript("zsh")).toMatch(/^compdef _strata strata$/m);
  });

  it("are printed for these shells only, and the help has a line to install each", async () => {
    const { code, err } = await runStrata(createMemoryFiles(), "completion powershell");
    expect([code, err]).toEqual([2, expect.stringContaining("expected bash, zsh or fish")]);
    const { out } = await runStrata(createMemoryFiles(), "completion --help");
    for (const shell of ["bash", "zsh", "fish"])
      expect(out).toMatch(new RegExp(`strata completion ${shell} >`));
  });
});
