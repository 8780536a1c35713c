/** The MCP server for one client. */
import { Server, type ServerOptions } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  type ListRootsResult,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import PQueue from "p-queue";
import { formatAnswer } from "../../layers/5-auto-memory/tools/tools.js";
import { formatError, StrataError } from "../base/error.js";
import { VERSION } from "../base/version.js";
import type { Log } from "../io/log.js";
import { findPrivateID } from "../memory/draft.js";
import { cut } from "../text/text.js";
import type { ClientContext } from "./client-context.js";
import { findHits, formatHits } from "./find-hits.js";
import { describeTool, formatFaults } from "./offer.js";
import { formatBoot, listResources, readResource, resourceTemplates } from "./resources.js";
import { type McpCall, type McpTool, refuse } from "./tool.js";

/** Asks the client on the stream of its own request, since it may have no stream for the server's requests. */
export type ListRoots = () => Promise<ListRootsResult>;

export interface ClientServerOptions {
  log: Pick<Log, "warn">;
  /** Opened by the first call that needs it. */
  client(): Promise<ClientContext>;
  /** Called with the first request that needs the tools, since it may have to ask the client for its roots. */
  tools(listRoots: ListRoots): Promise<readonly McpTool[]>;
  /** Are resources and prompts offered too? */
  offersReading: boolean;
  instructions: string;
  /** Called when the connection has ended. */
  onEnd(): void;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The server's name, with which many clients prefix its tools. */
const NAME = "memory";
const CALLS_AT_ONCE = 4;
const MOST_WAITING = 500;
/** Would check a client's answers to questions. This server asks no questions, so the package has no library for it. */
const NO_VALIDATOR: NonNullable<ServerOptions["jsonSchemaValidator"]> = {
  getValidator() {
    throw new Error("expected no question to a client, since its answer cannot be checked");
  },
};
/** Longer answers would not fit a client's context. */
const MOST_CHARACTERS = 120_000;

export function createClientServer(options: ClientServerOptions): Server {
  const { instructions, offersReading, onEnd } = options;
  const reading = offersReading ? { resources: {}, prompts: {} } : {};
  const server = new Server(
    { name: NAME, title: "Strata", version: VERSION },
    { capabilities: { tools: {}, ...reading }, instructions, jsonSchemaValidator: NO_VALIDATOR },
  );
  const queue = new PQueue({ concurrency: CALLS_AT_ONCE });
  let asked: Promise<readonly McpTool[]> | undefined;
  const listTools = ({ sendRequest }: Pick<Extra, "sendRequest">): Promise<readonly McpTool[]> => {
    asked ??= options.tools(() => sendRequest({ method: "roots/list" }, ListRootsResultSchema));
    return asked;
  };
  server.onclose = onEnd;
  server.setRequestHandler(ListToolsRequestSchema, async (_request, extra) => ({
    tools: (await listTools(extra)).map(describeTool),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { requestId, signal } = extra;
    const tool = (await listTools(extra)).find(({ name }) => name === params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${cut(params.name, 100)}`);
    if (queue.size >= MOST_WAITING) return answer("Too many calls are waiting; try again later.", true);
    const call = { id: String(requestId), signal };
    return queue.add(() => callTool(tool, params.arguments ?? {}, call, options));
  });
  if (offersReading) handleReading(server, options);
  return server;
}

/** Returns a failure as an answer, which the model reads. */
async function callTool(
  tool: McpTool,
  given: unknown,
  call: McpCall,
  { log, client }: Pick<ClientServerOptions, "log" | "client">,
): Promise<CallToolResult> {
  const args = tool.input.safeParse(given);
  if (!args.success) return answer(formatFaults(tool, args.error), true);
  try {
    return answer(await tool.run(args.data, await client(), call));
  } catch (thrown) {
    if (thrown instanceof StrataError) return answer(thrown.message, true);
    log.warn("mcp", `${tool.name} failed: ${formatError(thrown)}`);
    return answer(`Failed: ${formatFailure(thrown)}`, true);
  }
}

/** The name of a private memory's file is made of what it says. */
function formatFailure(thrown: unknown): string {
  const text = formatError(thrown);
  return findPrivateID(text) === undefined
    ? text
    : "a file of the memory cannot be read or written; the server's standard error names it";
}

function answer(text: string, isError = false): CallToolResult {
  const shown = text.length > MOST_CHARACTERS ? `${cut(text, MOST_CHARACTERS)}… (cut)` : text;
  return { content: [{ type: "text", text: shown }], ...(isError && { isError }) };
}

function handleReading(server: Server, { client }: Pick<ClientServerOptions, "client">): void {
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    asProtocol(async () => listResources(await client(), params?.cursor)),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    asProtocol(async () => readResource(await client(), params.uri)),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    asProtocol(async () => readPrompt(await client(), params.name, params.arguments)),
  );
}

/** Throws errors as MCP errors, without a stack trace. */
async function asProtocol<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    const code = thrown instanceof StrataError ? ErrorCode.InvalidParams : ErrorCode.InternalError;
    throw new McpError(code, thrown instanceof StrataError ? thrown.message : formatFailure(thrown));
  }
}

/* Prompts for the user; many clients show them as commands. */

const MOST_TOPIC = 1_000;

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
  args: Readonly<Record<string, string>> = {},
) {
  const text = await read(client, name, args);
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}

async function read(
  client: ClientContext,
  name: string,
  { topic = "" }: Readonly<Record<string, string>>,
): Promise<string> {
  if (name === "boot_context") return formatBoot(client);
  if (name === "log_session") return LOG_SESSION;
  if (name !== "recall")
    throw refuse(`There is no prompt ${name}; prompts are ${prompts.map((one) => one.name).join(", ")}.`);
  const text = topic.trim();
  if (text === "" || text.length > MOST_TOPIC)
    throw refuse(`Expected a topic of 1 to ${MOST_TOPIC} characters, ${text.length} came.`);
  return formatAnswer(await formatHits(client, await findHits(client, { text })));
}
