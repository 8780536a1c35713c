/** Runs the built command line in a project, with OpenCode in the PATH. */
import { spawn, spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../../src/io/clock.js";
import { nodeFiles } from "../../../src/io/node-files.js";
import { createRunningProcesses } from "../../../src/io/running-processes.js";
import { createTurns } from "../../../src/memory/trust/record.js";
import { TURNS } from "../../../src/memory/trust/trust.js";
import type { Finding, Section } from "../../../src/operations/doctor/machine.js";
import { patiently } from "../../support/patience.js";
import { repository } from "../repository.js";
import { findHost } from "./opencode.js";
import type { Project } from "./project.js";

export interface StrataRun {
  code: number | null;
  seconds: number;
  out: string;
  err: string;
}

export interface StrataOptions {
  /** Folder of OpenCode; by default of the installed one. */
  folder?: string;
  env?: Record<string, string>;
}

export async function runStrata(
  project: Project,
  args: readonly string[],
  { env, folder = dirname(findHost()) }: StrataOptions = {},
): Promise<StrataRun> {
  const variables = {
    PATH: [folder, process.env.PATH].join(delimiter),
    HOME: project.folders.home,
    TMPDIR: project.folders.tmp,
    ...env,
  };
  const command = [join(repository, "dist/strata.js"), ...args];
  const begunMs = performance.now();
  const child = spawn(process.execPath, command, { cwd: project.path, env: variables });
  const text = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text.out += more;
  });
  child.stderr.setEncoding("utf8").on("data", (more: string) => {
    text.err += more;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, seconds: (performance.now() - begunMs) / 1_000, ...text };
}

const LIMIT_MS = 60_000;

/** Runs the package's `strata` in the project, as its user would. */
export function strata({ configFile, folders, path }: Project, ...args: string[]) {
  const env = {
    OPENCODE_CONFIG: configFile,
    ...{ PATH: [dirname(findHost()), process.env.PATH].join(delimiter), HOME: folders.home },
    ...{ XDG_CONFIG_HOME: folders.config, XDG_DATA_HOME: folders.data, XDG_STATE_HOME: folders.state },
  };
  const command = [join(repository, "dist/strata.js"), ...args];
  return spawnSync(process.execPath, command, { cwd: path, env, encoding: "utf8", timeout: LIMIT_MS });
}

/** What is written down of a turn of a killed host counts for a minute. */
const KILLED_MS = 90_000;

/**
 * Resolves when no agent works, as this machine's record has it: a moment after the answer to a turn. What a command
 * without a terminal writes before counts as the agent's.
 */
export async function whenNoAgentWorks({ folders }: Project): Promise<void> {
  const turns = createTurns({
    ...{ clock: systemClock, files: nodeFiles, processes: createRunningProcesses(), instance: "test" },
    folder: join(folders.state, "opencode-strata", TURNS),
    onFailure() {},
  });
  const isOne = async (): Promise<boolean> => (await turns.findWindows(Date.now()))(Date.now());
  await expect.poll(isOne, { timeout: patiently(KILLED_MS) }).toBe(false);
}

export const runDoctor = (
  project: Project,
  args: readonly string[] = [],
  options: StrataOptions = {},
): Promise<StrataRun> => runStrata(project, ["doctor", ...args], options);

/** All findings of a run with `--json`, and those of the proof. */
export function readFindings({ out }: Pick<StrataRun, "out">): {
  findings: readonly Finding[];
  proof: readonly Finding[];
} {
  const sections: Section[] = JSON.parse(out).sections;
  return {
    findings: sections.flatMap(({ findings }) => [...findings]),
    proof: sections.find(({ title }) => title === "Proof")?.findings ?? [],
  };
}
