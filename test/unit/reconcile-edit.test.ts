/** `strata reconcile --edit` as a process, with a script as the editor. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { removeFolder } from "../support/remove-folder.js";

const binary = resolve("dist/strata.js");
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "strata-home-"));
  mkdirSync(join(home, "project", ".git"), { recursive: true });
});
afterEach(() => removeFolder(home));

const options = () => ({
  cwd: join(home, "project"),
  env: {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".state"),
  },
});
const strata = (...args: string[]) =>
  spawnSync(process.execPath, [binary, ...args], { ...options(), encoding: "utf8" });

it("reconcile --edit keeps what the editor saved, leaves the conflict open if it saved nothing, and refuses secrets", () => {
  strata("remember", "--type", "decision", "--title", "Harbour", "ships land at pier four");
  const { stderr } = strata("remember", "--type", "decision", "--title", "Harbour", "cranes are the city's");
  const name = /conflicts\/([\w-]+)\.md/.exec(stderr)?.[1] ?? "";
  const edit = (script: string) =>
    spawnSync(process.execPath, [binary, "reconcile", name, "--edit"], {
      ...options(),
      env: { ...options().env, VISUAL: "", EDITOR: `sh -c '${script}' sh` },
      encoding: "utf8",
    });
  const statusOf = (id: string): string => JSON.parse(strata("show", id, "--json").stdout).status;
  for (const [script, why] of [
    ["true", "you changed nothing"],
    ["exit 3", "exited with 3; set EDITOR"],
  ] as const) {
    const left = edit(script);
    expect([left.status === 0, `${left.stdout}${left.stderr}`]).toEqual([
      false,
      expect.stringContaining(why),
    ]);
    expect(strata("reconcile").stdout).toContain(name);
  }
  const edited = edit('sed -i "s/four/five, says the city/" "$1"');
  expect([edited.status, edited.stdout]).toEqual([0, `Decided: ${name}\n`]);
  const shown = JSON.parse(strata("show", "decision/harbour", "--json").stdout);
  expect([shown.status, shown.content, statusOf("decision/harbour-2")]).toEqual([
    "active",
    "ships land at pier five, says the city",
    "superseded",
  ]);
  expect(strata("reconcile").stdout).toBe("No open conflicts.\n");
  // One undo restores both versions and the earlier text.
  expect(strata("memory", "history", "decision/harbour-2").stdout).toContain("kept edited");
});
