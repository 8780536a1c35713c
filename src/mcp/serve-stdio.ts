import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CliContext } from "../operations/command.js";
import type { McpServer } from "./mcp-server.js";

/** Serves one client until it disconnects or the process is interrupted, and answers all requests received before. */
export async function serveStdio(
  server: McpServer,
  { input, output }: NonNullable<CliContext["streams"]>,
  { onInterrupt }: Pick<CliContext, "onInterrupt">,
): Promise<void> {
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
