/** Saves the state of a session, gives it to another session, writes it as a file, and continues an earlier session. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, resolve } from "node:path";
import * as z from "zod";
import { StrataError } from "../../base/error.js";
import { formatAge } from "../../base/format.js";
import { cut } from "../../base/text.js";
import { decodeStrictly } from "../../io/files.js";
import { ATTACHED_DAYS, NEXT } from "../../notes/checkpoints/attached.js";
import {
  formatCheckpointLine,
  formatForeignCapsule,
  formatHandoffFile,
  isCheckpointID,
  MOST_CHARACTERS,
} from "../../notes/checkpoints/checkpoint.js";
import { type OpenCheckpoints, openCheckpoints } from "../../notes/checkpoints/open-checkpoints.js";
import { formatSessionState, readState } from "../../notes/checkpoints/resume.js";
import { readTitles } from "../../status/session-screen.js";
import { redactSecrets } from "../../text/secrets/secrets.js";
import { type CliContext, FORCE, WRONG_ARGUMENT, writeNew } from "../command.js";
import { findOpenCode } from "../doctor/opencode.js";
import { withMemories } from "../open-memories.js";
import { openProjectQuotes } from "../open-search.js";
import { type Answer, defineTerminalOperation, flag, option, text } from "../operation.js";
import { openOwnState } from "../own-state.js";
import type { Project } from "../project.js";

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
    findQuotes: async (words, exceptSession) =>
      (await openProjectQuotes(project)).find(words, { exceptSession, project: root }),
    listMemories: () => withMemories(project, (store) => store.list()),
    locate: async () => (await locateRecord()).folder,
  });
}

const sessionID = (pattern: RegExp) => z.string().regex(pattern, "must be the id of a session");

const checkpointInput = z.object({
  note: z.string().default(""),
  session: option(sessionID(/^[\w-]+$/), "id", "session to save (default: the last used one)"),
  list: flag.default(false).describe("lists the checkpoints"),
  remove: option(z.string(), "id", "removes a checkpoint"),
});

export const checkpoint = defineTerminalOperation(
  checkpointInput,
  async (project, given, { clock, nameOf }) => {
    const { list, note, remove, session } = given;
    const checkpoints = openProjects(project);
    if (list) {
      const all = await checkpoints.list(MOST_LISTED);
      const lines = all.map((one) => formatCheckpointLine(one, clock.now()));
      return { text: lines.join("\n") || "No checkpoint is kept in this project.", data: all };
    }
    if (remove !== undefined) {
      if (await checkpoints.remove(remove)) return { text: `Removed: ${remove}` };
      const why = `there is no checkpoint ${remove}; ${nameOf("sessions checkpoint")} --list shows all`;
      throw new StrataError("NO_CHECKPOINT", why);
    }
    const sessionID = session ?? (await checkpoints.findByWords("")).sessionID;
    // Also checks that the session ran on this machine.
    await checkpoints.find(sessionID);
    const kept = await checkpoints.keep({ sessionID, note });
    const none = `no notes are kept on ${sessionID}; ${nameOf("sessions")} lists those with notes`;
    if (!kept) throw new StrataError("NO_SESSION", none);
    const how = `${nameOf("sessions attach")} ${kept.id} gives it to the next new session.`;
    return { text: `Kept: ${formatCheckpointLine(kept, clock.now())}\n${how}`, data: kept };
  },
);

const SESSION = /^ses[\w-]+$/;

const attachInput = z.object({
  source: text("must name a session, a checkpoint or a handoff file"),
  session: option(sessionID(SESSION), "id", "attaches it to the next message of this session instead"),
});

export const attach = defineTerminalOperation(attachInput, async (project, given, { nameOf }) => {
  const { session: target = NEXT, source } = given;
  const same = `${source} is the target session itself; name an earlier one, or a checkpoint`;
  if (source === target) throw new StrataError(WRONG_ARGUMENT, same);
  const { cli } = project;
  const checkpoints = openProjects(project);
  const { sessions } = openOwnState(project);
  const isKnown = async (id: string): Promise<boolean> => (await sessions.filter([id])).has(id);
  const path = resolve(cli.folder, source);
  // A file of the repository may be named like a session.
  const isID = isCheckpointID(source) || (SESSION.test(source) && (await isKnown(source)));
  const stat = isID ? undefined : await cli.files.stat(path);
  const none = `expected a session, a checkpoint or a handoff file; there is no file ${path}. ${nameOf("sessions")} and ${nameOf("sessions checkpoint")} --list show the others`;
  if (!isID && !SESSION.test(source) && stat?.kind !== "file") throw new StrataError("NO_SOURCE", none);
  const handed = stat?.kind === "file" ? await readHandoff(cli, path, stat.bytes) : undefined;
  const { of, replaced } =
    handed === undefined
      ? await checkpoints.attach(source, target)
      : await checkpoints.attachText(target, `the file ${basename(path)}`, handed);
  const when =
    target === NEXT ? "the first message of the next new session" : `the next message of ${target}`;
  const attached = `Attached: ${of}. The agent reads it with ${when}.`;
  const { config } = await project.settings();
  const notes: string[] = [];
  if (!config.sessionMemory.enabled)
    notes.push("strata: sessionMemory.enabled is false here, so no session reads it until you switch it on");
  if (target !== NEXT && !(await isKnown(target)))
    notes.push(
      `strata: no session ${target} has run here so far; what is attached waits ${ATTACHED_DAYS} days for it`,
    );
  const text = replaced ? `${attached}\nIt replaces ${replaced.of}, which was waiting there.` : attached;
  return { text, notes };
});

/** The text is copied, so that later changes of the file have no effect. */
async function readHandoff({ files }: CliContext, path: string, bytes: number): Promise<string> {
  const contents = bytes > LARGEST_BYTES ? undefined : await files.read(path);
  const text = contents && decodeStrictly(contents);
  const why = `expected a text of at most 10 MB in ${path}; give the file of strata sessions handoff`;
  if (text === undefined) throw new StrataError("NO_TEXT", why);
  return formatForeignCapsule(basename(path), redactSecrets(cut(text, MOST_CHARACTERS + BEYOND)).text);
}

const handoffInput = z.object({
  source: z.string().optional(),
  file: z.string().optional().describe("writes a new file instead of printing it"),
  force: flag.default(false).describe(FORCE),
});

/** Changes nothing but the file it writes. */
export const handoff = defineTerminalOperation(
  handoffInput,
  async (project, { file, force, source: name }) => {
    const checkpoints = openProjects(project);
    const { now, source } = await checkpoints.find(name ?? (await checkpoints.findByWords("")).sessionID);
    const text = formatHandoffFile(source, now);
    if (file === undefined) return { text: text.trimEnd() };
    return { text: `Written: ${await writeNew(project.cli, file, text, force)}` };
  },
);

/* Finds the session that is meant, shows its state, and opens it or gives it to a new one. */

const resumeInput = z.object({ words: z.string().trim().default("") });

export const resume = defineTerminalOperation(
  resumeInput,
  async (project, { words }, { clock, nameOf }): Promise<Answer> => {
    const { cli, folders } = project;
    const checkpoints = openProjects(project);
    const session = await checkpoints.findByWords(words);
    const { modifiedMs, sessionID: id } = session;
    const title = (await readTitles(openOwnState(project).files, folders.sessions)).get(id);
    const state = readState(session);
    const head = [id, title, `(${formatAge(modifiedMs, clock.now())})`].filter(Boolean).join("  ");
    const shown = `${head}\n${formatSessionState(state)}`;
    const commands = { open: `opencode -s ${id}`, attach: `${nameOf("sessions attach")} ${id}` };
    const data = { id, ...(title !== undefined && { title }), ...state, commands };
    if (!cli.press) {
      const told = `${commands.open} opens it; ${commands.attach} gives it to the next new session.`;
      return { text: `${shown}\n${told}`, data };
    }
    cli.say(shown);
    const key = await cli.press("o opens it, n gives it to the next new session, any other key ends");
    if (key === "o") return open(project, id);
    if (key !== "n") return { text: "" };
    const { of } = await checkpoints.attach(id, NEXT);
    return { text: `Attached: ${of}. The agent reads it with the first message of the next new session.` };
  },
);

/** In this terminal, until the user leaves OpenCode. */
async function open({ cli, root }: Project, id: string): Promise<Answer> {
  const binary = await findOpenCode(cli);
  const none = `no opencode in the PATH, which opens the session: opencode -s ${id}`;
  if (binary === undefined) throw new StrataError("NO_HOST", none);
  await once(spawn(binary, ["-s", id], { cwd: root, env: cli.env, stdio: "inherit" }), "close");
  return { text: "" };
}
