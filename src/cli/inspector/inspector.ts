/**
 * The inspector: a page about one or more projects, its API and its live updates. The server does authentication, rate
 * limits and headers; here every answer has a bounded size, and every change is a step that can be undone.
 *
 *     GET  /                            the page, with /assets/*
 *     GET  /api/projects
 *     GET  /api/:project/:view          one of `views.ts`
 *     GET  /api/:project/live?watch=…   views as they change, as server-sent events: `live.ts`
 *     POST /api/:project/:subject/:change   with a JSON body
 */
import { sep } from "node:path";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { formatFailure, StrataError } from "../../error.js";
import type { Clock } from "../../seams/clock.js";
import type { Files } from "../../seams/files.js";
import { VERSION } from "../../version.js";
import type { Project } from "../project.js";
import type { Failure, Projects } from "./answers.js";
import { type Assets, createAssets } from "./assets.js";
import { changes } from "./changes.js";
import { createLive, type Live, MOST_ADDRESSES } from "./live.js";
import { lookAtProject } from "./look.js";
import { createProjectQueue, type ProjectQueue } from "./project-queue.js";
import { readView, topicsOf } from "./views.js";

export interface InspectorOptions {
  clock: Clock;
  files: Files;
  /** The projects to show; may differ from call to call. */
  listProjects(): Promise<readonly InspectedProject[]>;
  /** Folder of the built page; default: that of the built command line. */
  assetsFolder?: string;
}

export interface InspectedProject {
  /** Used in the API's URLs. */
  id: string;
  project: Project;
}

interface Open {
  queue: ProjectQueue;
  live: Live;
}

const MOST_BODY_BYTES = 256 * 1024;
const LONGEST_ADDRESS = 2_000;

export function createInspector({ assetsFolder, clock, files, listProjects }: InspectorOptions): Hono {
  const opened = new Map<string, Open>();
  const assets = createAssets(files, assetsFolder);
  const app = new Hono();

  app.use(async (context, next) => {
    await next();
    // Hono handles HEAD like GET, and would leave open a stream that nobody reads.
    if (context.req.method === "HEAD") await context.res.body?.cancel();
  });
  app.onError((thrown) => fail(thrown));
  app.notFound(() => fail(new StrataError("NO_PAGE", "there is nothing at this address")));

  app.get("/", async (context) => sendAsset(assets, "page.html", context.req.raw));
  app.get("/assets/:name", async (context) => sendAsset(assets, context.req.param("name"), context.req.raw));

  app.get("/api/projects", async (context) => {
    const listed = await listProjects();
    const nameOf = planNames(listed.map(({ project }) => project.root));
    return context.json({
      version: VERSION,
      nowMs: clock.now(),
      projects: listed.map(({ id, project: { root } }) => ({ id, root, name: nameOf(root) })),
    } satisfies Projects);
  });
  app.get("/api/:project/live", async (context) => {
    const { live } = await find(context.req.param("project"));
    const stream = live.open(readWatched(context.req.queries("watch")), context.req.raw.signal);
    return stream ?? fail(new StrataError("BUSY", "too many pages are open; close some of them"));
  });
  app.get("/api/:project/:view", async (context) => {
    const { queue } = await find(context.req.param("project"));
    const { search } = new URL(context.req.url);
    return context.json((await readView(queue, `${context.req.param("view")}${search}`)) as object);
  });
  app.post(
    "/api/:project/:subject/:change",
    bodyLimit({ maxSize: MOST_BODY_BYTES, onError: () => fail(TOO_LARGE) }),
    async (context) => {
      const { change, project, subject } = context.req.param();
      const { queue, live } = await find(project);
      const name = `${subject}/${change}`;
      const run = Object.hasOwn(changes, name) ? changes[name] : undefined;
      if (!run) return context.notFound();
      const done = await run(queue, await readBody(context.req.raw));
      void live.look();
      return context.json(done);
    },
  );
  return app;

  /** A project that an earlier request opened stays open. */
  async function find(id: string): Promise<Open> {
    const given = (await listProjects()).find((one) => one.id === id);
    if (!given) throw new StrataError("NO_PROJECT", "this server does not serve that project");
    const open = opened.get(id) ?? openProject(given.project);
    opened.set(id, open);
    return open;
  }
}

/** The shortest suffix of each folder's path that no other folder has. Pure. */
function planNames(roots: readonly string[]): (root: string) => string {
  const endOf = (root: string, parts: number): string => root.split(sep).slice(-parts).join(sep);
  return (root) => {
    for (let parts = 1; parts < root.split(sep).length; parts++) {
      const end = endOf(root, parts);
      if (roots.every((other) => other === root || endOf(other, parts) !== end)) return end;
    }
    return root;
  };
}

const TOO_LARGE = new StrataError(
  "TOO_LARGE",
  `expected at most ${MOST_BODY_BYTES} bytes; nothing was changed`,
);

function openProject(project: Project): Open {
  const queue = createProjectQueue(project);
  const { clock } = project.cli;
  const live = createLive({
    ...{ clock, topicsOf },
    look: () => lookAtProject(project),
    answer: (address) => readView(queue, address),
  });
  return { queue, live };
}

/** @throws StrataError BAD_REQUEST */
function readWatched(addresses: readonly string[] = []): readonly string[] {
  const isFew = addresses.length >= 1 && addresses.length <= MOST_ADDRESSES;
  if (isFew && addresses.every(({ length }) => length <= LONGEST_ADDRESS)) return addresses;
  throw new StrataError(
    "BAD_REQUEST",
    `expected 1 to ${MOST_ADDRESSES} views to watch, of at most ${LONGEST_ADDRESS} characters each`,
  );
}

async function sendAsset(assets: Assets, name: string, request: Request): Promise<Response> {
  const asset = await assets.read(name);
  if (!asset) return fail(new StrataError("NO_PAGE", "there is nothing at this address"));
  const headers = { "content-type": asset.type, etag: asset.etag, "cache-control": "no-cache" };
  if (request.headers.get("if-none-match") === asset.etag)
    return new Response(null, { status: 304, headers });
  return new Response(new Uint8Array(asset.bytes), { headers });
}

/** Another site's form cannot send this content type without a preflight request. @throws StrataError BAD_REQUEST */
async function readBody(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new StrataError("BAD_REQUEST", `expected a body of type application/json, "${type}" came`);
  try {
    return await request.json();
  } catch {
    throw new StrataError("BAD_REQUEST", "expected a JSON body; it could not be parsed");
  }
}

const STATUS: Readonly<Record<string, number>> = {
  AGENT: 403,
  BAD_REQUEST: 400,
  BUSY: 503,
  NOT_BUILT: 503,
  TOO_LARGE: 413,
};

function fail(thrown: unknown): Response {
  const isExpected = thrown instanceof StrataError;
  const error = formatFailure(thrown);
  const code = isExpected ? thrown.code : "";
  const status = STATUS[code] ?? (/^NO_/.test(code) ? 404 : isExpected ? 409 : 500);
  return Response.json({ error } satisfies Failure, { status });
}
