/** MCP clients of a server in this process: the SDK's own client, and memories on an in-memory disk. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { layers } from "../../layers/index.js";
import { createMcpServer, type McpServer, type McpServerOptions } from "../../src/mcp/server.js";
import { type CliContext, plainStyle } from "../../src/operations/command.js";
import { openProject, type Project } from "../../src/operations/project.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { PROJECT } from "./fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { runStrata } from "./shell.js";

export interface McpWorld {
  files: MemoryFiles;
  clock: FakeClock;
  project: Project;
  server: McpServer;
  /** What the server wrote to standard error. */
  warnings: string[];
  connect(options?: ClientOptions): Promise<McpClient>;
  /** Runs a command line beside the server; returns what it printed. */
  strata(line: string): Promise<string>;
}

export interface ClientOptions {
  name?: string;
}

export interface McpClient {
  client: Client;
  names(): Promise<string[]>;
  /** Returns the answer's text; rejects with the text if it is an error. */
  call(name: string, args?: object): Promise<string>;
  /** Returns the text of an error answer. */
  refusal(name: string, args?: object): Promise<string>;
  close(): Promise<void>;
}

export interface McpWorldOptions extends Partial<McpServerOptions> {
  files?: MemoryFiles;
  folder?: string;
  env?: Record<string, string>;
}

export async function openMcp({
  env = {},
  files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" }),
  folder = PROJECT,
  ...options
}: McpWorldOptions = {}): Promise<McpWorld> {
  const clock = createFakeClock();
  const warnings: string[] = [];
  const cli: CliContext = {
    ...{ files, clock, folder, env, home: "/home/me", style: plainStyle },
    loadLayers: async () => layers,
    say: (text) => void warnings.push(text),
    warn: (text) => void warnings.push(text),
    openFile: async () => {},
  };
  const project = await openProject(cli);
  const server = createMcpServer(project, { allowsFiles: true, allowsPrivate: false, ...options });
  return {
    ...{ files, clock, project, server, warnings },
    async strata(line) {
      const { err, out } = await runStrata(files, line, { clock, folder, env });
      return `${out}${err}`;
    },
    async connect(given) {
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await server.accept(ours);
      return connectClient(theirs, given);
    },
  };
}

/** Opens a server with all tools, and a client of it. */
export async function openAll(options: McpWorldOptions = {}): Promise<McpWorld & { client: McpClient }> {
  const world = await openMcp({ tools: "all", ...options });
  return { ...world, client: await world.connect() };
}

export const PORT = "The server listens on port 8080, because 3000 is taken.";

/** Stores a fact and returns its id. */
export async function keep(client: McpClient, content = PORT, category = "decision"): Promise<string> {
  const answer = await client.call("remember", { content, category });
  return /^(?:Kept|Known already): (\S+)/.exec(answer)?.[1] ?? answer;
}

/** Connects the SDK's client over this transport. */
export async function connectClient(
  transport: Parameters<Client["connect"]>[0],
  { name = "test-client" }: ClientOptions = {},
): Promise<McpClient> {
  const client = new Client({ name, version: "1.0.0" });
  await client.connect(transport);
  const ask = async (tool: string, args: object = {}): Promise<{ text: string; isError: boolean }> => {
    const { content, isError } = await client.callTool({ name: tool, arguments: { ...args } });
    const [part] = content as { type: string; text: string }[];
    return { text: part?.text ?? "", isError: isError === true };
  };
  return {
    client,
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async call(tool, args) {
      const { isError, text } = await ask(tool, args);
      if (isError) throw new Error(text);
      return text;
    },
    async refusal(tool, args) {
      const { isError, text } = await ask(tool, args);
      if (!isError) throw new Error(`Expected an error, "${text}" came`);
      return text;
    },
    close: () => client.close(),
  };
}
