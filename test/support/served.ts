/** The server's app without a socket or a project. */
import type { Hono } from "hono";
import { type Access, createAccess } from "../../src/serve/access.js";
import { type AppOptions, createApp } from "../../src/serve/app.js";
import { createServerMetrics, type ServerMetrics } from "../../src/serve/metrics.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";

export const KEY = "the-key-of-these-tests";
export const HOST = "127.0.0.1:9824";
export const KEYED = { host: HOST, authorization: `Bearer ${KEY}` };

export interface Served {
  app: Hono;
  clock: FakeClock;
  access: Access;
  complaints: string[];
  metrics: ServerMetrics;
  /** Paths of links that a request has asked for. */
  printed: string[];
  /** Headers of a browser that has opened a link. */
  asBrowser(): Record<string, string>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

export function serveApp(given: Partial<AppOptions> = {}): Served {
  const clock = createFakeClock();
  const access = createAccess({ clock, key: KEY });
  const complaints: string[] = [];
  const printed: string[] = [];
  const metrics = createServerMetrics(async () => ({
    ...{ projects: [], memoryBytes: 1, startedMs: 0 },
    health: { status: "ok" },
  }));
  const app = createApp({
    clock,
    access,
    hosts: { names: [], isAnyAddress: false },
    requestsPerMinute: 60,
    health: async () => ({ status: "ok" }),
    stats: async () => ({ memories: 3 }),
    metrics,
    complain: (what) => complaints.push(what),
    printLink: (path) => printed.push(path),
    ...given,
  });
  const get: Served["get"] = async (path, headers = KEYED) => app.request(path, { headers });
  const asBrowser = (): Record<string, string> => ({
    host: HOST,
    cookie: `strata-9824=${access.openSession(access.createCode())}`,
  });
  return { app, clock, access, asBrowser, complaints, metrics, printed, get };
}
