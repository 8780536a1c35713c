/** `strata attach`: gives a session, a checkpoint or a handoff file to a running session or the next new one. */
import { basename, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { decodeStrictly } from "../../io/files.js";
import { ATTACHED_DAYS, NEXT } from "../../notes/checkpoints/attached.js";
import { formatForeignCapsule, MOST_CHARACTERS } from "../../notes/checkpoints/capsule.js";
import { isCheckpointID } from "../../notes/checkpoints/checkpoint.js";
import type { OpenCheckpoints } from "../../notes/checkpoints/open-checkpoints.js";
import { type CliContext, exitCodes, type Run, WRONG_ARGUMENT } from "../../operations/command.js";
import { isInAgentsShell } from "../../operations/open-memories.js";
import { openOwnState, openProject } from "../../operations/project.js";
import { redactSecrets } from "../../text/secrets/secrets.js";
import { cut } from "../../text/text.js";
import { openProjectsCheckpoints } from "./open-checkpoints.js";

/** Larger files are not handoffs. */
const LARGEST_BYTES = 10_000_000;
/** Characters searched for secrets beyond the part shown: half a key would not be recognised. */
const BEYOND = 2_000;

const isSessionID = (text: string): boolean => /^ses[\w-]+$/.test(text);

export const run: Run = async (cli, { session }, [source = ""]) => {
  if (typeof session === "string" && !isSessionID(session))
    throw new StrataError(WRONG_ARGUMENT, `expected the id of a session, "${session}" came`);
  const target = typeof session === "string" ? session : NEXT;
  if (source === target)
    throw new StrataError(
      WRONG_ARGUMENT,
      `${source} is the target session itself; name an earlier one, or a checkpoint`,
    );
  const project = await openProject(cli);
  const checkpoints = openProjectsCheckpoints(project);
  if (await isInAgentsShell(cli))
    throw new StrataError(
      "AGENT",
      "this shell is an agent's, and only you may attach something to a session; run the command in your own terminal",
    );
  const { sessions } = openOwnState(project);
  const isKnown = async (id: string): Promise<boolean> => (await sessions.filter([id])).has(id);
  const path = resolve(cli.folder, source);
  // A file of the repository may be named like a session.
  const isID = isCheckpointID(source) || (isSessionID(source) && (await isKnown(source)));
  const stat = isID ? undefined : await cli.files.stat(path);
  if (!isID && !isSessionID(source) && stat?.kind !== "file")
    throw new StrataError(
      "NO_SOURCE",
      `expected a session, a checkpoint or a file of strata handoff; there is no file ${path}. strata sessions and strata checkpoint --list show the others`,
    );
  const before = await checkpoints.attached.read(target);
  const of =
    stat?.kind === "file"
      ? await attachFile(cli, { path, bytes: stat.bytes, checkpoints, target })
      : await checkpoints.attach(source, target);
  const when =
    target === NEXT ? "the first message of the next new session" : `the next message of ${target}`;
  cli.say(`Attached: ${of}. The agent reads it with ${when}.`);
  if (before) cli.say(`It replaces ${before.of}, which was waiting there.`);
  const { config } = await project.settings();
  if (!config.sessionMemory.enabled)
    cli.warn("strata: sessionMemory.enabled is false here, so no session reads it until you switch it on");
  if (target !== NEXT && !(await isKnown(target)))
    cli.warn(
      `strata: no session ${target} has run here so far; what is attached waits ${ATTACHED_DAYS} days for it`,
    );
  return exitCodes.fine;
};

interface FileToAttach {
  path: string;
  bytes: number;
  checkpoints: OpenCheckpoints;
  target: string;
}

/** Copies the text, so that later changes of the file have no effect. */
async function attachFile(
  { clock, files }: CliContext,
  { bytes, checkpoints, path, target }: FileToAttach,
): Promise<string> {
  const contents = bytes > LARGEST_BYTES ? undefined : await files.read(path);
  const text = contents && decodeStrictly(contents);
  if (text === undefined)
    throw new StrataError(
      "NO_TEXT",
      `expected a text of at most 10 MB in ${path}; give the file of strata handoff`,
    );
  const safe = redactSecrets(cut(text, MOST_CHARACTERS + BEYOND)).text;
  const name = basename(path);
  const of = `the file ${name}`;
  const asked = new Date(clock.now()).toISOString();
  await checkpoints.attached.write(target, { v: 1, of, asked, text: formatForeignCapsule(name, safe) });
  return of;
}
