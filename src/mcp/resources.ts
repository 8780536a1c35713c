/**
 * What a client can read without a tool:
 *
 *     memory://index             the overview, as MEMORY.md
 *     memory://memories/<id>     a memory
 *     memory://sessions/<id>     the notes of an earlier session
 */
import { planBoot } from "../../layers/5-auto-memory/injection/boot.js";
import { formatOpenConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import { formatActive } from "../../layers/5-auto-memory/injection/known-memories.js";
import { findLineIDs } from "../../layers/5-auto-memory/injection/line.js";
import type { Memory } from "../memory/memory.js";
import { rankMemories } from "../memory/rank.js";
import { formatIndex } from "../memory/store/index-page.js";
import { listNewestSessions, readSafePage } from "../notes/session-files.js";
import { isFileName } from "../project/folders.js";
import { readTitles } from "../status/session-titles.js";
import type { ClientContext } from "./client-context.js";
import { showMemory } from "./find-hits.js";
import { refuse } from "./tool.js";
import { isShownPath } from "./without-private.js";

const INDEX = "memory://index";
const MEMORIES = "memory://memories/";
const SESSIONS = "memory://sessions/";
const MARKDOWN = "text/markdown";
/** Maximum number of resources per page; a cursor leads to the next page. */
const MOST_LISTED = 200;
const MOST_SESSIONS = 50;

export const resourceTemplates = [
  { uriTemplate: `${MEMORIES}{id}`, name: "memory", title: "A memory", mimeType: MARKDOWN },
  { uriTemplate: `${SESSIONS}{id}`, name: "session", title: "Notes of a session", mimeType: MARKDOWN },
];

interface Resource {
  uri: string;
  name: string;
  title: string;
  mimeType: string;
}

/** Sessions first, then memories, the most important first. `cursor`: a number in decimal digits. */
export async function listResources(
  client: ClientContext,
  cursor = "0",
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const from = /^\d{1,9}$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (Number.isNaN(from)) throw refuse(`Expected a cursor from an earlier answer, "${cursor}" came.`);
  const index = { uri: INDEX, name: "index", title: "Overview of the memories", mimeType: MARKDOWN };
  const all = [index, ...(await listSessions(client)), ...(await listMemories(client))];
  const next = from + MOST_LISTED;
  return {
    resources: all.slice(from, next),
    ...(next < all.length && { nextCursor: String(next) }),
  };
}

/** @throws StrataError for anything else */
export async function readResource(client: ClientContext, uri: string) {
  const text = await read(client, uri);
  if (text === undefined)
    throw refuse(`There is no resource ${uri}; resources are ${INDEX}, ${MEMORIES}<id> and ${SESSIONS}<id>.`);
  return { contents: [{ uri, mimeType: MARKDOWN, text }] };
}

async function read(client: ClientContext, uri: string): Promise<string | undefined> {
  const { memories, config } = client.shared;
  if (uri === INDEX) return formatIndex(await rank(client), config.autoMemory);
  if (uri.startsWith(MEMORIES)) {
    const memory = await memories.read(decode(uri.slice(MEMORIES.length)));
    return memory && showMemory(client, memory);
  }
  return uri.startsWith(SESSIONS) ? readNotes(client, decode(uri.slice(SESSIONS.length))) : undefined;
}

/** Only for sessions that ran on this machine: a repository may bring others' notes. */
async function readNotes({ shared }: ClientContext, id: string): Promise<string | undefined> {
  const { files, project, sessions } = shared;
  if (!isFileName(id)) return undefined;
  const seen = await sessions.filter([id]);
  if (!seen.has(id)) return undefined;
  const folder = project.folders.sessionMemory;
  const page = await readSafePage({ files, folder }, id);
  const isHidden = await shared.findHidden();
  const lines = page?.split("\n").filter((line) => !isHidden(line));
  return lines?.join("\n");
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
    return {
      uri: `${SESSIONS}${encodeURIComponent(id)}`,
      name: id,
      title: title === undefined || isHidden(title) ? `Session ${id}` : title,
      mimeType: MARKDOWN,
    };
  });
}

async function listMemories(client: ClientContext): Promise<Resource[]> {
  const parts = await rank(client);
  return parts.flatMap((part) =>
    part.memories.map(({ id, title }) => ({
      uri: `${MEMORIES}${id.split("/").map(encodeURIComponent).join("/")}`,
      name: id,
      title,
      mimeType: MARKDOWN,
    })),
  );
}

async function rank({ shared: { memories, project } }: ClientContext) {
  return rankMemories(await memories.list(), memories.useOf, project.cli.clock.now());
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/* Finds the memories linked with one. Pure. */

export const linkTypes = ["links", "linked_by", "supersedes", "superseded_by", "entity"] as const;
export type LinkType = (typeof linkTypes)[number];

export interface Linked {
  type: LinkType;
  memories: Memory[];
}

const MOST_OF_A_TYPE = 30;

/** Grouped by these types, in their order, without empty groups. A memory appears once. */
export function findLinked(
  memory: Memory,
  all: readonly Memory[],
  types: readonly LinkType[] = linkTypes,
): Linked[] {
  const entities = new Set(memory.entities.map((one) => one.toLowerCase()));
  const is: Record<LinkType, (other: Memory) => boolean> = {
    links: ({ id }) => memory.links.includes(id),
    linked_by: ({ links }) => links.includes(memory.id),
    supersedes: ({ supersededBy }) => supersededBy === memory.id,
    superseded_by: ({ id }) => memory.supersededBy === id,
    entity: (other) => other.entities.some((one) => entities.has(one.toLowerCase())),
  };
  const left = new Set(all.filter(({ id }) => id !== memory.id));
  return types.flatMap((type): Linked[] => {
    const found = [...left].filter(is[type]).slice(0, MOST_OF_A_TYPE);
    for (const one of found) left.delete(one);
    return found.length === 0 ? [] : [{ type, memories: found }];
  });
}

/** Relative to the project, as the plugin names it. */
const INDEX_PATH = ".opencode/memory/MEMORY.md";

/** What an OpenCode session is shown when it starts, or a sentence that there is nothing. */
export async function formatBoot({ conflicts, shared, instances, session }: ClientContext): Promise<string> {
  const { allowsPrivate, config, memories, project } = shared;
  const nowMs = project.cli.clock.now();
  const all = await memories.list();
  const ranked = rankMemories(all, memories.useOf, nowMs).flatMap((part) => part.memories);
  const open = (await conflicts.open()).filter(({ path }) => allowsPrivate || isShownPath(path));
  const living = config.boot.activeSessions ? await instances.living() : [];
  const block = planBoot(ranked, {
    nowMs,
    indexPath: INDEX_PATH,
    conflicts: formatOpenConflicts(open),
    active: formatActive(living, { ownID: instances.ownID, sessionID: session() }),
    shows: config.boot,
  });
  const ids = new Set(findLineIDs(block ?? ""));
  conflicts.see(all.filter(({ id }) => ids.has(id)));
  return block ?? "Nothing is remembered about this project yet.";
}
