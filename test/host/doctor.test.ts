/** `strata doctor` with the real OpenCode: what it proves of a healthy plugin, and what of one that is not. */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Finding, Section } from "../../src/cli/doctor/finding.js";
import { writeThrowingPlugin } from "./fixtures/throwing-plugin.js";
import { repository } from "./repository.js";
import { findOpenCode } from "./stage/opencode-binary.js";
import { createProject, type Project } from "./stage/project.js";

interface Examined {
  code: number | null;
  proof: readonly Finding[];
}

/** Runs the doctor in a project, as a person would who has OpenCode in the PATH. */
async function examine(project: Project, ...args: string[]): Promise<Examined> {
  const env = {
    PATH: [dirname(findOpenCode()), process.env.PATH].join(delimiter),
    HOME: project.folders.home,
    TMPDIR: project.folders.tmp,
  };
  const command = [join(repository, "dist/src/cli/strata.js"), "doctor", "--json", ...args];
  const child = spawn(process.execPath, command, { cwd: project.path, env });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const sections: Section[] = JSON.parse(out).sections;
  return { code, proof: sections.find(({ title }) => title === "Proof")?.findings ?? [] };
}

async function withProject(config: object, run: (project: Project) => Promise<void>): Promise<void> {
  const project = await createProject({ "opencode.json": JSON.stringify(config) });
  try {
    await run(project);
    // Neither in the project nor among the temporary files is anything left.
    expect(readdirSync(project.folders.tmp).filter((name) => name.startsWith("strata-"))).toEqual([]);
    expect(readdirSync(project.path).sort()).toEqual([".git", "opencode.json"]);
  } finally {
    await project.remove();
  }
}

test("of a healthy plugin it proves that every hook and every layer fires, and leaves nothing behind", async () => {
  await withProject({ plugin: [repository] }, async (project) => {
    const { code, proof } = await examine(project);
    expect(proof.filter(({ level }) => level !== "fine")).toEqual([]);
    expect(proof.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^hook config fired once/),
      ...["turn", "modelWindow", "context", "toolArguments", "event", "compacting"].map((hook) =>
        expect.stringContaining(`hook ${hook} fired`),
      ),
      "command /memory answered without a model call",
      expect.stringMatching(/^layer tool-results fired: \d+ × moved/),
      expect.stringMatching(/^layer micro-compact fired: \d+ × cleared/),
      "layer session-memory fired: notes written",
      expect.stringMatching(/^layer full-compact fired: \d+ × history replaced/),
    ]);
    expect(code).toBe(0);
  });
});

test("it tells a layer that is off from one whose hook throws", async () => {
  const options = { microCompact: { enabled: false } };
  await withProject({ plugin: [[repository, options]] }, async (project) => {
    const { code, proof } = await examine(
      project,
      "--plugin",
      writeThrowingPlugin(join(project.root, "throwing")),
    );
    const unusual = proof
      .filter(({ level }) => level !== "fine")
      .map(({ level, what }) => `${level}: ${what}`);
    expect(unusual).toEqual([
      "note: layer micro-compact never fired: microCompact.enabled is false",
      expect.stringMatching(
        /^problem: layer throwing failed \d+ times, last at hook turn: failed: out of ink$/,
      ),
    ]);
    expect(code).toBe(1);
  });
});
