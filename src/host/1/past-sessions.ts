/** Sessions that OpenCode has stored: of a project, from a running server, and what an export says of one. */
import { isAbsolute, join, relative, sep } from "node:path";
import type { PluginInput } from "@opencode-ai/plugin";
import {
  anyObject,
  each,
  finite,
  isRecord,
  list,
  object,
  optional,
  type PlainRecord,
  string,
} from "../../base/shape.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import { type Files, readText } from "../../io/files.js";
import type { ListedSessions } from "../../io/host.js";
import { isForPeopleOnly, type Message } from "../../io/message.js";
import { readStored, toMessages } from "../2/stored.js";
import { NO_TITLE, type Revert, withoutUndone } from "../readings.js";
import { createAskServer, type ServerAddress } from "../server.js";
import type { Bounded } from "./model-sessions.js";
import { isOurs } from "./plugin-sessions.js";

export interface PastSessionsOptions extends ServerAddress {
  clock: Clock;
  project: string;
}

/** The server lists a hundred by default. */
const MOST_LISTED = 100_000;
/** The most that OpenCode 2 sends at once. */
const PAGE = 200;
/** The first request makes OpenCode open the project; a long session takes seconds. */
const DEADLINE_MS = 60_000;

export type PastSessions = ReturnType<typeof openPastSessions>;

export function openPastSessions(options: PastSessionsOptions) {
  const { project } = options;
  const get = createGet(options);
  const second = createSecond(get);
  let api: Api | undefined;

  return {
    /**
     * The sessions that people opened in the project, or in any on this machine, oldest first; `undefined` if the server
     * does not answer.
     */
    async list(isEverywhere = false): Promise<PastSession[] | undefined> {
      for (const one of [createFirst(get, project), second]) {
        const listed = await one.list(isEverywhere);
        if (!listed) continue;
        api = one;
        return findPersons(listed, isEverywhere ? undefined : project);
      }
      return undefined;
    },

    /** Is it OpenCode 2? Known once `list` has answered. */
    isSecond: (): boolean => api === second,

    /** The messages that are not undone; `undefined` if the server does not answer in time. */
    async readMessages(sessionID: string): Promise<readonly Message[] | undefined> {
      const read = await api?.read(sessionID);
      return read && readExportedSession(read.info)?.selectMessages(read.messages);
    },

    /** The models that OpenCode 1 offers, by "provider/model"; none if it does not answer. */
    listModels: async (): Promise<ReadonlyMap<string, OfferedModel>> => new Map(await api?.listModels?.()),

    /** Templates of all slash commands; none if the server does not answer. */
    listTemplates: async (): Promise<string[]> => (await api?.listTemplates?.()) ?? [],
  };
}

/** The sessions that people opened in the project, oldest first; without one, in any. */
function findPersons(listed: readonly unknown[], project: string | undefined): PastSession[] {
  return listed
    .filter(isListed)
    .filter(({ directory }) => project === undefined || isWithin(project, directory))
    .filter((session) => readExportedSession(session)?.isPersons === true)
    .sort((a, b) => a.time.created - b.time.created)
    .map(({ directory, id, time, title = "" }) => ({
      ...{ id, directory, title: NO_TITLE.test(title) ? "" : title },
      updatedMs: time.updated ?? time.created,
    }));
}

/** The same through the plugin's client; `undefined` if the host does not answer in time. */
export async function listThroughClient(
  client: PluginInput["client"],
  { bounded, project }: { bounded: Bounded; project: string },
): Promise<ListedSessions | undefined> {
  // The route accepts a limit, which this version's SDK type leaves out.
  const query = { limit: MOST_LISTED } as { directory?: string };
  const listed = (await bounded(() => client.session.list({ query })))?.data;
  const commands = (await bounded(() => client.command.list()))?.data;
  if (!listed || !commands) return undefined;
  return {
    ids: findPersons(listed, project).map(({ id }) => id),
    isTemplate: createTemplateCheck(commands.flatMap(readTemplate)),
  };
}

/** Everything that the server sends is checked by its readers; `undefined` if it does not answer. */
type First = ReturnType<typeof createFirst>;
type Api = Pick<First, "list" | "read"> & Partial<First>;

/** A model as the server describes it. */
export interface OfferedModel {
  /** Tokens, those that the host keeps for an answer among them. */
  window: { context: number; output: number };
  /** Its prices, as the server has them. */
  cost: unknown;
}

/** The host keeps no more for an answer (OpenCode 1.18.33). */
const MOST_OUTPUT_TOKENS = 32_000;

function readModel(provider: unknown, model: unknown): [string, OfferedModel][] {
  if (!isRecord(model) || !isRecord(model.limit)) return [];
  const { context, output } = model.limit;
  if (typeof context !== "number" || typeof output !== "number") return [];
  const window = { context, output: Math.min(output, MOST_OUTPUT_TOKENS) };
  return [[`${provider}/${model.id}`, { window, cost: model.cost }]];
}

type Get = (path: string, query?: Readonly<Record<string, string>>) => Promise<unknown>;

function createFirst(get: Get, directory: string) {
  return {
    async list(isEverywhere: boolean): Promise<unknown[] | undefined> {
      const query = { limit: String(MOST_LISTED) };
      const listed = await (isEverywhere
        ? get("/experimental/session", query)
        : get("/session", { ...query, directory }));
      return Array.isArray(listed) ? listed : undefined;
    },

    async read(sessionID: string): Promise<{ info: unknown; messages: Message[] } | undefined> {
      const path = `/session/${encodeURIComponent(sessionID)}`;
      const info = await get(path, { directory });
      const messages = await get(`${path}/message`, { directory });
      return Array.isArray(messages) ? { info, messages: messages.filter(isExportedMessage) } : undefined;
    },

    async listTemplates() {
      const commands = await get("/command", { directory });
      return Array.isArray(commands) ? commands.flatMap(readTemplate) : [];
    },

    async listModels() {
      const answer = await get("/config/providers", { directory });
      const providers = isRecord(answer) && Array.isArray(answer.providers) ? answer.providers : [];
      return providers
        .filter(isRecord)
        .flatMap(({ id, models }) =>
          isRecord(models) ? Object.values(models).flatMap((model) => readModel(id, model)) : [],
        );
    },
  };
}

/** OpenCode 2 sends no templates, and is not asked for models: naming the project would make it load plugins there. */
function createSecond(get: Get): Api {
  return {
    async list() {
      const listed = await getAll("/api/session");
      return listed?.map((session) =>
        isRecord(session) && isRecord(session.location)
          ? { ...session, directory: session.location.directory }
          : session,
      );
    },

    async read(sessionID) {
      const path = `/api/session/${encodeURIComponent(sessionID)}`;
      const answer = await get(path);
      const stored = readStored(await getAll(`${path}/message`));
      return isRecord(answer) && stored
        ? { info: answer.data, messages: toMessages(sessionID, stored) }
        : undefined;
    },
  };

  async function getAll(path: string): Promise<unknown[] | undefined> {
    const all: unknown[] = [];
    let next: Readonly<Record<string, string>> = { order: "asc" };
    for (;;) {
      const page = await get(path, { ...next, limit: String(PAGE) });
      if (!isRecord(page) || !Array.isArray(page.data)) return undefined;
      all.push(...page.data);
      const cursor = isRecord(page.cursor) ? page.cursor.next : undefined;
      if (typeof cursor !== "string" || page.data.length < PAGE) return all;
      next = { cursor };
    }
  }
}

/** Asks a route of the server; `undefined` if it refuses or does not answer in time. */
function createGet({ clock, ...server }: PastSessionsOptions): Get {
  const ask = createAskServer(server);
  return async (path, query = {}) => {
    const waited = await waitAtMost(clock, DEADLINE_MS, (signal) => ask("GET", path, { query, signal }));
    return waited.kind === "done" && waited.value.ok ? waited.value.body : undefined;
  };
}

export interface PastSession {
  id: string;
  /** Where it was opened: the project, or a folder in it. */
  directory: string;
  /** Empty if it has none of its own. */
  title: string;
  updatedMs: number;
}

interface Times {
  created: number;
  updated?: number;
}

const isListed = object<{ id: string; directory: string; title?: string; time: Times }>({
  ...each(string, "id", "directory"),
  title: optional(string),
  time: object<Times>({ created: finite, updated: optional(finite) }),
});

function isWithin(project: string, folder: string): boolean {
  const path = relative(project, folder);
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

export function readExportedSession(info: unknown) {
  if (!isRecord(info) || typeof info.id !== "string") return undefined;
  const { id, parentID, revert, title } = info;
  return {
    id,
    /** It is neither a subagent's nor one of Strata's own. */
    isPersons: typeof parentID !== "string" && !isOurs({ title }),
    /** The messages that live extraction would read. */
    selectMessages(messages: readonly Message[]): readonly Message[] {
      const left = isRevert(revert) ? withoutUndone(messages, revert) : messages;
      return left.filter((message) => !isForPeopleOnly(message));
    },
  };
}

const isRevert = (value: unknown): value is Revert => isRecord(value) && typeof value.messageID === "string";

const hasMessageShape = object<{ info: unknown; parts: never[] }>({
  info: object<{ id: string; role: string; time: { created: number } }>({
    ...each(string, "id", "role"),
    time: object<{ created: number }>({ created: finite }),
  }),
  parts: list(anyObject),
});

export const isExportedMessage = (value: unknown): value is Message => hasMessageShape(value);

/*
 * Texts that OpenCode makes from the template of a slash command. Stored sessions do not mark them (measured with
 * OpenCode 1.18.33): such a text is recognised by its template.
 */

/** How the templates of OpenCode's own commands /init and /review begin. */
const BUILT_IN = [
  "Create or update `AGENTS.md` for this repository.",
  "You are a code reviewer. Your job is to review code changes and provide actionable feedback.",
];
const FOLDERS = ["command", "commands"];
/** Deeper folders hold other things. */
const DEEPEST = 3;

/** Placeholders for arguments, and commands whose output OpenCode puts in. */
const PLACEHOLDER = /\$ARGUMENTS|\$\d+|!`[^`]+`/;
/** Fewer characters may be the user's own words by chance. */
const LEAST_FIXED = 12;

/** A check whether a text comes from one of these templates. Pure. */
export function createTemplateCheck(templates: readonly string[]): (text: string) => boolean {
  const all = [...BUILT_IN, ...templates]
    .map((template) => template.split(PLACEHOLDER).map((piece) => piece.trim()))
    .filter((pieces) => pieces.join("").length >= LEAST_FIXED);
  return (text) => all.some((pieces) => hasPieces(text.trim(), pieces));
}

/** Begins with the first piece, and has the others in order. */
function hasPieces(text: string, [first = "", ...others]: readonly string[]): boolean {
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return true;
}

/** Templates in configuration files and in the command folders of these `.opencode` and global folders. Never rejects. */
export async function readTemplates(
  files: Files,
  { configs, folders }: { configs: readonly PlainRecord[]; folders: readonly string[] },
): Promise<string[]> {
  const configured = configs.flatMap(({ command }) =>
    isRecord(command) ? Object.values(command).flatMap(readTemplate) : [],
  );
  const places = folders.flatMap((folder) => FOLDERS.map((name) => join(folder, name)));
  const written = await Promise.all(places.map((place) => readFolder(files, place, DEEPEST)));
  return [...configured, ...written.flat()];
}

/** The template of a command as OpenCode's configuration or its server has it. */
function readTemplate(command: unknown): string[] {
  return isRecord(command) && typeof command.template === "string" ? [command.template] : [];
}

async function readFolder(files: Files, folder: string, depth: number): Promise<string[]> {
  const names = depth === 0 ? [] : await files.list(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      if (!name.endsWith(".md")) return readFolder(files, path, depth - 1);
      const text = await readText(files, path).catch(() => undefined);
      return text === undefined ? [] : [text.replace(/^---\r?\n[\s\S]*?\n---\r?\n/, "")];
    }),
  );
  return found.flat();
}
