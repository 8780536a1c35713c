/**
 * The socket: Node's HTTP server, with limits on everything that a client can keep open; and the projects that it serves.
 * When it stops, it accepts no more connections and gives responses a few seconds.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import { StrataError } from "../base/error.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import type { CliContext } from "../operations/command.js";
import { openProject } from "../operations/project.js";
import { findStateFolder } from "../project/folders.js";
import { isRecordName, locateRecord, planRecord, readOwner } from "../project/state-owner.js";
import { createProjectFigures } from "./figures.js";

export interface ListenOptions {
  clock: Clock;
  host: string;
  port: number;
  /** Set only in tests. */
  bounds?: Partial<typeof BOUNDS>;
}

/** Times are measured by Node's own timers. */
const BOUNDS = {
  connections: 256,
  headerBytes: 16_384,
  /** Time limits for the headers and for the whole request. */
  headersMs: 10_000,
  requestMs: 30_000,
  /** Idle time after which a connection is closed. */
  silentMs: 60_000,
  keptAliveMs: 5_000,
  lookMs: 2_000,
};
const STOP_MS = 5_000;

/** @throws StrataError NO_PORT */
export async function listen(app: Hono, { clock, host, port, bounds }: ListenOptions) {
  const { connections, headerBytes, headersMs, keptAliveMs, lookMs, requestMs, silentMs } = {
    ...BOUNDS,
    ...bounds,
  };
  let isEnding = false;
  const server = createAdaptorServer({
    fetch: (request, env) => {
      const { incoming, outgoing } = env as HttpBindings;
      // Otherwise the client would keep the connection for its next request.
      outgoing.once("close", () => isEnding && incoming.socket.destroySoon());
      return app.fetch(request, env);
    },
    serverOptions: {
      maxHeaderSize: headerBytes,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keptAliveMs,
      connectionsCheckingInterval: lookMs,
    },
  }) as Server;
  server.maxConnections = connections;
  server.timeout = silentMs;
  await start(server, { host, port });
  return {
    port: (server.address() as AddressInfo).port,
    /** Stops the server; resolves when no connection is left. Never rejects. */
    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      isEnding = true;
      await waitAtMost(clock, STOP_MS, () => closed);
      server.closeAllConnections();
      await closed;
    },
  };
}

async function start(server: Server, { host, port }: Pick<ListenOptions, "host" | "port">): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another program uses it" : message;
    throw new StrataError(
      "NO_PORT",
      `cannot listen on ${host}, port ${port}: ${why}; choose another port with --port`,
    );
  }
}

/* The projects that the server serves. */

export type ServedProject = Awaited<ReturnType<typeof openServed>>;

/** The project of the working directory. `id`: for URLs, the name of its folder in the user's state. Throws if there is none. */
export async function openServed(cli: CliContext) {
  const project = await openProject(cli);
  const { stateFolder } = project;
  const { folder } = await locateRecord(cli.files, { project: project.root, stateFolder });
  return { id: basename(folder), project, readFigures: createProjectFigures(project) };
}

/**
 * All projects in which Strata has run on this machine and whose folders still exist, sorted by path. A project that an
 * earlier call opened stays open.
 */
export function createProjectList(cli: CliContext): () => Promise<readonly ServedProject[]> {
  const opened = new Map<string, ServedProject>();
  return async () => {
    const all = join(findStateFolder(cli), "projects");
    const names = (await cli.files.list(all)).filter(isRecordName);
    const owners = await Promise.all(
      names.map((name) => readOwner(cli.files, planRecord(join(all, name))).catch(() => undefined)),
    );
    const found: ServedProject[] = [];
    for (const path of [...new Set(owners.flatMap((owner) => owner?.path ?? []))].sort()) {
      // An unreadable folder, for example on a disk that is not mounted, counts as absent.
      const stat = await cli.files.stat(join(path, ".opencode", "strata")).catch(() => undefined);
      if (stat?.kind !== "folder") continue;
      const served = opened.get(path) ?? (await openServed({ ...cli, folder: path }));
      opened.set(path, served);
      found.push(served);
    }
    return found;
  };
}

/**
 * Caches the result of `read` for `forMs` after it ends, and never runs it twice at a time, so that many clients cost as
 * much as one. A rejection is not cached.
 */
export function createRecent<T>(
  clock: Pick<Clock, "now">,
  forMs: number,
  read: () => Promise<T>,
): () => Promise<T> {
  let held: Promise<T> | undefined;
  let endedMs: number | undefined;
  return () => {
    const ageMs = endedMs === undefined ? 0 : clock.now() - endedMs;
    // The clock may have been set back.
    if (held && ageMs >= 0 && ageMs < forMs) return held;
    endedMs = undefined;
    held = read();
    held.then(
      () => {
        endedMs = clock.now();
      },
      () => {
        held = undefined;
      },
    );
    return held;
  };
}
