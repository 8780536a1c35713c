/** A local port on which successive scripted models can answer. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface ModelPort {
  /** The base address for a provider's configuration, ending in `/v1`. */
  readonly url: string;
  /** Routes requests to this model from now on and aborts the running ones. */
  serve(listener: RequestListener): void;
  /** Closes the port and every open answer. */
  close(): Promise<void>;
}

/** Opens a free port on 127.0.0.1. */
export async function openModelPort(): Promise<ModelPort> {
  let current: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((incoming, response) => current(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    serve(listener) {
      server.closeAllConnections();
      current = listener;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
