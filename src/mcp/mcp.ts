/**
 * `strata mcp`: serves a project's memories to an MCP client over standard input and output; and `strata mcp install`, which
 * prints the entry that a client needs in its configuration.
 */
import { basename, join, resolve } from "node:path";
import { pipeline, Transform } from "node:stream";
import { StrataError } from "../base/error.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type OptionValues,
  type Run,
  WRONG_ARGUMENT,
} from "../operations/command.js";
import { openProject, requireProjectRoot } from "../operations/project.js";
import type { McpServer } from "./server.js";

export const run: Run = async (cli, options, [action, ...more]) => {
  if (action === "install" && more.length === 0) return install(cli, options);
  const wrong = `expected nothing, or install --for CLIENT, got "${[action, ...more].join(" ")}"`;
  if (action !== undefined) throw new StrataError(WRONG_ARGUMENT, wrong);
  const { project: given, tools } = options;
  const folder = typeof given === "string" ? resolve(cli.folder, given) : cli.folder;
  // Standard output is the protocol's.
  const project = await openProject({ ...cli, folder, say: cli.warn });
  const { createMcpServer } = await import("./server.js");
  const server = createMcpServer(project, {
    allowsFiles: true,
    allowsPrivate: options.private === true,
    tools: typeof tools === "string" ? tools : undefined,
    clientFolder: cli.folder,
  });
  const alone =
    "MCP clients start strata mcp and talk to it over standard input; strata mcp install --for claude-code prints how to set one up";
  if (!cli.streams) throw new StrataError("NO_CLIENT", alone);
  await serveStdio(server, cli.streams, cli);
  return exitCodes.fine;
};

/** Serves one client until it disconnects or the process is interrupted, and answers all requests received before. */
async function serveStdio(
  server: McpServer,
  { input, output }: NonNullable<CliContext["streams"]>,
  { onInterrupt }: CliContext,
): Promise<void> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const lines = createLines((answer) => output.write(answer));
  pipeline(input, lines, () => {});
  const transport = new StdioServerTransport(lines as never, output);
  let release = (): void => {};
  const ended = new Promise<void>((resolve) => {
    lines.once("end", resolve);
    lines.once("close", resolve);
    // A killed client reads no answers; the transport would wait for it.
    output.once("error", () => {
      resolve();
      void transport.close();
    });
    release = onInterrupt?.(resolve) ?? release;
  });
  await server.accept(transport);
  await ended;
  release();
  await server.close();
  await transport.close();
  lines.destroy();
}

/** The transport ends the connection above 10 MB. */
const MOST_LINE_BYTES = 8_000_000;
/** Clients write the id at one end of a line. */
const ID = /^\{"jsonrpc":"2\.0","id":(\d+|"[^"\\]+")|"id":(\d+|"[^"\\]+")\}\s*$/;

/** Passes whole lines on. One that is too long is answered with an error instead, and the next one is read. */
function createLines(answer: (text: string) => void): Transform {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _, done) {
      for (let from = 0, end = 0; from < chunk.length; from = end) {
        end = chunk.indexOf("\n", from) + 1 || chunk.length;
        pieces.push(chunk.subarray(from, end));
        bytes += end - from;
        // Only the ends.
        if (bytes > MOST_LINE_BYTES) pieces.splice(1, pieces.length - 3);
        if (chunk[end - 1] !== 0x0a) continue;
        const line = Buffer.concat(pieces);
        if (bytes <= MOST_LINE_BYTES) this.push(line);
        else answer(refuseLine(ID.exec(line.toString()) ?? [], bytes));
        [pieces, bytes] = [[], 0];
      }
      done();
    },
  });
}

function refuseLine([, first, id = first ?? "null"]: readonly string[], bytes: number): string {
  const message = `expected a line of at most ${MOST_LINE_BYTES} bytes, got ${bytes}; nothing was done`;
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: -32600, message })}}\n`;
}

/* strata mcp install */

async function install(cli: CliContext, options: OptionValues): Promise<ExitCode> {
  const { for: name, private: isPrivate, project, tools: wanted } = options;
  const client = typeof name === "string" && Object.hasOwn(clients, name) ? clients[name] : undefined;
  const came = name === undefined ? "none" : `"${name}"`;
  const wrong = `expected --for and one of ${clientNames.join(", ")}, got ${came}`;
  if (!client) throw new StrataError(WRONG_ARGUMENT, wrong);
  // A name that the server refuses would be noticed by nobody but the client.
  if (typeof wanted === "string")
    (await import("./tool.js")).chooseTools((await import("./tools.js")).tools, wanted);
  const root = await requireProjectRoot(cli);
  const folder = typeof project === "string" ? resolve(cli.folder, project) : undefined;
  const other = folder === undefined ? undefined : await requireProjectRoot({ ...cli, folder });
  const chosen = typeof wanted === "string" ? ["--tools", wanted] : [];
  const server = planCommand(cli, ["mcp", ...chosen, ...(isPrivate ? ["--private"] : [])]);
  const entry = planEntry(client, server, root, other);
  const place = client.file === undefined ? "" : `, in ${join(root, client.file)}`;
  cli.warn(`For ${client.title}${place}:`);
  cli.say(client.isToml ? formatTOML(entry) : formatJSON(entry));
  cli.warn(client.note);
  return exitCodes.fine;
}

/** The published package through npx, which is a script of the shell on Windows, or this copy of it. */
function planCommand({ packageFolder }: CliContext, args: string[]): ServerCommand {
  const [command = "", ...first] = process.platform === "win32" ? ["cmd", "/c", "npx"] : ["npx"];
  return packageFolder === undefined
    ? { command, args: [...first, "-y", "opencode-strata", ...args] }
    : { command: "node", args: [join(packageFolder, "dist", "strata.js"), ...args] };
}

const formatJSON = ({ path: [group, name], value }: Entry): string =>
  JSON.stringify({ [group]: { [name]: value } }, null, 2);

function formatTOML({ path, value }: Entry): string {
  const format = (field: unknown): string =>
    Array.isArray(field) ? `[${field.map(format).join(", ")}]` : JSON.stringify(field);
  const fields = Object.entries(value).map(([key, field]) => `${key} = ${format(field)}`);
  return [`[${path.join(".")}]`, ...fields].join("\n");
}

type ServerCommand = { command: string; args: readonly string[] };

/** A server in a configuration file: a value in a group of servers. */
type Entry = { path: readonly [group: string, name: string]; value: object };

interface Client {
  title: string;
  /** Path from the project's root; absent if Strata cannot know the file. */
  file?: string;
  isToml?: true;
  /** In which its file has the servers. */
  group: string;
  /** What an entry has besides the command. */
  more?: object;
  /** The project to serve, if the user names none; absent if the client starts servers in its own. */
  usual?: string;
  note: string;
}

const NAME = "memory";
/** Editors choose the folder in which they start servers. */
const WORKSPACE = "\u0024{workspaceFolder}";

const clients: Readonly<Record<string, Client>> = {
  "claude-code": {
    ...{ title: "Claude Code", file: ".mcp.json", group: "mcpServers" },
    note: "Claude Code asks once whether the project's servers may run; /mcp shows them.",
  },
  codex: {
    ...{ title: "Codex", file: ".codex/config.toml", group: "mcp_servers", isToml: true },
    note: "Codex reads this file in projects that you trust; codex mcp list shows its servers.",
  },
  cursor: {
    ...{ title: "Cursor", file: ".cursor/mcp.json", group: "mcpServers", usual: WORKSPACE },
    note: "Switch it on on Cursor's Customize page.",
  },
  vscode: {
    ...{ title: "VS Code", file: ".vscode/mcp.json", group: "servers", usual: WORKSPACE },
    ...{ more: { type: "stdio" }, note: "VS Code shows a Start button above the entry." },
  },
  opencode: {
    ...{ title: "OpenCode in another project", group: "mcp" },
    note: "Put it into the opencode.json of the project that is to read these memories. Do not name it memory there: its tools would replace the plugin's.",
  },
};

/** `root`: the project whose file gets the entry. `other`: the project to serve, if the user has named one. */
function planEntry(client: Client, { args, command }: ServerCommand, root: string, other?: string): Entry {
  if (client === clients.opencode) {
    const project = other ?? root;
    const all = [command, ...args, "--project", project];
    return { path: ["mcp", planName(project)], value: { type: "local", command: all, enabled: true } };
  }
  const project = other ?? client.usual;
  const served = project === undefined ? args : [...args, "--project", project];
  return { path: [client.group, NAME], value: { ...client.more, command, args: served } };
}

export const clientNames: readonly string[] = Object.keys(clients);

/** OpenCode prefixes the tools with this name. */
function planName(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name === "" || name === NAME ? "project" : name;
}
