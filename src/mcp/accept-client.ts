/** Creates the server for a client after its first message, since the client's name and roots decide which tools it gets. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

/** As the client describes itself. */
export interface ClientFacts {
  name: string;
  hasRoots: boolean;
}

export interface Accepted {
  /** Resolves when every received request is answered. */
  onAnswered(): Promise<void>;
}

const UNKNOWN: ClientFacts = { name: "", hasRoots: false };

/** Starts the transport. Its first message creates the server, which receives that message and all later ones. */
export async function acceptClient(
  inner: Transport,
  createServer: (client: ClientFacts) => Server,
): Promise<Accepted> {
  const open = createOpenRequests();
  let server: Promise<void> | undefined;
  const outer: Transport = {
    start: async () => {},
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    async send(message, options) {
      await inner.send(message, options);
      if (!("method" in message) && message.id !== undefined) open.end(message.id);
    },
  };
  inner.onmessage = (message, extra) => {
    open.note(message);
    server ??= createServer(readClient(message)).connect(outer);
    // Keeps the order: all messages wait for the same promise.
    void server.then(() => outer.onmessage?.(message, extra));
  };
  inner.onclose = () => {
    open.endAll();
    outer.onclose?.();
  };
  inner.onerror = (error) => outer.onerror?.(error);
  await inner.start();
  return { onAnswered: open.onEnd };
}

function createOpenRequests() {
  const ids = new Set<RequestId>();
  let waiting: (() => void)[] = [];
  const release = (): void => {
    if (ids.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    note(message: JSONRPCMessage): void {
      if (isJSONRPCRequest(message)) ids.add(message.id);
      // A cancelled request gets no answer.
      if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return;
      ids.delete(message.params?.requestId as RequestId);
      release();
    },
    end(id: RequestId): void {
      ids.delete(id);
      release();
    },
    endAll(): void {
      ids.clear();
      release();
    },
    onEnd: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        release();
      }),
  };
}

function readClient(message: JSONRPCMessage): ClientFacts {
  if (!isInitializeRequest(message)) return UNKNOWN;
  const { capabilities, clientInfo } = message.params;
  return { name: clientInfo.name, hasRoots: capabilities.roots !== undefined };
}
