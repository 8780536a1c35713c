import { join } from "node:path";
import { formatError } from "../../error.js";
import { findGlobalFolder, findStateFolder } from "../../host/config-files.js";
import { createGit } from "../../host/git.js";
import { createRunningProcesses } from "../../host/running-processes.js";
import type { AcceptedPlaces } from "../../trust/accepted.js";
import { createTrust, type Trust, TURNS } from "../../trust/trust.js";
import { createTurns } from "../../trust/turns.js";
import type { Surroundings } from "../command.js";
import { isInAgentsShell } from "./agents-shell.js";

/**
 * A process that an agent has let go of names nothing of it any more. So while one is at work anywhere, only what is
 * typed into a terminal is the user's.
 */
async function mayBeAgents({ clock, draw, env, files, home, warn }: Surroundings): Promise<boolean> {
  if (draw) return false;
  const turns = createTurns({
    clock,
    files,
    processes: createRunningProcesses(),
    folder: join(findStateFolder({ home, env }), TURNS),
    instance: "cli",
    onFailure: (thrown) => warn(`strata: ${formatError(thrown)}`),
  });
  const isInTurn = await turns.findWindows(clock.now()).catch(() => () => false);
  return isInTurn(clock.now());
}

/** That of a command: it looks and writes nothing down, unless the user changes something with it. */
export async function openTrust(
  surroundings: Surroundings,
  project: string,
  accepted: AcceptedPlaces,
): Promise<Trust> {
  const { clock, env, files, home, warn } = surroundings;
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
    isAgent: (await isInAgentsShell(surroundings)) || (await mayBeAgents(surroundings)),
  });
}
