/** `strata mcp`: serves a project's memories to an MCP client over standard input and output. */
import { resolve } from "node:path";
import { StrataError } from "../base/error.js";
import { type CliContext, exitCodes, type Run, WRONG_ARGUMENT } from "../operations/command.js";
import { openProject } from "../operations/project.js";
import type { McpServer } from "./server.js";

export const run: Run = async (cli, options, [action, ...more]) => {
  if (action === "install" && more.length === 0) return (await import("./install.js")).install(cli, options);
  if (action !== undefined)
    throw new StrataError(
      WRONG_ARGUMENT,
      `expected nothing, or install --for CLIENT, "${[action, ...more].join(" ")}" came`,
    );
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
  if (!cli.streams)
    throw new StrataError(
      "NO_CLIENT",
      "MCP clients start strata mcp and talk to it over standard input; strata mcp install --for claude-code prints how to set one up",
    );
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
  const transport = new StdioServerTransport(input, output);
  let release = (): void => {};
  const ended = new Promise<void>((resolve) => {
    input.once("end", resolve);
    input.once("close", resolve);
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
}
