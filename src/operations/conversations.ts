/** The index of conversations as commands use it: opened, filled from a server of OpenCode's, and made to forget. */
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { formatCount } from "../base/format.js";
import { askOnce } from "../base/shape.js";
import type { Conversations } from "../conversations/conversations.js";
import { openConversations, takeSession } from "../conversations/feed.js";
import { createTemplateCheck, type PastSession } from "../host/1/past-sessions.js";
import { runLong } from "./command.js";
import { openSessions, serverOption } from "./open-sessions.js";
import { defineTerminalOperation, flag, REFUSED, text } from "./operation.js";
import { type Project, readOpenOptions, readSettings, requireProjectRoot } from "./project.js";

/** Opens no file before it is asked. */
const openIndex = async (project: Project): Promise<Conversations> =>
  openConversations(await readOpenOptions(project), "index");

const indexInput = z.object({
  all: flag.optional().describe("also the sessions of every other project that OpenCode knows"),
  server: serverOption,
});

/** How many sessions were read, had nothing new, are no longer there or no longer indexed, and were not sent by OpenCode. */
type Indexed = Record<"read" | "unchanged" | "removed" | "unread", number>;

type Wanted = PastSession & { root: string };

/** Reads what is not in yet, newest sessions first; ended halfway, the rest is read the next time. */
export const index = defineTerminalOperation(indexInput, async (project, { all, server }) => {
  const { cli } = project;
  // A project's own settings say whether its index is on.
  const isOn = askOnce(
    async (root: string) => (await readSettings({ ...cli, folder: root }, root)).config.search.enabled,
  );
  const conversations = await openIndex(project);
  if (!all && !(await isOn(project.root))) {
    await conversations.removeProject(project.root);
    throw new StrataError(REFUSED, "search.enabled is false for this project, so nothing in it is indexed");
  }
  const stored = await openSessions(project, server, all);
  const isTemplate = createTemplateCheck(stored.templates);
  const done: Indexed = { read: 0, unchanged: 0, removed: 0, unread: 0 };
  await runLong(cli, "Indexing", async ({ signal }, onStep) => {
    // As the plugin finds it; a folder that is gone stands for itself.
    const findRoot = askOnce((folder: string) => requireProjectRoot({ ...cli, folder }).catch(() => folder));
    const wanted: Wanted[] = [];
    for (const session of stored.listed.toReversed()) {
      const root = all ? await findRoot(session.directory) : project.root;
      if (await isOn(root)) wanted.push({ ...session, root });
    }
    done.removed = await removeOthers(conversations, wanted, all ? undefined : project.root);
    for (const [n, session] of wanted.entries()) {
      if (signal.aborted) break;
      done[await readSession(session)]++;
      onStep(n + 1, wanted.length);
    }
  }).finally(stored.close);
  return { text: formatIndexed(done), data: done, isProblem: done.unread > 0 };

  async function readSession({ id, root, title, updatedMs }: Wanted): Promise<keyof Indexed> {
    const cursor = await conversations.findCursor(id);
    if (cursor && (cursor.isForgotten || cursor.readMs >= updatedMs)) return "unchanged";
    const readMs = cli.clock.now();
    const messages = await stored.readMessages(id);
    if (!messages) return "unread";
    const session = { id, project: root, title };
    await takeSession({ clock: cli.clock, conversations }, session, { messages, isTemplate, readMs });
    return "read";
  }
});

/** Removes sessions that are not among these. */
async function removeOthers(
  conversations: Conversations,
  wanted: readonly { id: string }[],
  project: string | undefined,
): Promise<number> {
  const there = new Set(wanted.map(({ id }) => id));
  const known = await conversations.list({ limit: -1, ...(project !== undefined && { project }) });
  const gone = known.filter(({ id }) => !there.has(id));
  for (const { id } of gone) await conversations.removeSession(id);
  return gone.length;
}

function formatIndexed({ read, removed, unchanged, unread }: Indexed): string {
  return [
    `${formatCount(read)} sessions were read, ${formatCount(unchanged)} have nothing new`,
    ...(removed > 0 ? [`${formatCount(removed)} are gone`] : []),
    ...(unread > 0 ? [`${formatCount(unread)} did not come; run the command again`] : []),
  ].join("; ");
}

const forgetInput = z.object({
  session: text("must name a session by its id").meta({ value: "id" }).describe("the session's id"),
});

/** The conversation itself stays with OpenCode. */
export const forget = defineTerminalOperation(forgetInput, async (project, { session }) => {
  const conversations = await openIndex(project);
  const known = await conversations.findCursor(session);
  if (!known)
    throw new StrataError(REFUSED, `expected the id of a session that is in the index, "${session}" is not`);
  await conversations.forgetSession(session);
  return { text: `Forgotten: ${session}. OpenCode still has it`, data: { session } };
});
