/** The words that the command line understands: help, version, words of other memory tools, and mistyped ones. */
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/base/version.js";
import { commands } from "../../src/cli/commands.js";
import { readOptions } from "../../src/operations/command.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { openRepository, openSound } from "../support/sound-project.js";

const EMPTY = createMemoryFiles();

/** A word of another tool, and what it means here. */
const ALIASES = {
  push: "sync push",
  pull: "sync pull",
  digest: "dream",
  distill: "dream",
  resolve: "reconcile",
  resume: "sessions resume",
  diagnose: "doctor",
  try: "stats try",
  index: "sessions index",
  forget: "sessions forget",
  validate: "check",
  optimize: "dream",
  gc: "dream",
  hygiene: "dream",
  cleanup: "dream",
  merge: "dream",
  reduce: "dream",
  capture: "remember",
};

const toWord = (alias: string): string => alias.replace(/ .*/, "");

describe("help and version", () => {
  it("strata help prints what --help prints, of a command too, by its name or another word for it", async () => {
    const help = await runStrata(EMPTY, "--help");
    expect(await runStrata(EMPTY, "help")).toEqual(help);
    expect(await runStrata(EMPTY, "help sync")).toEqual(await runStrata(EMPTY, "sync --help"));
    expect(await runStrata(EMPTY, "help push")).toEqual(await runStrata(EMPTY, "sync push --help"));
    for (const line of ["help frobnicate", "frobnicate --help"])
      expect(await runStrata(EMPTY, line)).toMatchObject({
        code: 2,
        err: expect.stringContaining("unknown command 'frobnicate'"),
      });
  });

  it("strata -v prints the version, as --version does", async () => {
    for (const line of ["-v", "--version"])
      expect(await runStrata(EMPTY, line)).toEqual({ code: 0, out: VERSION, err: "" });
  });
});

describe("groups and old names", () => {
  it("a group alone lists its commands, and a word that is none of them changes nothing", async () => {
    const group = await runStrata(EMPTY, "memory");
    expect(group).toMatchObject({ code: 0, err: "" });
    expect(await runStrata(EMPTY, "memory --help")).toEqual(group);
    expect(await runStrata(EMPTY, "help memory")).toEqual(group);
    for (const word of ["archive", "history", "publish", "restore"])
      expect(group.out).toMatch(new RegExp(`^  ${word} `, "m"));
    expect(await runStrata(EMPTY, "memory frob")).toMatchObject({
      code: 2,
      err: expect.stringContaining("unknown command 'frob'"),
    });
  });

  it("an old name runs the command of today and names it; drop takes from the context what has an id of there", async () => {
    const files = openRepository();
    const told = async (line: string) => (await runStrata(files, line)).err.split("\n")[0];
    expect(await told("keep 3fa2b1")).toBe("strata: keep is now: strata candidates keep");
    expect(await told("drop 3fa2b1")).toBe("strata: drop is now: strata candidates drop");
    expect(await told("drop r-3fa2b1c")).toBe("strata: drop is now: strata context drop");
    expect(await told("pin r-3fa2b1c")).toBe("strata: pin is now: strata context pin");
    expect(await told("candidates keep")).toBe(
      "strata: strata candidates keep must name candidates by their ids",
    );
  });
});

describe("words of other memory tools", () => {
  it.each(Object.entries(ALIASES))(
    "strata %s is strata %s, options and help included",
    async (word, meant) => {
      const rest =
        {
          "sessions forget": "--session ses_1",
          dream: "--dry-run",
          remember: "--type idea one thing",
        }[meant] ?? "--json";
      const isDoctor = meant === "doctor" ? "--no-proof " : "";
      const [one, other] = [openRepository(), openRepository()];
      expect(await runStrata(one, `${word} ${isDoctor}${rest}`)).toEqual(
        await runStrata(other, `${meant} ${isDoctor}${rest}`),
      );
      const help = await runStrata(EMPTY, `${word} --help`);
      expect(help).toEqual(await runStrata(EMPTY, `${meant} --help`));
      expect(help.out).toMatch(new RegExp(`^(?:Other names|Also): .*strata ${word}\\b`, "m"));
      expect((await runStrata(EMPTY, "--help")).out).not.toMatch(new RegExp(`^  [\\w|-]*\\b${word}\\b`, "m"));
    },
  );

  it("no alias is the name of a command or stands for two", () => {
    const words = commands.flatMap(({ aliases = [], name }) => [name, ...aliases]);
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
    expect(commands.flatMap(({ aliases = [] }) => aliases).toSorted()).toEqual(
      Object.keys(ALIASES).toSorted(),
    );
  });

  it("strata resolve resolves the one blocker that is named, which undo reverts", async () => {
    const files = await openSound();
    await runStrata(files, "remember --type blocker the vendor's API is down");
    await runStrata(files, "remember --type blocker the vendor's contract is unsigned");
    expect(await runStrata(files, "resolve the vendor's")).toMatchObject({
      code: 3,
      err: expect.stringContaining("no open conflict and not exactly one blocker"),
    });
    expect(await runStrata(files, "resolve vendor API")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Resolved: blocker\//),
    });
    const open = async () => JSON.parse((await runStrata(files, "status --json")).out).blockers.length;
    expect(await open()).toBe(1);
    await runStrata(files, "undo");
    expect(await open()).toBe(2);
  });
});

describe("mistyped words", () => {
  /** What may be suggested: it only reads, whatever its options. */
  const READING = [
    ..."agenda candidates check completion context doctor list recall sessions show status sync todo".split(
      " ",
    ),
    ..."--help --version".split(" "),
  ];
  const findSuggested = async (...words: string[]): Promise<string[]> => {
    const { err } = await runStrata(EMPTY, words.join(" "));
    return /\(Did you mean (?:one of )?(.*)\?\)/.exec(err)?.[1]?.split(", ") ?? [];
  };
  const names = commands.flatMap(({ aliases = [], name, was = [] }) =>
    [name, ...was, ...aliases].map(toWord),
  );
  const others =
    "compact consolidate delete end forget purge refresh remove reset session start stop unpublish untrust";

  it("what is suggested for a mistyped or foreign word only reads, behind help too", async () => {
    const words = [...names, ...others.split(" ")];
    const mistyped = words.flatMap((word) => [word.slice(1), word.slice(0, -1), `${word}e`, `s${word}`]);
    const suggested = new Set<string>();
    for (const word of new Set(mistyped))
      if (!names.includes(word) && word !== "help")
        for (const before of [[], ["help"], ["--"]])
          for (const one of await findSuggested(...before, word)) suggested.add(one);
    expect([...suggested].filter((one) => !READING.includes(one))).toEqual([]);
    expect(suggested.size).toBeGreaterThan(8);
  });

  it("no option of a command is suggested, since another option may do more", async () => {
    for (const command of commands)
      for (const [flags] of await readOptions(command)) {
        const { name } = command;
        const flag = flags.split(" ")[0] ?? "";
        expect(await findSuggested(name, "x", `${flag}x`)).toEqual([]);
        expect(await findSuggested(name, `${flag.slice(0, -1)}`)).toEqual([]);
      }
  });
});
