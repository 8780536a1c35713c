/** The clients that `strata mcp install` supports, and the entry that each needs in its configuration. */
import { basename } from "node:path";

export interface ServerCommand {
  command: string;
  args: readonly string[];
}

/** A server in a configuration file: a value in a group of servers. */
export interface Entry {
  path: readonly [group: string, name: string];
  value: object;
}

export interface Client {
  title: string;
  /** Path from the project's root; absent if Strata cannot know the file. */
  file?: string;
  isToml?: true;
  /** Next step or hint for the user. */
  note: string;
  /** `root`: the project whose file gets the entry. `other`: the project to serve, if the user has named one. */
  plan(server: ServerCommand, projects: { root: string; other?: string | undefined }): Entry;
}

const NAME = "memory";
/** Editors choose the folder in which they start servers. */
const WORKSPACE = "\u0024{workspaceFolder}";

const withProject = ({ args, command }: ServerCommand, project: string | undefined): ServerCommand => ({
  command,
  args: project === undefined ? args : [...args, "--project", project],
});

export const clients: Readonly<Record<string, Client>> = {
  "claude-code": {
    title: "Claude Code",
    file: ".mcp.json",
    note: "Claude Code asks once whether the project's servers may run; /mcp shows them.",
    plan: (server, { other }) => ({ path: ["mcpServers", NAME], value: withProject(server, other) }),
  },
  codex: {
    title: "Codex",
    file: ".codex/config.toml",
    isToml: true,
    note: "Codex reads this file in projects that you trust; codex mcp list shows its servers.",
    plan: (server, { other }) => ({ path: ["mcp_servers", NAME], value: withProject(server, other) }),
  },
  cursor: {
    title: "Cursor",
    file: ".cursor/mcp.json",
    note: "Switch it on on Cursor's Customize page.",
    plan: (server, { other = WORKSPACE }) => ({
      path: ["mcpServers", NAME],
      value: withProject(server, other),
    }),
  },
  vscode: {
    title: "VS Code",
    file: ".vscode/mcp.json",
    note: "VS Code shows a Start button above the entry.",
    plan: (server, { other = WORKSPACE }) => ({
      path: ["servers", NAME],
      value: { type: "stdio", ...withProject(server, other) },
    }),
  },
  opencode: {
    title: "OpenCode in another project",
    note: "Put it into the opencode.json of the project that is to read these memories. Do not name it memory there: its tools would replace the plugin's.",
    plan: ({ args, command }, { root, other = root }) => ({
      path: ["mcp", planName(other)],
      value: { type: "local", command: [command, ...args, "--project", other], enabled: true },
    }),
  },
};

export const clientNames: readonly string[] = Object.keys(clients);

/** OpenCode prefixes the tools with this name. */
function planName(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name === "" || name === NAME ? "project" : name;
}
