/**
 * Model calls through a server, for the command line: in OpenCode 1 a hidden session that is removed afterwards, as in the
 * plugin; in OpenCode 2 its own route, which needs no session.
 */
import type { PluginInput } from "@opencode-ai/plugin";
import { isRecord } from "../../base/shape.js";
import type { Generated, GenerateRequest } from "../../io/host.js";
import { createProcesses } from "../../io/running-processes.js";
import { createGenerate } from "../2/generate.js";
import { createAskServer, formatRefusal, type ServerAddress } from "../server.js";
import { createModelSessions } from "./model-sessions.js";
import type { PastSessionsOptions } from "./past-sessions.js";
import { createPluginSessions, formatChildTitle, OWN_AGENT } from "./plugin-sessions.js";

interface ServerModelOptions extends PastSessionsOptions {
  /** An agent of the server without tools; default: the one that the plugin registers there. */
  agent?: string;
  isSecond: boolean;
}

export const openServerModel = (options: ServerModelOptions) =>
  options.isSecond ? openSecond(options) : openFirst(options);

function openFirst({ agent = OWN_AGENT, clock, project, ...server }: ServerModelOptions) {
  const client = createClient(project, server);
  const processes = createProcesses(clock);
  const sessions = createPluginSessions();
  const models = createModelSessions({ agent, client, clock, sessions, processes });
  let parent: Promise<string | undefined> | undefined;

  /** A session without a parent would count as a person's if it could not be removed. */
  async function openParent(): Promise<string | undefined> {
    const title = formatChildTitle("parent", processes.ownID);
    return (await client.session.create({ body: { title } }).catch(() => undefined))?.data?.id;
  }

  return {
    /** Never rejects. `parentID` "": a session of its own, which lasts until `close`. */
    async generate(request: GenerateRequest): Promise<Generated> {
      if (request.parentID === "") parent ??= openParent();
      const parentID = request.parentID || (await parent);
      if (parentID === undefined) return { kind: "failed", reason: "the host opened no session for it" };
      return models.generate({ ...request, parentID });
    },
    /** Removes what is left. Never rejects. */
    async close(): Promise<void> {
      const id = await parent;
      if (id !== undefined) await models.remove(id);
    },
  };
}

type Client = PluginInput["client"];

/** The routes that a child session needs, as the host's own client has them; that one may not be bundled. */
function createClient(directory: string, server: ServerAddress): Client {
  const ask = createAskServer(server);
  const call =
    (method: string, route: (id: string) => string) =>
    async ({ body, path }: { body?: unknown; path?: { id: string } }) => {
      const { id = "" } = path ?? {};
      const answer = await ask(method, route(encodeURIComponent(id)), { query: { directory }, body });
      const response = { status: answer.status };
      return answer.ok ? { data: answer.body, response } : { error: answer.body, response };
    };
  const session = {
    create: call("POST", () => "/session"),
    prompt: call("POST", (id) => `/session/${id}/message`),
    messages: call("GET", (id) => `/session/${id}/message`),
    abort: call("POST", (id) => `/session/${id}/abort`),
    delete: call("DELETE", (id) => `/session/${id}`),
  };
  return { session } as unknown as Client;
}

/** The route is without a project: it knows the models of the user's own configuration, once that is read. */
const LOADING = /Model unavailable/;
const LOADED_MS = 10_000;
const ASKED_AGAIN_MS = 250;

function openSecond({ clock, ...server }: ServerModelOptions) {
  const ask = createAskServer(server);
  const openedMs = clock.now();
  const text = async (body: object): Promise<unknown> => {
    const answer = await ask("POST", "/api/experimental/generate", { body });
    if (answer.ok) return isRecord(answer.body) ? answer.body.data : undefined;
    const why = formatRefusal(answer);
    if (!LOADING.test(why) || clock.now() - openedMs >= LOADED_MS)
      throw Object.assign(new Error(why), { status: answer.status });
    await clock.pause(ASKED_AGAIN_MS);
    return text(body);
  };
  return { generate: createGenerate({ clock, models: () => ({}), text }), close: async () => {} };
}
