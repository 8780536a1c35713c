/** MCP over streamable HTTP. The caller has already checked host, origin, key and rate. */
import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Project } from "../operations/project.js";
import { createMcpServer, type McpServerOptions } from "./server.js";

type Session = { transport: WebStandardStreamableHTTPServerTransport; usedMs: number };

/** More clients than a person has; the least recently used session ends first. */
const MOST_SESSIONS = 64;
/** Idle time after which a session ends; checked when the next session begins. */
const SILENT_MS = 3_600_000;
const HEADER = "mcp-session-id";

export type McpHandler = ReturnType<typeof createMcpHandler>;

/** No tool reads or writes files, since the client may run elsewhere. */
export function createMcpHandler(
  project: Project,
  options: Pick<McpServerOptions, "allowsPrivate" | "tools">,
) {
  const { clock } = project.cli;
  const server = createMcpServer(project, { ...options, allowsFiles: false });
  const sessions = new Map<string, Session>();

  /** Answers one request; never rejects. */
  const handle = async (request: Request): Promise<Response> => {
    // No stream for the server's own messages: it sends none.
    if (request.method === "GET") return refuse(405, "expected POST");
    const id = request.headers.get(HEADER);
    if (id === null)
      return request.method === "POST" ? begin(request) : refuse(400, `the header ${HEADER} is missing`);
    const session = sessions.get(id);
    if (!session) return refuse(404, "the session has ended; initialize again");
    session.usedMs = clock.now();
    // The last one was used last.
    sessions.delete(id);
    sessions.set(id, session);
    return session.transport.handleRequest(request);
  };

  /** Ends all sessions and waits until everything is written. Never rejects. */
  const close = async (): Promise<void> => {
    for (const { transport } of sessions.values()) await transport.close();
    await server.close();
  };

  return Object.assign(handle, { close });

  async function begin(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      async onsessioninitialized(id) {
        sessions.set(id, { transport, usedMs: clock.now() });
        await endOthers();
      },
    });
    await server.accept(transport, () => void (transport.sessionId && sessions.delete(transport.sessionId)));
    const response = await transport.handleRequest(request);
    // Anything but an initialize request is an error and begins no session.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  async function endOthers(): Promise<void> {
    for (const [id, { transport, usedMs }] of sessions) {
      if (sessions.size <= MOST_SESSIONS && clock.now() - usedMs <= SILENT_MS) return;
      sessions.delete(id);
      await transport.close();
    }
  }
}

const refuse = (status: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status });
