import { join } from "node:path";
import { formatError } from "../../error.js";
import { createGit } from "../../host/git.js";
import { createTrust, type Trust, type TrustOptions, TURNS } from "../../trust/trust.js";
import { createTurns } from "../../trust/turns.js";
import type { CliContext } from "../command.js";
import { isInAgentsShell } from "./agents-shell.js";

type Given = Pick<
  TrustOptions,
  "accepted" | "globalFolder" | "instance" | "log" | "processes" | "project" | "stateFolder"
>;

/** Trust as a command needs it: `isBrief` looks only, and writes nothing unless the user changes something. */
export async function openTrust(cli: CliContext, given: Given): Promise<Trust> {
  const { clock, files } = cli;
  const isAgent = (await isInAgentsShell(cli)) || (await mayBeAgents(cli, given));
  return createTrust({ ...given, clock, files, git: createGit(), isBrief: true, isAgent });
}

/**
 * A process that an agent left in the background has lost every trace of it. So while an agent is working anywhere on
 * this machine, only a command typed into a terminal counts as the user's.
 */
async function mayBeAgents(
  { clock, draw, files, warn }: CliContext,
  { instance, processes, stateFolder }: Given,
): Promise<boolean> {
  if (draw) return false;
  const turns = createTurns({
    clock,
    files,
    processes,
    folder: join(stateFolder, TURNS),
    instance,
    onFailure: (thrown) => warn(`strata: ${formatError(thrown)}`),
  });
  const isInTurn = await turns.findWindows(clock.now()).catch(() => () => false);
  return isInTurn(clock.now());
}
