import { join } from "node:path";
import { formatError } from "../base/error.js";
import { createGit } from "../io/node-git.js";
import { createTrust, type Trust, TURNS } from "../memory/trust/trust.js";
import { createTurns } from "../memory/trust/turns.js";
import { isInAgentsShell } from "./agents-shell.js";
import type { Project } from "./project.js";

/**
 * Opens the trust for a command. It is `isBrief`: writes nothing unless the user changes something. For `isToolServer` see
 * `TrustOptions`.
 */
export async function openTrust(
  project: Project,
  { isToolServer = false }: { isToolServer?: boolean } = {},
): Promise<Trust> {
  const { cli, globalFolder, instance, log, processes, root, stateFolder } = project;
  const { config } = await project.settings();
  return createTrust({
    ...{ clock: cli.clock, files: cli.files, log, processes, instance, globalFolder, stateFolder },
    project: root,
    git: createGit(),
    accepted: config.trust,
    isBrief: true,
    ...(isToolServer
      ? { isToolServer }
      : { isAgent: (await isInAgentsShell(cli)) || (await mayBeAgents(project)) }),
  });
}

/**
 * A process that an agent left in the background has lost every trace of it. So while an agent is working anywhere on
 * this machine, only a command typed into a terminal counts as the user's.
 */
async function mayBeAgents({ cli, instance, processes, stateFolder }: Project): Promise<boolean> {
  const { clock, draw, files, warn } = cli;
  if (draw) return false;
  const turns = createTurns({
    ...{ clock, files, processes, instance },
    folder: join(stateFolder, TURNS),
    onFailure: (thrown) => warn(`strata: ${formatError(thrown)}`),
  });
  const isInTurn = await turns.findWindows(clock.now()).catch(() => () => false);
  return isInTurn(clock.now());
}
