/** `strata doctor` with the real OpenCode and a healthy or broken plugin. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Finding } from "../../../src/operations/doctor/machine.js";
import { patiently } from "../../support/patience.js";
import { startChild } from "../../support/processes/child.js";
import { writeSlowOpenCode } from "../fixtures/slow-opencode.js";
import { writeThrowingPlugin } from "../fixtures/throwing-plugin.js";
import { repository } from "../repository.js";
import { type DoctorOptions, readFindings, runDoctor } from "../stage/doctor.js";
import { createProject, type Project } from "../stage/project.js";

interface Examined {
  code: number | null;
  seconds: number;
  findings: readonly Finding[];
  proof: readonly Finding[];
}

const examine = (project: Project, ...args: string[]): Promise<Examined> => examineWith({}, project, ...args);

async function examineWith(options: DoctorOptions, project: Project, ...args: string[]): Promise<Examined> {
  const run = await runDoctor(project, ["--json", ...args], options);
  return { code: run.code, seconds: run.seconds, ...readFindings(run) };
}

const troublesOf = ({ findings }: Examined): string[] =>
  findings
    .filter(({ level }) => level === "problem" || level === "warning")
    .map(({ level, what }) => `${level}: ${what}`);

async function withProject(
  config: object,
  run: (project: Project) => Promise<void>,
  left = [".git", "opencode.json"],
): Promise<void> {
  const project = await createProject({ "opencode.json": JSON.stringify(config) });
  try {
    await run(project);
    // Neither in the project nor among the temporary files is anything left.
    expect(readdirSync(project.folders.tmp).filter((name) => name.startsWith("strata-"))).toEqual([]);
    expect(readdirSync(project.path).sort()).toEqual(left);
  } finally {
    await project.remove();
  }
}

const healthy = { plugin: [repository] };
const look = (project: Project) => examine(project, "--no-proof");

test("doctor tells a layer that is off from one whose hook throws", async () => {
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
      "note: layer micro-compact is off: microCompact.enabled is false",
      expect.stringMatching(
        /^problem: layer throwing failed \d+ times, last at hook turn: failed: out of ink$/,
      ),
    ]);
    expect(code).toBe(1);
  });
});

test("doctor finds no problems in a healthy project, and shows where every setting comes from", async () => {
  await withProject(healthy, async (project) => {
    const seen = await look(project);
    expect([seen.code, troublesOf(seen)]).toEqual([0, []]);
    expect(seen.findings.map(({ what }) => what)).toContain(
      `opencode-strata is configured once: "${repository}" in ${project.file("opencode.json")}`,
    );
    expect(seen.findings.some(({ what }) => what.startsWith("defaults for toolResults: enabled true"))).toBe(
      true,
    );
  });
});

test("doctor says how far OpenCode 2 was tested, that no hook fired there, and runs no program from the repository", async () => {
  await withProject(
    healthy,
    async (project) => {
      const script = (said: string) => `#!/bin/sh\necho ${said} >> ${project.root}/ran\necho ${said}\n`;
      await project.write("node_modules/.bin/opencode", script("9.9.9"));
      const folder = join(project.root, "two");
      mkdirSync(folder);
      writeFileSync(join(folder, "opencode"), script("2.2.7"));
      for (const path of [join(folder, "opencode"), project.file("node_modules/.bin/opencode")])
        chmodSync(path, 0o755);
      const { code, findings, proof } = await examineWith({ folder }, project);
      expect(findings).toContainEqual({
        level: "note",
        what: expect.stringContaining(`OpenCode 2.2.7, ${folder}/opencode: Strata is tested with 2.0.15`),
        todo: expect.stringContaining("the proof shows"),
      });
      // This OpenCode answers everything with its version and loads no plugin.
      expect(code).toBe(1);
      expect(proof.filter(({ level }) => level === "fine")).toEqual([]);
      expect(proof).toContainEqual(expect.objectContaining({ level: "problem" }));
      const ran = readFileSync(join(project.root, "ran"), "utf8");
      expect(new Set(ran.trim().split("\n"))).toEqual(new Set(["2.2.7"]));
    },
    [".git", "node_modules", "opencode.json"],
  );
});

test("doctor says if the plugin is not configured", async () => {
  await withProject({ plugin: ["opencode-pty"] }, async (project) => {
    const seen = await look(project);
    expect([seen.code, troublesOf(seen)]).toEqual([
      1,
      ["problem: opencode-strata is not configured: no plugin list names it, so OpenCode does not load it"],
    ]);
  });
});

test("doctor says if the plugin is loaded twice, and from where", async () => {
  await withProject({ plugin: [repository, "opencode-strata@0.1.0"] }, async (project) => {
    const seen = await look(project);
    expect([seen.code, troublesOf(seen)]).toEqual([
      1,
      [
        expect.stringMatching(
          /^problem: opencode-strata is loaded 2 times: .* "opencode-strata@0\.1\.0" in /,
        ),
      ],
    ]);
  });
});

test("doctor names a conflicting plugin, and what to turn off", async () => {
  await withProject({ plugin: [repository, "@tarquinen/opencode-dcp@latest"] }, async (project) => {
    const seen = await look(project);
    expect([seen.code, troublesOf(seen)]).toEqual([
      1,
      [expect.stringMatching(/^warning: @tarquinen\/opencode-dcp@latest in .* prunes old tool results/)],
    ]);
    const conflict = seen.findings.find(({ what }) => what.includes("opencode-dcp"));
    expect(conflict?.todo).toContain("microCompact.enabled");
  });
});

test("doctor quotes the system's error if .opencode is not writable", async () => {
  const withFile = [".git", ".opencode", "opencode.json"];
  await withProject(
    healthy,
    async (project) => {
      // A file where the folder should be: even root cannot write in it.
      writeFileSync(project.file(".opencode"), "");
      const seen = await look(project);
      expect(seen.code).toBe(1);
      expect(troublesOf(seen)).toContainEqual(
        expect.stringMatching(/^problem: .*\.opencode cannot be written: ENOTDIR/),
      );
    },
    withFile,
  );
});

test("doctor tells a lock whose process was killed from one that is held", async () => {
  const withState = [".git", ".opencode", "opencode.json"];
  await withProject(
    healthy,
    async (project) => {
      const state = project.file(".opencode/strata/state");
      mkdirSync(state, { recursive: true });
      const holder = startChild("lock-user.ts", state, "1", "hold");
      await holder.line("locked");
      const held = await look(project);
      expect([held.code, troublesOf(held)]).toEqual([0, []]);
      expect(
        held.findings.some(({ what }) => /x\.lock is held by instance user-\d+ \(process \d+/.test(what)),
      ).toBe(true);
      await holder.kill();
      const stale = await look(project);
      expect([stale.code, troublesOf(stale)]).toEqual([
        1,
        [expect.stringMatching(/^warning: .*x\.lock is a stale lock: instance user-\d+ .* has ended$/)],
      ]);
    },
    withState,
  );
});

test("doctor --within ends the session in time, proves nothing, and says what to do", async () => {
  await withProject(healthy, async (project) => {
    const { code, proof } = await examine(project, "--within", "2");
    expect(code).toBe(1);
    expect(proof).toEqual([
      {
        level: "problem",
        what: expect.stringMatching(/did not (end within 2 s|listen within 2000 ms)/),
        ...(proof[0]?.todo && { todo: expect.stringContaining("without --within") }),
      },
    ]);
  });
});

test(
  "doctor needs no longer limit on a machine that is five times as slow",
  async () => {
    await withProject(healthy, async (project) => {
      const folder = writeSlowOpenCode(join(project.root, "slow"), 5);
      const { code, proof } = await examineWith({ folder }, project);
      expect(proof.filter(({ level }) => level !== "fine")).toEqual([]);
      expect(code).toBe(0);
    });
  },
  patiently(400_000),
);
