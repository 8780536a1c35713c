/** `strata checkpoint`, `attach` and `handoff`: save a session's state, give it to another session, or write it as a file. */
import { basename, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { decodeStrictly } from "../../io/files.js";
import { ATTACHED_DAYS, NEXT } from "../../notes/checkpoints/attached.js";
import { formatForeignCapsule, formatHandoffFile, MOST_CHARACTERS } from "../../notes/checkpoints/capsule.js";
import { formatCheckpointLine, isCheckpointID } from "../../notes/checkpoints/checkpoint.js";
import { type OpenCheckpoints, openCheckpoints } from "../../notes/checkpoints/open-checkpoints.js";
import { type CliContext, exitCodes, type Run, WRONG_ARGUMENT } from "../../operations/command.js";
import { refuseAgents } from "../../operations/handover/agenda.js";
import { withMemories } from "../../operations/open-memories.js";
import { openOwnState, openProject, type Project } from "../../operations/project.js";
import { writeNew } from "../../operations/write-new.js";
import { redactSecrets } from "../../text/secrets/secrets.js";
import { cut } from "../../text/text.js";

const MOST_LISTED = 100;
/** Larger files are not handoffs. */
const LARGEST_BYTES = 10_000_000;
/** Characters searched for secrets beyond the part shown: half a key would not be recognised. */
const BEYOND = 2_000;

/** The project's checkpoints, even while OpenCode has it open. They lack what OpenCode has not written yet. */
function openProjects(project: Project): OpenCheckpoints {
  const { cli, folders, root } = project;
  const { files, locateRecord, sessions } = openOwnState(project);
  return openCheckpoints({
    ...{ clock: cli.clock, files, sessions, folder: folders.sessionMemory, project: root },
    complain: cli.warn,
    listMemories: () => withMemories(project, (store) => store.list()),
    locate: async () => (await locateRecord()).folder,
  });
}

export const checkpoint: Run = async (cli, { list, remove, session }, words) => {
  const checkpoints = openProjects(await openProject(cli));
  if (list) {
    const all = await checkpoints.list(MOST_LISTED);
    if (all.length === 0) cli.say("No checkpoint is kept in this project.");
    for (const one of all) cli.say(formatCheckpointLine(one, cli.clock.now()));
    return exitCodes.fine;
  }
  if (typeof remove === "string") {
    if (!(await checkpoints.remove(remove)))
      throw new StrataError(
        "NO_CHECKPOINT",
        `there is no checkpoint ${remove}; strata checkpoint --list shows all`,
      );
    cli.say(`Removed: ${remove}`);
    return exitCodes.fine;
  }
  if (typeof session === "string" && !/^[\w-]+$/.test(session)) throw expectedSession(session);
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

const expectedSession = (came: string): StrataError =>
  new StrataError(WRONG_ARGUMENT, `expected the id of a session, "${came}" came`);

const isSessionID = (text: string): boolean => /^ses[\w-]+$/.test(text);

export const attach: Run = async (cli, { session }, [source = ""]) => {
  if (typeof session === "string" && !isSessionID(session)) throw expectedSession(session);
  const target = typeof session === "string" ? session : NEXT;
  if (source === target)
    throw new StrataError(
      WRONG_ARGUMENT,
      `${source} is the target session itself; name an earlier one, or a checkpoint`,
    );
  const project = await openProject(cli);
  const checkpoints = openProjects(project);
  await refuseAgents(cli, "and only you may attach something to a session");
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
  const { of, replaced } =
    stat?.kind === "file"
      ? await checkpoints.attachText(
          target,
          `the file ${basename(path)}`,
          await readHandoff(cli, path, stat.bytes),
        )
      : await checkpoints.attach(source, target);
  const when =
    target === NEXT ? "the first message of the next new session" : `the next message of ${target}`;
  cli.say(`Attached: ${of}. The agent reads it with ${when}.`);
  if (replaced) cli.say(`It replaces ${replaced.of}, which was waiting there.`);
  const { config } = await project.settings();
  if (!config.sessionMemory.enabled)
    cli.warn("strata: sessionMemory.enabled is false here, so no session reads it until you switch it on");
  if (target !== NEXT && !(await isKnown(target)))
    cli.warn(
      `strata: no session ${target} has run here so far; what is attached waits ${ATTACHED_DAYS} days for it`,
    );
  return exitCodes.fine;
};

/** The text is copied, so that later changes of the file have no effect. */
async function readHandoff({ files }: CliContext, path: string, bytes: number): Promise<string> {
  const contents = bytes > LARGEST_BYTES ? undefined : await files.read(path);
  const text = contents && decodeStrictly(contents);
  if (text === undefined)
    throw new StrataError(
      "NO_TEXT",
      `expected a text of at most 10 MB in ${path}; give the file of strata handoff`,
    );
  return formatForeignCapsule(basename(path), redactSecrets(cut(text, MOST_CHARACTERS + BEYOND)).text);
}

/** Changes nothing but the file it writes. */
export const handoff: Run = async (cli, { file, force }, [name]) => {
  const checkpoints = openProjects(await openProject(cli));
  const { now, source } = await checkpoints.find(name ?? (await checkpoints.findNewestSession()));
  const text = formatHandoffFile(source, now);
  if (typeof file === "string") cli.say(`Written: ${await writeNew(cli, file, text, force === true)}`);
  else cli.say(text.trimEnd());
  return exitCodes.fine;
};
