import { findGlobalFolder, findStateFolder } from "../../host/config-files.js";
import { createGit } from "../../host/git.js";
import { createRunningProcesses } from "../../host/running-processes.js";
import type { AcceptedPlaces } from "../../trust/ground.js";
import { createTrust, type Trust } from "../../trust/trust.js";
import type { Surroundings } from "../command.js";
import { isInAgentsShell } from "./agents-shell.js";

/** That of a command: it looks and writes nothing down, unless the user changes something with it. */
export async function openTrust(
  { clock, env, files, home, warn }: Surroundings,
  project: string,
  accepted: AcceptedPlaces,
): Promise<Trust> {
  return createTrust({
    clock,
    files,
    log: { warn: (_source, message) => warn(`strata: ${message}`) },
    processes: createRunningProcesses(),
    instance: "cli",
    project,
    globalFolder: findGlobalFolder({ home, env }),
    stateFolder: findStateFolder({ home, env }),
    git: createGit(),
    accepted,
    isBrief: true,
    isAgent: await isInAgentsShell({ env, files }),
  });
}
