/** What a client reads: hits of a search, a memory in full, what a session is shown at its start, resources, prompts. */
import type { Resource } from "@modelcontextprotocol/sdk/types.js";
import { planBoot } from "../../layers/5-auto-memory/injection/boot.js";
import { formatOpenConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import { formatActive } from "../../layers/5-auto-memory/injection/known-memories.js";
import { findLineIDs } from "../../layers/5-auto-memory/injection/line.js";
import { formatAnswer, RECORD, showFound } from "../../layers/5-auto-memory/tools/recall.js";
import { type Memory, readTypeName } from "../memory/memory.js";
import { rankMemories } from "../memory/rank.js";
import type { Found, MemoryQuery } from "../memory/search/search.js";
import { formatIndex } from "../memory/store/index-page.js";
import { listNewestSessions, readSafePage } from "../notes/session-files.js";
import { formatUnknown, isShownPath } from "../operations/permit.js";
import { isFileName } from "../project/folders.js";
import { readTitles } from "../status/session-screen.js";
import type { ClientContext } from "./client.js";
import { CONVERSATION, callPlugins, type McpCall, readScope, refuse } from "./tool.js";

interface HitsWanted extends Pick<MemoryQuery, "archived" | "entity" | "text"> {
  category?: string | undefined;
  project?: string | undefined;
  limit?: number | undefined;
}

const USUAL_LIMIT = 10;
/** Maximum number of hits to fetch if some are filtered out afterwards. */
const MOST_SIFTED = 1_000;
/** Memories first, then lines of past sessions. @throws StrataError for another project */
export async function findHits({ shared }: ClientContext, wanted: HitsWanted): Promise<readonly Found[]> {
  const { archived, category, entity, limit = USUAL_LIMIT, text } = wanted;
  const scope = readScope(shared.project, wanted.project);
  const type = readTypeName(category);
  const isSifted = scope !== undefined || category === CONVERSATION;
  const found = await shared.search.find({
    ...{ text, entity, type, archived },
    limit: isSifted ? MOST_SIFTED : limit,
  });
  const isHidden = await shared.findHidden();
  const isWanted = (hit: Found): boolean => {
    if (hit.kind === "session") return scope !== "global" && !isHidden(hit.text);
    return category !== CONVERSATION && (scope === undefined || hit.memory.scope === scope);
  };
  return found.filter(isWanted).slice(0, limit);
}

/** The answer to a search. `whole`: the call to which memories are shown in full, and other hits as lines. */
export async function answerHits(
  client: ClientContext,
  hits: readonly Found[],
  whole?: McpCall,
): Promise<string> {
  if (!whole) return formatAnswer(formatHits(client, hits));
  const texts: string[] = [];
  for (const hit of hits)
    if (hit.kind === "session") texts.push(...formatHits(client, [hit]));
    else texts.push((await showMemory(client, hit.memory.id, whole)).replace(`${RECORD}\n`, ""));
  return formatAnswer(texts);
}

export const formatHits = ({ conflicts, shared }: ClientContext, found: readonly Found[]): string[] =>
  showFound({ ...shared.project.cli, ...shared.project, conflicts, memories: shared.memories }, found);

export const showMemory = (client: ClientContext, id: string, call: McpCall): Promise<string> =>
  callPlugins(client.recall, { id }, client, call);

/** @throws StrataError if there is none */
export async function requireMemory({ shared }: ClientContext, id: string): Promise<Memory> {
  const exact = await shared.memories.read(id);
  if (exact) return exact;
  const [hit] = await shared.search.find({ id, archived: true, limit: 1 });
  if (hit?.kind === "memory") return hit.memory;
  throw refuse(formatUnknown(id));
}

const rankAll = async ({ shared: { memories, project } }: ClientContext) =>
  rankMemories(await memories.list(), memories.useOf, project.cli.clock.now());

/** Relative to the project, as the plugin names it. */
const INDEX_PATH = ".opencode/memory/MEMORY.md";

/** What an OpenCode session is shown when it starts, or a sentence that there is nothing. */
export async function formatBoot(client: ClientContext): Promise<string> {
  const { conflicts, core, instances, shared } = client;
  const { allowsPrivate, config } = shared;
  const ranked = (await rankAll(client)).flatMap((part) => part.memories);
  const open = (await conflicts.open()).filter(({ path }) => allowsPrivate || isShownPath(path));
  const living = config.boot.activeSessions ? await instances.living() : [];
  const block = planBoot(ranked, {
    nowMs: core.clock.now(),
    indexPath: INDEX_PATH,
    conflicts: formatOpenConflicts(open),
    active: formatActive(living, { ownID: instances.ownID, sessionID: core.session ?? client.id }),
    shows: config.boot,
  });
  const ids = new Set(findLineIDs(block ?? ""));
  conflicts.see(ranked.filter(({ id }) => ids.has(id)));
  return block ?? "Nothing is remembered about this project yet.";
}

/*
 * What a client can read without a tool:
 *
 *     memory://index             the overview, as MEMORY.md
 *     memory://memories/<id>     a memory
 *     memory://sessions/<id>     the notes of an earlier session
 *
 * and the prompts, which many clients show to the user as commands.
 */

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
