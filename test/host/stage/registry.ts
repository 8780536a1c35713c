/** A package registry on a local port that rejects every request. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RefusingRegistry {
  readonly url: string;
  /** Requests, such as `GET /opencode-strata`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function startRefusingRegistry(status: 404 | 500): Promise<RefusingRegistry> {
  const asked: string[] = [];
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.writeHead(status, { "content-type": "application/json" });
    response.end('{"error":"refused"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
