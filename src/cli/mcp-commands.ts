import { clientNames } from "../mcp/install/clients.js";
import type { Command } from "../operations/command.js";

export const mcpCommands: readonly Command[] = [
  {
    name: "mcp",
    summary: "serves the memories to other agents (MCP over standard input); install configures a client",
    arguments: "[words...]",
    options: [
      ["--tools <names>", "all, or names separated by commas (default: the few that most agents need)"],
      ["--private", "also serves private memories"],
      ["--project <folder>", "the project in this folder (default: the working directory)"],
      ["--for <client>", `with install: ${clientNames.join(", ")}`],
      ["--write", "with install: writes the file instead of printing the entry"],
    ],
    example: "strata mcp install --for claude-code",
    first: ["install"],
    load: () => import("../mcp/mcp.js"),
  },
];
