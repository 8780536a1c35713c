/**
 * The inspector: a page about one or more projects, and its API. The server does authentication, rate limits and headers;
 * here every change is a step that can be undone.
 *
 *     GET  /                           the page, with /assets/*
 *     GET  /api/projects
 *     GET  /api/:project/:view         one of `views.ts`
 *     POST /api/:project/:operation    with its input as a JSON body
 *
 * Times in answers are ISO date-times, sizes are tokens unless noted. A failed request gets a `Failure`.
 */
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { formatFailure, StrataError } from "../base/error.js";
import { hashOf } from "../base/hash.js";
import { VERSION } from "../base/version.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { formatForPage, type OperationEntry, perform, type WrittenData } from "../operations/operation.js";
import type { Project } from "../operations/project.js";
import { operations } from "../operations/table.js";
import { createProjectQueue, type ProjectQueue, readView } from "./views.js";

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

export interface Projects {
  version: string;
  /** The server's time in milliseconds since 1970, since its clock may differ from the browser's. */
  nowMs: number;
  /** `name`: that of its folder, with parent folders if another project's folder has the same name. */
  projects: readonly { id: string; name: string; root: string }[];
}

/** The answer to a change. */
export interface Done {
  /** A sentence for the user. */
  what: string;
  /** The run that an undo takes. */
  run?: string;
  /** Id of the changed memory. */
  memory?: string;
}

export interface Failure {
  error: string;
}

const MOST_BODY_BYTES = 256 * 1024;

export function createInspector({ assetsFolder, clock, files, listProjects }: InspectorOptions): Hono {
  const opened = new Map<string, ProjectQueue>();
  const folder = assetsFolder ?? fileURLToPath(new URL(".", import.meta.url));
  const app = new Hono();

  app.onError((thrown) => fail(thrown));
  app.notFound(() => fail(new StrataError("NO_PAGE", "there is nothing at this address")));

  app.get("/", ({ req }) => sendAsset("page.html", { files, folder, req }));
  app.get("/assets/:name", ({ req }) => sendAsset(req.param("name"), { files, folder, req }));

  app.get("/api/projects", async (context) => {
    const listed = await listProjects();
    const nameOf = planNames(listed.map(({ project }) => project.root));
    return context.json({
      version: VERSION,
      nowMs: clock.now(),
      projects: listed.map(({ id, project: { root } }) => ({ id, root, name: nameOf(root) })),
    } satisfies Projects);
  });
  app.get("/api/:project/:view", async (context) => {
    const queue = await find(context.req.param("project"));
    const { searchParams } = new URL(context.req.url);
    return context.json((await readView(queue, context.req.param("view"), searchParams)) as object);
  });
  app.post(
    "/api/:project/:operation",
    bodyLimit({ maxSize: MOST_BODY_BYTES, onError: () => fail(TOO_LARGE) }),
    async (context) => {
      const { operation, project } = context.req.param();
      const queue = await find(project);
      const entry = findOperation(operation);
      if (!entry) return context.notFound();
      return context.json(await run(queue, entry, await readBody(context.req.raw)));
    },
  );
  return app;

  /** A project that an earlier request opened stays open. */
  async function find(id: string): Promise<ProjectQueue> {
    const given = (await listProjects()).find((one) => one.id === id);
    if (!given) throw new StrataError("NO_PROJECT", "this server does not serve that project");
    const queue = opened.get(id) ?? createProjectQueue(given.project);
    opened.set(id, queue);
    return queue;
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

const TYPES: Readonly<Record<string, string>> = {
  "page.html": "text/html; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

/** Sends one of the page's files, which the build puts next to the command line. */
async function sendAsset(
  name: string,
  { files, folder, req }: { files: Pick<Files, "read">; folder: string; req: Context["req"] },
): Promise<Response> {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) return fail(new StrataError("NO_PAGE", "there is nothing at this address"));
  const path = join(folder, `inspector-${name}`);
  const bytes = await files.read(path);
  if (!bytes) throw new StrataError("NOT_BUILT", `expected ${path}, which is missing; run npm run build`);
  const headers = {
    "content-type": type,
    etag: `"${hashOf(bytes).slice(0, 16)}"`,
    "cache-control": "no-cache",
  };
  return req.header("if-none-match") === headers.etag
    ? new Response(null, { status: 304, headers })
    : new Response(new Uint8Array(bytes), { headers });
}

/** Another site's form cannot send this content type without a preflight request. @throws StrataError BAD_REQUEST */
async function readBody(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new StrataError("BAD_REQUEST", `expected a body of type application/json, got "${type}"`);
  try {
    return await request.json();
  } catch {
    throw new StrataError("BAD_REQUEST", "expected a JSON body; it could not be parsed");
  }
}

const STATUS: Readonly<Record<string, number>> = {
  AGENT: 403,
  BAD_REQUEST: 400,
  NOT_ALLOWED: 403,
  WRONG_ARGUMENT: 400,
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

function findOperation(name: string): OperationEntry | undefined {
  const entry = Object.hasOwn(operations, name) ? operations[name as keyof typeof operations] : undefined;
  return entry?.isForTerminal ? undefined : entry;
}

/**
 * What is read is answered as it is.
 *
 * @throws StrataError WRONG_ARGUMENT if the body has the wrong shape, REFUSED and others if nothing was changed
 */
const run = (queue: ProjectQueue, entry: OperationEntry, body: unknown): Promise<object> =>
  queue.withCore(async (core) => {
    const answer = await perform({ ...core, nameOf: () => "the page" }, entry, body);
    if (entry.effect === "reads") return answer.data as object;
    const memory = (answer.data as Partial<WrittenData> | undefined)?.memory?.id;
    return {
      what: formatForPage(answer),
      ...(answer.run !== undefined && { run: answer.run }),
      ...(memory !== undefined && { memory }),
    } satisfies Done;
  });
