/** `strata doctor` in OpenCode 2: its proof, played by the contract host as a program. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { layers } from "../../layers/index.js";
import { readVersion } from "../../src/cli/doctor/opencode.js";
import { prove } from "../../src/cli/doctor/proof.js";
import { systemClock as clock } from "../../src/seams/clock.js";
import { nodeFiles as files } from "../../src/seams/node-files.js";
import { defaults } from "../support/settings.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "strata-second-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a program `opencode` that runs this script. */
function writeProgram(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const program = writeProgram(
  "opencode",
  `exec "${process.execPath}" --import "${import.meta.resolve("tsx")}" "${join(repository, "test/host-v2/program.ts")}" "$@"`,
);

async function play(binary: string) {
  const plugin = { spec: repository, place: repository, isPackage: false };
  const { findings } = await prove({
    ...{ binary, clock, files, layers, plugin, isSecond: true },
    config: structuredClone(defaults),
    env: process.env,
    home: folder,
    onStep() {},
  });
  return findings.map(({ level, what }) => `${level}: ${what}`);
}

describe("the doctor's proof in OpenCode 2", () => {
  it("the doctor's proof in OpenCode 2 says of each hook and each layer whether it worked, and what was not tried", async () => {
    expect(await readVersion(program, clock)).toBe("2.2.7");
    const findings = await play(program);
    expect(findings.filter((one) => one.startsWith("problem"))).toEqual([]);
    for (const hook of ["turn", "modelWindow", "context", "toolArguments", "event"])
      expect(
        findings.some((one) => one.startsWith(`fine: hook ${hook} fired `)),
        hook,
      ).toBe(true);
    for (const layer of [
      "tool-results",
      "micro-compact",
      "session-memory",
      "full-compact",
      "auto-memory",
      "errors",
      "across-agents",
    ])
      expect(
        findings.some((one) => one.startsWith(`fine: layer ${layer} works: `)),
        layer,
      ).toBe(true);
    expect(findings).toContain("note: layer dream was not tried: its command runs in OpenCode's screen only");
    expect(findings).toContain("note: hook compacting was not tried in OpenCode 2.2.7");
  });

  it("the doctor's proof in OpenCode 2 names the last words of an OpenCode that refuses", async () => {
    const [only] = await play(writeProgram("refuses", 'echo "unknown flag --standalone" >&2\nexit 2'));
    expect(only).toMatch(/^problem: the proof could not be run: .*unknown flag --standalone/s);
  });
});
