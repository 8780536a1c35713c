import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository.js";
import type { Project } from "./project.js";

const LIMIT_MS = 60_000;

/** Runs the package's `strata` in the project, as its user would. */
export function strata({ folders, path }: Project, ...args: string[]) {
  const { bin } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    bin: { strata: string };
  };
  const env = {
    ...{ PATH: process.env.PATH, HOME: folders.home },
    ...{ XDG_CONFIG_HOME: folders.config, XDG_DATA_HOME: folders.data, XDG_STATE_HOME: folders.state },
  };
  const command = [join(repository, bin.strata), ...args];
  return spawnSync(process.execPath, command, { cwd: path, env, encoding: "utf8", timeout: LIMIT_MS });
}
