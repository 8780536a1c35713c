/** The HTTP interface of a host, for one project: the two adapters of the stage. Tests see OpenCode 1's forms. */
import { isRecord, type PlainRecord } from "../../../src/base/shape.js";
import { type EventStream, openEventStream } from "./event-stream.js";
import { WHICH_TOOLS } from "./scripted-model.js";
import { type Api, createApi, createSession, type Session } from "./session.js";
import { createSession2 } from "./session-2.js";
import { HOST, type WhichHost } from "./which-host.js";

export interface Client {
  /** Sends any request; paths and answers are the host's own. */
  readonly api: Api;
  /** Opens a session. Without a title, the host asks the model for one. */
  newSession(title?: string): Promise<Session>;
  /** Returns an existing session. */
  session(id: string): Session;
  /** Subscribes to its events; resolves when the subscription is confirmed. */
  events(): Promise<EventStream>;
  /** Every session of the project, of subagents and of plugins too. */
  sessions(): Promise<{ id: string; title: string; parentID?: string }[]>;
  agents(): Promise<{ name: string }[]>;
  /** Ends what runs for the project, plugins included. */
  leave(): Promise<unknown>;
}

/** In OpenCode 2, `serve` asks for it with every request. */
export const PASSWORD = "stage";

/** A client for the project in this folder; without one, for the project that the host was started in. */
export function createClient(
  url: string,
  directory: string,
  { isShared = false, which = HOST }: { isShared?: boolean; which?: WhichHost },
): Client {
  return which === 2 ? createClient2(url, directory) : createClient1(url, isShared ? directory : undefined);
}

function createClient1(url: string, directory: string | undefined): Client {
  const query = directory === undefined ? "" : `directory=${encodeURIComponent(directory)}`;
  const whole = createApi(url);
  const api: Api =
    query === "" ? whole : (method, path, ...rest) => whole(method, withQuery(path, query), ...rest);
  return {
    api,
    newSession: async (title) => {
      const { id } = await api<{ id: string }>("POST", "/session", title === undefined ? {} : { title });
      return createSession(api, id);
    },
    session: (id) => createSession(api, id),
    events: () => openEventStream(withQuery(`${url}/event`, query)),
    sessions: () => api("GET", "/session?limit=1000"),
    agents: () => api("GET", "/agent"),
    leave: () => api("POST", "/instance/dispose"),
  };
}

function createClient2(url: string, directory: string): Client {
  const headers = { authorization: `Basic ${Buffer.from(`opencode:${PASSWORD}`).toString("base64")}` };
  const whole = createApi(`${url}/api`, 60_000, headers);
  const query = `location[directory]=${encodeURIComponent(directory)}`;
  const ofLocation = /^\/(agent|command|config|debug\/location|mcp|model|plugin|provider|rpc|skill)\b/;
  const api: Api = (method, path, ...rest) =>
    whole(method, ofLocation.test(path) ? withQuery(path, query) : path, ...rest);

  /**
   * Waits until each MCP server that could be reached offers its tools, which it does a moment after its state says
   * `connected`. One that offers none is waited for a while in vain.
   */
  async function connected(): Promise<void> {
    if (!JSON.stringify(await api("GET", "/config")).includes('"servers"')) return;
    const body = { location: { directory }, title: "" };
    const { data } = await api<{ data: { id: string } }>("POST", "/session", body);
    const path = `/session/${data.id}`;
    for (let tries = 0; tries < MOST_TRIES; ) {
      const { data: servers } = await api<{ data: McpServer[] }>("GET", "/mcp");
      const tools = JSON.stringify(await api("POST", `${path}/generate`, { prompt: WHICH_TOOLS }));
      // Before the configuration is read, the list is empty.
      if (servers.length === 0 || servers.some(({ status }) => status.status === "pending")) continue;
      if (servers.every(({ name, status }) => status.status === "failed" || tools.includes(`${name}_`)))
        break;
      tries++;
    }
    await api("DELETE", path);
  }

  return {
    api,
    newSession: async (title) => {
      // A request that names the project in its query starts its plugins.
      await api("GET", "/plugin");
      const body = { location: { directory }, ...(title !== undefined && { title }) };
      const { data } = await api<{ data: { id: string } }>("POST", "/session", body);
      return createSession2(api, data.id, connected);
    },
    session: (id) => createSession2(api, id, connected),
    events: () =>
      openEventStream(`${url}/api/event`, { headers, translate: (event) => translate(event, directory) }),
    sessions: async () =>
      (await api<{ data: never }>("GET", `/session?limit=200&directory=${encodeURIComponent(directory)}`))
        .data,
    agents: async () =>
      (await api<{ data: { id: string }[] }>("GET", "/agent")).data.map(({ id }) => ({ name: id })),
    leave: () => api("DELETE", "/debug/location"),
  };
}

const MOST_TRIES = 100;

interface McpServer {
  name: string;
  status: { status: string };
}

const withQuery = (path: string, query: string): string =>
  query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;

/** An event as it is, and the one of OpenCode 1 that it stands for; none of another location. */
function translate(event: object, directory: string): object[] {
  const { data, location, type } = event as {
    data?: unknown;
    location?: { directory?: string };
    type: string;
  };
  if (location?.directory !== undefined && location.directory !== directory) return [];
  const properties: PlainRecord = isRecord(data) ? data : {};
  const own = { ...event, properties };
  if (/^session\.execution\.(succeeded|failed|interrupted)$/.test(type))
    return [own, { type: "session.idle", properties }];
  if (type.startsWith("rpc.") && typeof properties.message === "string")
    return [own, { type: "tui.toast.show", properties }];
  return [own];
}
