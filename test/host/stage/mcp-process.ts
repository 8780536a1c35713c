/** `strata mcp` as a client starts it: the built command line in a process, connected to the SDK's client. */
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { connectClient, type McpClient } from "../../support/mcp.js";
import { repository } from "../repository.js";
import type { Project } from "./project.js";

export interface McpProcess extends McpClient {
  pid: number;
  /** What it has written to standard error. */
  said(): string;
  /** Sends SIGKILL; resolves when the connection has ended. */
  kill(): Promise<void>;
}

/** The command of an MCP server in a client's configuration. */
export const mcpCommand = (...args: string[]): string[] => [
  process.execPath,
  join(repository, "dist/strata.js"),
  "mcp",
  ...args,
];

/** The user's environment of a stage's project. */
export function envOf({ folders }: Project): Record<string, string> {
  return {
    ...{ PATH: process.env.PATH ?? "", HOME: folders.home, TMPDIR: folders.tmp },
    ...{ XDG_CONFIG_HOME: folders.config, XDG_DATA_HOME: folders.data, XDG_STATE_HOME: folders.state },
  };
}

export async function startMcp(
  project: Project,
  args: readonly string[] = ["--tools", "all"],
  name = "test-client",
): Promise<McpProcess> {
  const [command = "", ...rest] = mcpCommand(...args);
  const transport = new StdioClientTransport({
    ...{ command, args: rest, cwd: project.path, env: envOf(project) },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (text) => {
    said += String(text);
  });
  const client = await connectClient(transport, { name });
  const ended = new Promise<void>((resolve) => {
    client.client.onclose = resolve;
  });
  const pid = transport.pid ?? 0;
  return {
    ...client,
    pid,
    said: () => said,
    async kill() {
      process.kill(pid, "SIGKILL");
      await ended;
    },
  };
}
