/** The candidates of a stage's project, from outside OpenCode. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { nodeFiles } from "../../../src/io/node-files.js";
import { locateRecord } from "../../../src/project/state-owner.js";
import { repository } from "../repository.js";
import type { ModelRequest } from "./model-request.js";
import type { Stage } from "./stage.js";

/** Did Strata ask the small model? */
export const isOwn = ({ body }: ModelRequest): boolean => body.model === "m2";

/** The file of the project's candidates. */
export async function locateCandidates({ project }: Stage): Promise<string> {
  const stateFolder = join(project.folders.state, "opencode-strata");
  return (await locateRecord(nodeFiles, { project: project.path, stateFolder })).candidates;
}

/** What a person's `strata` prints, which must succeed without a warning. */
export function strata({ project }: Stage, ...args: string[]): string {
  const { OPENCODE: _, OPENCODE_PID: __, ...env } = process.env;
  const { config, state } = project.folders;
  const ran = spawnSync(process.execPath, [join(repository, "dist/strata.js"), ...args], {
    cwd: project.path,
    env: { ...env, XDG_CONFIG_HOME: config, XDG_STATE_HOME: state },
    encoding: "utf8",
  });
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  return ran.stdout;
}

/** What the model is sent with the first message of a new session. */
export async function beginSession(stage: Stage): Promise<string> {
  await (await stage.newSession("next")).ask("Good morning.");
  const { messages } = stage.model.requests.filter((request) => !isOwn(request)).at(-1) ?? {};
  return JSON.stringify(messages);
}
