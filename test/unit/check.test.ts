/** `strata check`: every known kind of damage to the memory is found, and what is safe to mend is mended. */
import { describe, expect, it } from "vitest";
import type { Issue } from "../../src/cli/check/find-memory-issues.js";
import { damages, formatForeignToken } from "../support/damages.js";
import { MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { withFault } from "../support/faulty-files.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { FOLDER, openSound, SECRET, STATE } from "../support/sound-project.js";

interface Report {
  isSound: boolean;
  issues: (Omit<Issue, "fix"> & { fix?: string })[];
  fixed: { file: string }[];
}

async function check(files: MemoryFiles, flags = ""): Promise<Report & { code: number }> {
  const { code, out } = await runStrata(files, `check --json ${flags}`);
  return { ...(JSON.parse(out) as Report), code };
}

const copyOf = (files: MemoryFiles): Map<string, string> =>
  new Map([...files.contents].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]));

/** Paths below the project that are there on one side only, or say something else. */
function findChanged(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

describe("strata check", () => {
  it("check finds nothing in an intact project or an empty one, and changes neither, with --fix too", async () => {
    for (const files of [await openSound(), createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" })]) {
      const before = copyOf(files);
      expect(await check(files)).toMatchObject({ code: 0, isSound: true, issues: [] });
      expect((await runStrata(files, "check --fix")).out).toMatch(/checked: no problems\.$/);
      expect(copyOf(files)).toEqual(before);
    }
  });

  it.each(damages)(
    "check finds $what, names the file and changes nothing; --fix mends it if it can",
    async (one) => {
      const files = await openSound();
      await one.plant(files);
      const before = copyOf(files);
      const { code, issues } = await check(files);
      const found = issues.filter(({ file, what }) => one.file.test(file) && one.says.test(what));
      expect([issues, found[0]?.level]).toEqual([issues, one.level]);
      if (one.level !== "note") expect(code).toBe(1);
      for (const line of ["check", "check --fix --dry-run"]) {
        const { out } = await runStrata(files, line);
        expect(out).toMatch(one.says);
        expect(out).not.toContain(SECRET);
      }
      expect(copyOf(files)).toEqual(before);

      const mended = await check(files, "--fix");
      expect(mended.issues.filter(({ fix }) => fix)).toEqual([]);
      expect(mended.issues.some(({ what }) => one.says.test(what))).toBe(one.isFixed === undefined);
      if (one.isFixed) expect(mended.fixed.some(({ file }) => one.file.test(file))).toBe(true);
      const changed = findChanged(before, copyOf(files));
      if (changed.some((path) => path.includes("/decision/"))) expect(one.what).toMatch(/expired/);
      const again = copyOf(files);
      await runStrata(files, "check --fix");
      expect(copyOf(files)).toEqual(again);
    },
  );

  it("check --fix mends many issues at once, says each in one line, and what is left", async () => {
    const files = await openSound();
    for (const { plant, what } of damages) if (!/ledger/.test(what)) await plant(files);
    const { code, out } = await runStrata(files, "check --fix");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^fixed {4}\.opencode\/memory\/decision\/hint\.md: it was added by hand → record that/m,
    );
    expect(out).toMatch(/memories checked: \d+ problems?, \d+ warnings?, \d+ notes?\.$/);
    expect((await check(files)).issues.filter(({ fix }) => fix)).toEqual([]);
  });

  it("check prints ten issues of a kind, and all of them with --json", async () => {
    const files = await openSound();
    for (let n = 0; n < 30; n++) await files.writeWhole(`${FOLDER}/idea/n${n}.md`, "");
    expect((await check(files)).issues).toHaveLength(30);
    const { out } = await runStrata(files, "check");
    expect(out.match(/idea\/n\d+\.md: /g)).toHaveLength(10);
    expect(out).toContain("and 20 more like these; --json lists all");
  });

  it("check on a failing disk exits with 3, or names the file that it could not read", async () => {
    const files = await openSound();
    for (let at = 1; at <= 400; at += 7) {
      const faulty = withFault(files, { at, code: "EIO", lasting: false });
      const { code, err, out } = await runStrata(faulty, "check");
      if (!faulty.hasFailed) return;
      expect([at, code === 0 ? out : "", err.includes("    at ")]).toEqual([at, expect.any(String), false]);
      if (code === 3) expect(err).toContain("EIO");
    }
  });

  it("check --fix on a read-only disk leaves the issue, says why and loses nothing", async () => {
    const files = await openSound();
    await files.remove(`${FOLDER}/MEMORY.md`);
    const before = copyOf(files);
    const full = new Proxy(files, {
      get: (target, name) =>
        ["writeWhole", "create", "appendLine", "rename"].includes(String(name))
          ? async () => {
              throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
            }
          : Reflect.get(target, name),
    });
    const { code, err, out } = await runStrata(full, "check --fix");
    expect([code, out]).toEqual([1, expect.stringContaining("the index is missing")]);
    expect(err).toContain("EROFS");
    expect(copyOf(files)).toEqual(before);
  });
});

it("a lock that came with a copy of the project does not block commands for ever", async () => {
  const lock = `${STATE}/lock`;
  const files = createMemoryFiles({ [lock]: formatForeignToken() }, () => MORNING - 2 * 86_400_000);
  for (const line of ["remember --type idea first", "check"]) {
    const { code, err } = await runStrata(files, line);
    expect([code, err]).toEqual([0, ""]);
  }
  expect(files.text(lock)).toBeUndefined();
});
