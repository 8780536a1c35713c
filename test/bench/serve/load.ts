/** A client that sends the next request as soon as the last is answered, on several keep-alive connections. */
import { once } from "node:events";
import { connect } from "node:net";

export interface Load {
  url: string;
  path: string;
  key: string;
  connections: number;
  /** Ends after this many requests, or after this time. */
  until: { requests: number } | { ms: number };
}

export interface Held {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  requests: number;
}

/** Rejects if an answer is not 200. */
export async function putLoad({ connections, key, path, until, url }: Load): Promise<Held> {
  const { host, hostname, port } = new URL(url);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n\r\n`;
  const tookMs: number[] = [];
  const startedMs = performance.now();
  let left = "requests" in until ? until.requests : Number.POSITIVE_INFINITY;
  const endsMs = startedMs + ("ms" in until ? until.ms : Number.POSITIVE_INFINITY);
  const ask = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    await new Promise<void>((resolve, reject) => {
      let answer = "";
      let sentMs = 0;
      const next = (): void => {
        sentMs = performance.now();
        if (left-- > 0 && sentMs < endsMs) socket.write(request);
        else resolve();
      };
      socket.on("error", reject).on("close", () => reject(new Error(`${path}: the server hung up`)));
      socket.setEncoding("latin1").on("data", (data) => {
        answer += data;
        if (!isWhole(answer)) return;
        if (!answer.startsWith("HTTP/1.1 200 ")) reject(new Error(`${path}: ${answer.slice(0, 200)}`));
        answer = "";
        tookMs.push(performance.now() - sentMs);
        next();
      });
      next();
    });
    socket.removeAllListeners().destroy();
  };
  await Promise.all(Array.from({ length: connections }, ask));
  const seconds = (performance.now() - startedMs) / 1000;
  const sorted = tookMs.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return {
    requestsPerSecond: sorted.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    requests: sorted.length,
  };
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  return end !== -1 && length !== undefined && answer.length >= end + 4 + Number(length);
}
