/** Words for commands: aliases, suggestions, help, version, completion in a shell. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { removeFolder } from "../support/remove-folder.js";
import { runStrata } from "../support/shell.js";

const PROJECT_FILE = { [`${PROJECT}/opencode.json`]: "{}" };
const run = (line: string) => runStrata(createMemoryFiles(PROJECT_FILE), line);

describe("names that other memory tools have for a command", () => {
  it.each([
    ["push", "sync push"],
    ["pull", "sync pull"],
    ["digest", "dream"],
    ["distill", "dream"],
    ["hygiene", "gc"],
    ["reduce", "merge"],
    ["resolve", "reconcile"],
    ["diagnose --no-proof", "doctor --no-proof"],
    ["capture knowledge: the port is 8080", "remember knowledge: the port is 8080"],
    ["resume ses_1", "attach ses_1"],
  ])("%s runs %s", async (line, meant) => {
    expect(await run(line)).toEqual(await run(meant));
    expect((await run(line)).err).not.toContain("unknown");
  });

  it("the help of a command names them, and theirs is its help", async () => {
    expect((await run("sync --help")).out).toContain("Also: strata push, strata pull");
    expect((await run("push --help")).out).toBe((await run("sync --help")).out);
  });

  it("no two commands share one", () => {
    const names = commands.flatMap(({ aliases, name }) => [name, ...Object.keys(aliases ?? {})]);
    expect(names).toEqual([...new Set(names)]);
  });

  it("resolve marks the blocker that it names as resolved", async () => {
    const files = createMemoryFiles(PROJECT_FILE);
    await runStrata(files, "remember --type blocker waiting for the vendor's key");
    const { code, out } = await runStrata(files, "resolve vendor");
    expect([code, out]).toEqual([0, expect.stringContaining("Resolved: blocker/")]);
    expect((await runStrata(files, "show vendor")).out).toContain("resolved");
    expect(await runStrata(files, "resolve vendor")).toMatchObject({ code: 3 });
  });
});

/** Every word that one or two edits make of this one. */
function* mistype(word: string, edits = 2): Generator<string> {
  for (let at = 0; at <= word.length; at++)
    for (const rest of [word.slice(at), word.slice(at + 1)])
      for (const letter of ["", "e", "x"]) {
        const typed = `${word.slice(0, at)}${letter}${rest}`;
        yield typed;
        if (edits > 1) yield* mistype(typed, edits - 1);
      }
}

describe("a suggestion", () => {
  it("a suggestion names a command that only reads, whatever was typed", async () => {
    const reading = "status stats sessions context list show recall history validate doctor help".split(" ");
    const known = new Set(commands.flatMap(({ aliases, name }) => [name, ...Object.keys(aliases ?? {})]));
    const suggested = new Set<string>();
    for (const word of new Set(
      ["publish", "purge", "forget", "trust", "gc", "drop"].flatMap((one) => [...mistype(one)]),
    )) {
      if (known.has(word) || !/^[a-z]/.test(word) || word === "help") continue;
      const { code, err } = await run(word);
      expect([word, code]).toEqual([word, 2]);
      const [, name] = /Did you mean (\S+)\?/.exec(err) ?? [];
      if (name !== undefined) suggested.add(name);
    }
    expect([...suggested].filter((name) => !reading.includes(name))).toEqual([]);
    expect((await run("doctr")).err).toContain("Did you mean doctor?");
  });

  it("a suggestion is not made for an option", async () => {
    for (const line of ["gc --exec", "gc --executee", "export --include-privat", "trust --yess"]) {
      const { code, err } = await run(line);
      expect([line, code, /did you mean/i.test(err)]).toEqual([line, 2, false]);
    }
  });
});

describe("help and version", () => {
  it("help prints the help of the program, of a command, and refuses what is none", async () => {
    expect((await run("help")).out).toBe((await run("--help")).out);
    expect((await run("help dream")).out).toBe((await run("dream --help")).out);
    expect((await run("help pull")).out).toBe((await run("sync --help")).out);
    expect(await run("help frobnicate")).toMatchObject({
      code: 2,
      err: expect.stringContaining("unknown command 'frobnicate'"),
    });
  });

  it("-v prints the version", async () => {
    expect((await run("-v")).out).toBe((await run("--version")).out);
  });
});

describe("completion", () => {
  let folder: string;
  const binary = resolve("dist/strata.js");
  const strata = (...args: string[]) => {
    const env = { PATH: process.env.PATH, HOME: join(folder, "home") };
    return spawnSync(process.execPath, [binary, ...args], { cwd: folder, env, encoding: "utf8" });
  };
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "strata-completion-")));
    expect(strata("init").status).toBe(0);
    expect(strata("remember", "knowledge: the port is 8080").status).toBe(0);
    expect(strata("remember", "idea: an archived one").status).toBe(0);
    expect(strata("archive", "an-archived-one").status).toBe(0);
  });
  afterAll(() => removeFolder(folder));

  /** What bash offers for the last of these words. */
  function completeInBash(...words: string[]): string[] {
    const script = `
      strata() { '${process.execPath}' '${binary}' "$@"; }
      eval "$(strata completion bash)"
      COMP_WORDS=(strata "$@"); COMP_CWORD=$#
      _strata
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: process.env.PATH, HOME: join(folder, "home") };
    const { stderr, stdout } = spawnSync("bash", ["-c", script, "bash", ...words], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((line) => line !== "");
  }

  it.each([
    [["val"], ["validate"]],
    [["pu"], ["publish", "push", "pull"]],
    [["help", "doc"], ["doctor"]],
    [
      ["sync", "pu"],
      ["push", "pull"],
    ],
    [["push", ""], []],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["list", "--arch"], ["--archived"]],
    [["remember", "--type", "kn"], ["knowledge"]],
    [["show", "kn"], ["knowledge/the-port-is-8080"]],
    [["show", "the\\ po"], ["the\\ port\\ is\\ 8080"]],
    [
      ["restore", ""],
      ["idea/an-archived-one", "an\\ archived\\ one"],
    ],
    [["frobnicate", ""], []],
  ])("completion in bash offers for %j: %j", (words, offered) => {
    expect(completeInBash(...words)).toEqual(offered);
  });

  it.each(["bash", "zsh", "fish"])("completion prints a script that %s accepts", (shell) => {
    const { status, stdout } = strata("completion", shell);
    expect([status, stdout]).toEqual([0, expect.stringContaining("strata completion --for --")]);
    const script = join(folder, shell);
    writeFileSync(script, stdout);
    const checked = spawnSync(shell, ["-n", script], { encoding: "utf8" });
    if (checked.error) process.stdout.write(`not checked by ${shell}: it is not installed here\n`);
    else expect([checked.status, checked.stderr]).toEqual([0, ""]);
  });

  it("completion is silent outside of a project, and names the shells for any other", () => {
    const env = { PATH: process.env.PATH, HOME: join(folder, "home") };
    const outside = spawnSync(process.execPath, [binary, "completion", "--for", "--", "show", ""], {
      cwd: tmpdir(),
      env,
      encoding: "utf8",
    });
    expect([outside.status, outside.stdout, outside.stderr]).toEqual([0, "", ""]);
    const { status, stderr } = strata("completion", "tcsh");
    expect([status, stderr]).toEqual([2, expect.stringContaining("expected bash, zsh, fish")]);
  });
});
