/** Tests of finding the host's binary, with folders as npm creates them. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findOpenCode } from "./opencode-binary.js";

let modules: string;
const platform = `opencode-${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

beforeEach(() => {
  modules = mkdtempSync(join(tmpdir(), "strata-binary-"));
  mkdirSync(join(modules, "opencode-ai/bin"), { recursive: true });
  const optionalDependencies = {
    [`${platform}-musl`]: "1.0.0",
    [platform]: "1.0.0",
    "opencode-other-cpu": "1.0.0",
  };
  writeFileSync(join(modules, "opencode-ai/package.json"), JSON.stringify({ optionalDependencies }));
  writeFileSync(join(modules, "opencode-ai/bin/opencode.exe"), "echo not installed >&2\nexit 1\n", {
    mode: 0o755,
  });
});
afterEach(() => rmSync(modules, { recursive: true }));

test("findOpenCode uses the platform's binary if the package has only its stub", () => {
  const folder = join(modules, platform, "bin");
  mkdirSync(folder, { recursive: true });
  symlinkSync(process.execPath, join(folder, "opencode"));
  expect(findOpenCode(join(modules, "opencode-ai"))).toBe(join(folder, "opencode"));
});

test("findOpenCode skips a binary that does not run here", () => {
  for (const [name, runs] of [
    [platform, false],
    [`${platform}-musl`, true],
  ] as const) {
    mkdirSync(join(modules, name, "bin"), { recursive: true });
    symlinkSync(runs ? process.execPath : "/bin/false", join(modules, name, "bin/opencode"));
  }
  expect(findOpenCode(join(modules, "opencode-ai"))).toContain("-musl");
});

test("findOpenCode throws with the paths tried and what to do if no binary runs", () => {
  expect(() => findOpenCode(join(modules, "opencode-ai"))).toThrow(
    /opencode\.exe[\s\S]*install scripts allowed/,
  );
});

test("the installed OpenCode is a real binary", () => {
  expect(findOpenCode()).toMatch(/opencode(\.exe)?$/);
});
