/** `strata checkpoint`: saves the state of a session under a name; lists or removes checkpoints. */
import { StrataError } from "../../base/error.js";
import { formatCheckpointLine } from "../../notes/checkpoints/checkpoint.js";
import type { OpenCheckpoints } from "../../notes/checkpoints/open-checkpoints.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type Run,
  WRONG_ARGUMENT,
} from "../../operations/command.js";
import { openProject } from "../../operations/project.js";
import { openProjectsCheckpoints } from "./open-checkpoints.js";

const MOST_LISTED = 100;

export const run: Run = async (cli, { list, remove, session }, words) => {
  const checkpoints = openProjectsCheckpoints(await openProject(cli));
  if (list) return listAll(cli, checkpoints);
  if (typeof remove === "string") return removeOne(cli, checkpoints, remove);
  if (typeof session === "string" && !/^[\w-]+$/.test(session))
    throw new StrataError(WRONG_ARGUMENT, `expected the id of a session, "${session}" came`);
  const sessionID = typeof session === "string" ? session : await checkpoints.findNewestSession();
  // Also checks that the session ran on this machine.
  await checkpoints.find(sessionID);
  const kept = await checkpoints.keep({ sessionID, occasion: "asked", note: words.join(" ") });
  if (!kept)
    throw new StrataError(
      "NO_SESSION",
      `no notes are kept on ${sessionID}; strata sessions lists those with notes`,
    );
  cli.say(`Kept: ${formatCheckpointLine(kept, cli.clock.now())}`);
  cli.say(`strata attach ${kept.id} gives it to the next new session.`);
  return exitCodes.fine;
};

async function listAll({ clock, say }: CliContext, checkpoints: OpenCheckpoints): Promise<ExitCode> {
  const all = await checkpoints.list(MOST_LISTED);
  if (all.length === 0) say("No checkpoint is kept in this project.");
  for (const one of all) say(formatCheckpointLine(one, clock.now()));
  return exitCodes.fine;
}

async function removeOne({ say }: CliContext, checkpoints: OpenCheckpoints, id: string): Promise<ExitCode> {
  if (!(await checkpoints.remove(id)))
    throw new StrataError(
      "NO_CHECKPOINT",
      `there is no checkpoint ${id}; strata checkpoint --list shows all`,
    );
  say(`Removed: ${id}`);
  return exitCodes.fine;
}
