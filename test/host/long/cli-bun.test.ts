/** The command line under Bun, the one that OpenCode has in it. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { patiently } from "../../support/patience.js";
import { removeFolder } from "../../support/remove-folder.js";
import { repository } from "../repository.js";
import { findOpenCode } from "../stage/opencode-binary.js";

const home = mkdtempSync(join(tmpdir(), "strata-bun-"));
afterAll(() => removeFolder(home));

it(
  "the command line does the same under Bun as under Node",
  () => {
    const binary = join(repository, "dist", "strata.js");
    const project = join(home, "project");
    mkdirSync(join(project, ".git"), { recursive: true });
    writeFileSync(join(project, "notes.md"), "# Decisions\n\n## Use Bun\n\nit is quick\n");
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, ".config"), BUN_BE_BUN: "1" };
    const strata = (runtime: string, ...args: string[]) => {
      const { status, stderr, stdout } = spawnSync(runtime, [binary, ...args], {
        cwd: project,
        env,
        encoding: "utf8",
      });
      return { status, stderr, stdout };
    };
    const bun = findOpenCode();
    const doctor = strata(bun, "doctor", "--no-proof");
    expect(doctor.stdout).toMatch(/the command line runs on Bun \d/);
    expect(strata(bun, "import", "markdown", "notes.md")).toEqual({
      status: 0,
      stderr: "",
      stdout: "Imported: 1 memory\n",
    });
    expect(strata(bun, "remember", "--private", "--type", "idea", "only for me").status).toBe(0);
    for (const args of [
      ["list"],
      ["recall", "quick"],
      ["show", "use-bun", "--json"],
      ["check", "--json"],
      ["export", "--include-private"],
      ["status", "--json"],
      ["serve", "--check"],
      ["list", "--no-such"],
    ]) {
      const [here, there] = [strata(process.execPath, ...args), strata(bun, ...args)];
      expect([args, there]).toEqual([args, here]);
    }
    expect(strata(bun, "check").status).toBe(0);
  },
  patiently(60_000),
);
