import { describe, expect, it } from "vitest";
import type { Flaw } from "../../src/cli/validate/flaw.js";
import { damages, formatForeignToken } from "../support/damages.js";
import { MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { withFault } from "../support/faulty-files.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { type Damage, FOLDER, openSound, SECRET, STATE } from "../support/sound-project.js";

interface Report {
  isSound: boolean;
  flaws: (Omit<Flaw, "mends"> & { mends: string[] })[];
}

async function validate(files: MemoryFiles, flags = ""): Promise<Report & { code: number }> {
  const { code, out } = await runStrata(files, `validate --json ${flags}`);
  return { ...(JSON.parse(out) as Report), code };
}

const copyOf = (files: MemoryFiles): Map<string, string> =>
  new Map([...files.contents].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]));

/** Paths that are there on one side only, or say something else. */
function findChanged(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

const fits =
  ({ file, says }: Damage) =>
  (flaw: Pick<Flaw, "file" | "what">) =>
    file.test(flaw.file) && says.test(flaw.what);

describe("strata validate", () => {
  it("strata validate finds nothing in a project that is whole, in one without memories, and changes neither", async () => {
    for (const files of [await openSound(), createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" })]) {
      const before = copyOf(files);
      const { code, flaws } = await validate(files, "--strict");
      expect([code, flaws]).toEqual([0, []]);
      expect((await runStrata(files, "validate")).out).toMatch(/looked at: nothing wrong\.$/);
      expect(copyOf(files)).toEqual(before);
    }
  });

  it.each(damages)(
    "strata validate with --strict finds $what, names the file and what to do, and changes nothing",
    async (damage) => {
      const files = await openSound();
      await damage.plant(files);
      const before = copyOf(files);
      const { code, flaws } = await validate(files, "--strict");
      const found = flaws.filter(fits(damage));
      expect(flaws.map(({ file, what }) => `${file}: ${what}`)).toContainEqual(
        expect.stringMatching(damage.says),
      );
      expect(found.length).toBeGreaterThan(0);
      for (const { todo } of found) expect(todo).not.toBe("");
      if (!damage.isNote) expect(code).toBe(1);
      const { out } = await runStrata(files, "validate --strict");
      expect(out).toMatch(damage.file);
      expect(out).toMatch(damage.says);
      expect(out).not.toContain(SECRET);
      expect(copyOf(files)).toEqual(before);
    },
  );

  it("strata validate without --strict ends with 1 for problems alone", async () => {
    const files = await openSound();
    await files.remove(`${FOLDER}/MEMORY.md`);
    expect((await validate(files)).code).toBe(0);
    await files.writeWhole(`${FOLDER}/idea/x.md`, "");
    expect((await validate(files)).code).toBe(1);
  });

  it("strata validate shows ten of a kind to people and all of them to programs", async () => {
    const files = await openSound();
    for (let n = 0; n < 30; n++) await files.writeWhole(`${FOLDER}/idea/n${n}.md`, "one\r\ntwo");
    const { flaws } = await validate(files);
    expect(flaws.filter(({ what }) => what.includes("CRLF"))).toHaveLength(30);
    const { out } = await runStrata(files, "validate");
    expect(out.match(/CRLF: /g)).toHaveLength(10);
    expect(out).toMatch(/and \d+ more of the same kinds; --json has all/);
  });

  it("strata validate on a disk that fails says so and ends with 3, or names the file that it could not read", async () => {
    const files = await openSound();
    for (let at = 1; at <= 400; at += 7) {
      const faulty = withFault(files, { at, code: "EIO", lasting: false });
      const { code, err, out } = await runStrata(faulty, "validate --strict");
      if (!faulty.hasFailed) return;
      expect([at, code === 0 ? out : "", err.includes("    at ")]).toEqual([at, expect.any(String), false]);
      if (code === 3) expect(err).toContain("EIO");
    }
  });
});

describe("strata optimize", () => {
  it("strata optimize has nothing to do in a project that is whole", async () => {
    const files = await openSound();
    const before = copyOf(files);
    expect(await runStrata(files, "optimize --execute")).toMatchObject({ code: 0, out: "Nothing to mend." });
    expect(copyOf(files)).toEqual(before);
  });

  it.each(damages)("strata optimize for $what mends what it says and nothing else", async (damage) => {
    const files = await openSound();
    await damage.plant(files);
    const before = copyOf(files);
    const dry = await runStrata(files, "optimize");
    expect(copyOf(files)).toEqual(before);
    if (damage.mends)
      expect([dry.code, dry.out]).toEqual([1, expect.stringContaining("Nothing was changed")]);
    else expect(dry.out).toContain("Nothing to mend.");

    const done = await runStrata(files, "optimize --execute");
    const said = (out: string): string[] =>
      out.split("\n").filter((line) => /^\S+: /.test(line) && !/^(Done|For)/.test(line));
    expect(said(done.out)).toEqual(said(dry.out));
    expect(done.err).toBe("");
    const changed = findChanged(before, copyOf(files)).map((path) => path.slice(PROJECT.length));
    for (const path of changed)
      expect(
        (damage.mends ?? []).some((pattern) => pattern.test(path)),
        `${path} was changed`,
      ).toBe(true);
    for (const pattern of damage.mends ?? [])
      expect(
        changed.some((path) => pattern.test(path)),
        `${pattern} was not changed`,
      ).toBe(true);

    const { flaws } = await validate(files);
    expect(flaws.filter(({ mends }) => mends.length > 0)).toEqual([]);
    const again = copyOf(files);
    await runStrata(files, "optimize --execute");
    expect(copyOf(files)).toEqual(again);
  });

  it("strata optimize mends all of it at once, and tells what is left for a person", async () => {
    const files = await openSound();
    // Those of the ledger leave nothing of it for the others.
    const apart = /ledger/;
    for (const { plant, what } of damages) if (!apart.test(what)) await plant(files);
    const { code, out } = await runStrata(files, "optimize --execute");
    expect(code).toBe(1);
    expect(out).toMatch(/For you to decide: \d+ problems?, \d+ warnings?; strata validate names them\.$/);
    expect((await validate(files)).flaws.filter(({ mends }) => mends.length > 0)).toEqual([]);
  });

  it("strata optimize on a disk that takes nothing says what could not be done, and loses nothing", async () => {
    const files = await openSound();
    await files.remove(`${FOLDER}/MEMORY.md`);
    await files.writeWhole(`${FOLDER}/idea/x.md`, "by hand");
    const before = copyOf(files);
    const full = new Proxy(files, {
      get: (target, name) =>
        ["writeWhole", "create", "appendLine", "rename"].includes(String(name))
          ? async () => {
              throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
            }
          : Reflect.get(target, name),
    });
    const { code, err } = await runStrata(full, "optimize --execute");
    expect(code).toBe(1);
    expect(err).toMatch(/Failed {2}writes MEMORY\.md anew from the files: .*EROFS/);
    expect(copyOf(files)).toEqual(before);
  });
});

it("no command is refused for ever by a lock that came with a copy of the project", async () => {
  const lock = `${STATE}/lock`;
  const files = createMemoryFiles({ [lock]: formatForeignToken() }, () => MORNING - 2 * 86_400_000);
  for (const line of ["remember --type idea first", "validate --strict"]) {
    const { code, err } = await runStrata(files, line);
    expect([code, err]).toEqual([0, ""]);
  }
  expect(files.text(lock)).toBeUndefined();
});
