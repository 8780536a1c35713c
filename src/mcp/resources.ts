/**
 * What a client can read without a tool:
 *
 *     memory://index             the overview, as MEMORY.md
 *     memory://memories/<id>     a memory
 *     memory://sessions/<id>     the notes of an earlier session
 *
 * and the prompts, which many clients show to the user as commands.
 */
import type { Resource } from "@modelcontextprotocol/sdk/types.js";
import { formatIndex } from "../memory/store/index-page.js";
import { listNewestSessions, readSafePage } from "../notes/session-files.js";
import { isFileName } from "../project/folders.js";
import { readTitles } from "../status/session-titles.js";
import type { ClientContext } from "./client.js";
import { answerHits, findHits, formatBoot, rankAll, showMemory } from "./hits.js";
import { type McpCall, refuse } from "./tool.js";

const INDEX = "memory://index";
const MEMORIES = "memory://memories/";
const SESSIONS = "memory://sessions/";
const MARKDOWN = "text/markdown";
/** Maximum number of resources per page; a cursor leads to the next page. */
const MOST_LISTED = 200;
const MOST_SESSIONS = 50;
const MOST_TOPIC = 1_000;

export const resourceTemplates = [
  { uriTemplate: `${MEMORIES}{id}`, name: "memory", title: "A memory", mimeType: MARKDOWN },
  { uriTemplate: `${SESSIONS}{id}`, name: "session", title: "Notes of a session", mimeType: MARKDOWN },
];

/** Sessions first, then memories, the most important first. `cursor`: a number in decimal digits. */
export async function listResources(
  client: ClientContext,
  cursor = "0",
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  if (!/^\d{1,9}$/.test(cursor)) throw refuse(`Expected a cursor from an earlier answer, "${cursor}" came.`);
  const index = { uri: INDEX, name: "index", title: "Overview of the memories", mimeType: MARKDOWN };
  const memories = (await rankAll(client)).flatMap((part) => part.memories);
  const all = [
    index,
    ...(await listSessions(client)),
    ...memories.map(({ id, title }) => ({
      uri: `${MEMORIES}${id.split("/").map(encodeURIComponent).join("/")}`,
      ...{ name: id, title, mimeType: MARKDOWN },
    })),
  ];
  const next = Number(cursor) + MOST_LISTED;
  return {
    resources: all.slice(Number(cursor), next),
    ...(next < all.length && { nextCursor: String(next) }),
  };
}

/** Titles come from the user's requests, which may name something private. */
async function listSessions({ shared }: ClientContext): Promise<Resource[]> {
  const { files, project, sessions } = shared;
  const folder = project.folders.sessionMemory;
  const titles = await readTitles(files, project.folders.sessions);
  const ids = await listNewestSessions({ files, folder, sessions, most: MOST_SESSIONS });
  const isHidden = await shared.findHidden();
  return ids.map((id) => {
    const title = titles.get(id);
    const shown = title === undefined || isHidden(title) ? `Session ${id}` : title;
    return { uri: `${SESSIONS}${encodeURIComponent(id)}`, name: id, title: shown, mimeType: MARKDOWN };
  });
}

/** @throws StrataError for anything else */
export async function readResource(client: ClientContext, uri: string, call: McpCall) {
  const text = await read(client, uri, call);
  if (text === undefined)
    throw refuse(`There is no resource ${uri}; resources are ${INDEX}, ${MEMORIES}<id> and ${SESSIONS}<id>.`);
  return { contents: [{ uri, mimeType: MARKDOWN, text }] };
}

async function read(client: ClientContext, uri: string, call: McpCall): Promise<string | undefined> {
  const { config, memories } = client.shared;
  if (uri === INDEX) return formatIndex(await rankAll(client), config.autoMemory);
  if (uri.startsWith(MEMORIES)) {
    const memory = await memories.read(decode(uri.slice(MEMORIES.length)));
    return memory && showMemory(client, memory.id, call);
  }
  return uri.startsWith(SESSIONS) ? readNotes(client, decode(uri.slice(SESSIONS.length))) : undefined;
}

/** Only for sessions that ran on this machine: a repository may bring others' notes. */
async function readNotes({ shared }: ClientContext, id: string): Promise<string | undefined> {
  const { files, project, sessions } = shared;
  if (!isFileName(id) || !(await sessions.filter([id])).has(id)) return undefined;
  const page = await readSafePage({ files, folder: project.folders.sessionMemory }, id);
  const isHidden = await shared.findHidden();
  const lines = page?.split("\n").filter((line) => !isHidden(line));
  return lines?.join("\n");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export const prompts = [
  { name: "boot_context", description: "What is remembered about this project" },
  {
    name: "recall",
    description: "What is remembered about a topic",
    arguments: [{ name: "topic", description: "What to look for", required: true }],
  },
  { name: "log_session", description: "Has the agent store what this session decided and learned" },
];

const LOG_SESSION =
  "Store what will matter in later sessions. Call remember once for each decision (with its reason), blocker and fact found the hard way in this session that code and git do not show, then log_session with two or three sentences on what was done. Leave out the task itself and its state.";

/** @throws StrataError for an unknown prompt, or one without its argument */
export async function readPrompt(
  client: ClientContext,
  name: string,
  { topic = "" }: Readonly<Record<string, string>> = {},
) {
  const text = await formatPrompt(client, name, topic.trim());
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}

async function formatPrompt(client: ClientContext, name: string, topic: string): Promise<string> {
  if (name === "boot_context") return formatBoot(client);
  if (name === "log_session") return LOG_SESSION;
  if (name !== "recall")
    throw refuse(`There is no prompt ${name}; prompts are ${prompts.map((one) => one.name).join(", ")}.`);
  if (topic === "" || topic.length > MOST_TOPIC)
    throw refuse(`Expected a topic of 1 to ${MOST_TOPIC} characters, ${topic.length} came.`);
  return answerHits(client, await findHits(client, { text: topic }));
}
