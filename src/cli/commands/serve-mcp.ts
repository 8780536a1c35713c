/** Routes MCP requests to projects: `/mcp` if there is only one, `/mcp/<id>` for each. */
import type { McpHandler } from "../../mcp/http.js";
import type { McpServerOptions } from "../../mcp/mcp-server.js";
import type { ServedProject } from "../../serve/served-projects.js";

export interface McpMount {
  handle(request: Request): Promise<Response>;
  /** Ends all sessions and waits until everything is written. Never rejects. */
  close(): Promise<void>;
}

export type McpMountOptions = Pick<McpServerOptions, "allowsPrivate" | "tools">;

export function createMcpMount(
  listProjects: () => Promise<readonly ServedProject[]>,
  options: McpMountOptions,
): McpMount {
  const opened = new Map<string, McpHandler>();
  return {
    async handle(request) {
      const projects = await listProjects();
      const served = findServed(projects, new URL(request.url).pathname);
      if (!served) return Response.json({ error: formatUnknown(projects) }, { status: 404 });
      const { createMcpHandler } = await import("../../mcp/http.js");
      const handler = opened.get(served.id) ?? createMcpHandler(served.project, options);
      opened.set(served.id, handler);
      return handler(request);
    },

    async close() {
      await Promise.all([...opened.values()].map((handler) => handler.close()));
    },
  };
}

function findServed(projects: readonly ServedProject[], path: string): ServedProject | undefined {
  const [, id] = /^\/mcp\/([^/]+)\/?$/.exec(path) ?? [];
  if (id !== undefined) return projects.find((one) => one.id === id);
  return projects.length === 1 && /^\/mcp\/?$/.test(path) ? projects[0] : undefined;
}

const formatUnknown = (projects: readonly ServedProject[]): string =>
  projects.length === 1
    ? "expected /mcp"
    : "expected /mcp/ and the id of a project; /stats lists projects with their ids";

/** The value of `--tools`. @throws WRONG_ARGUMENT for tools that do not exist */
export async function readTools(given: string | boolean | undefined): Promise<string | undefined> {
  if (typeof given !== "string") return undefined;
  const [{ chooseTools }, { tools }] = await Promise.all([
    import("../../mcp/offer.js"),
    import("../../mcp/tools/tools.js"),
  ]);
  chooseTools(tools, given);
  return given;
}
