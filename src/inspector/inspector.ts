/**
 * The inspector: a page about one or more projects, and its API. The server does authentication, rate
 * limits and headers; here every answer has a bounded size, and every change is a step that can be undone.
 *
 *     GET  /                            the page, with /assets/*
 *     GET  /api/projects
 *     GET  /api/:project/:view          one of `views.ts`
 *     GET  /api/:project/views?watch=…  several views, with an ETag that tells whether any file has changed
 *     POST /api/:project/:operation     with its input as a JSON body
 */
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { formatLocalDay } from "../base/days.js";
import { formatFailure, StrataError } from "../base/error.js";
import { hashOf } from "../base/hash.js";
import { VERSION } from "../base/version.js";
import type { Clock } from "../io/clock.js";
import type { FileStat, Files } from "../io/files.js";
import { memoryTypes } from "../memory/memory.js";
import { LEDGER } from "../memory/path.js";
import { planConflictFolders } from "../memory/store/conflict-log.js";
import { formatForPage, type OperationEntry, perform, type WrittenData } from "../operations/operation.js";
import type { Project } from "../operations/project.js";
import { operations } from "../operations/table.js";
import { locateRecord } from "../project/state-owner.js";
import type { Done, Failure, Projects, ViewAnswer } from "./answers.js";
import { createProjectQueue, type ProjectQueue } from "./project-queue.js";
import { readView } from "./views.js";

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
  project: Project;
  queue: ProjectQueue;
}

const MOST_BODY_BYTES = 256 * 1024;
/** Of several views at once. */
const MOST_ADDRESSES = 8;
const LONGEST_ADDRESS = 2_000;

export function createInspector({ assetsFolder, clock, files, listProjects }: InspectorOptions): Hono {
  const opened = new Map<string, Open>();
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
  app.get("/api/:project/views", async (context) => {
    const { project, queue } = await find(context.req.param("project"));
    const addresses = readWatched(context.req.queries("watch"));
    // Taken before the answers, so that no change in between is missed.
    const headers = { etag: `"${await stampProject(project)}"` };
    if (context.req.header("if-none-match") === headers.etag)
      return new Response(null, { status: 304, headers });
    return context.json(await Promise.all(addresses.map((one) => answer(queue, one))), 200, headers);
  });
  app.get("/api/:project/:view", async (context) => {
    const { queue } = await find(context.req.param("project"));
    const { search } = new URL(context.req.url);
    return context.json((await readView(queue, `${context.req.param("view")}${search}`)) as object);
  });
  app.post(
    "/api/:project/:operation",
    bodyLimit({ maxSize: MOST_BODY_BYTES, onError: () => fail(TOO_LARGE) }),
    async (context) => {
      const { operation, project } = context.req.param();
      const { queue } = await find(project);
      const run = findChange(operation);
      if (!run) return context.notFound();
      return context.json(await run(queue, await readBody(context.req.raw)));
    },
  );
  return app;

  /** A project that an earlier request opened stays open. */
  async function find(id: string): Promise<Open> {
    const given = (await listProjects()).find((one) => one.id === id);
    if (!given) throw new StrataError("NO_PROJECT", "this server does not serve that project");
    const { project } = given;
    const open = opened.get(id) ?? { project, queue: createProjectQueue(project) };
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

function answer(queue: ProjectQueue, address: string): Promise<ViewAnswer> {
  return readView(queue, address).then(
    (value) => ({ address, value }),
    (thrown) => ({ address, error: formatFailure(thrown) }),
  );
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

const TYPES: Readonly<Record<string, string>> = {
  "page.html": "text/html; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

interface Asked {
  files: Pick<Files, "read">;
  folder: string;
  req: Context["req"];
}

/** Sends one of the page's files, which the build puts next to the command line. */
async function sendAsset(name: string, { files, folder, req }: Asked): Promise<Response> {
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

/* A stamp of the files that the page shows, from their names, sizes and times, never from their contents. */

/** Maximum number of files of a folder that are checked one by one; for a larger folder, only its own stat and count. */
const MOST_FILES = 200;

/** Differs after every change. Never rejects: an unreadable path counts as empty. */
export async function stampProject(project: Project): Promise<string> {
  const { cli, folders, stateFolder } = project;
  const record = await locateRecord(cli.files, { project: folders.project, stateFolder }).catch(
    () => undefined,
  );
  const paths = [...listPaths(project), ...(record ? [record.candidates] : [])];
  const stamps = await Promise.all(paths.map((path) => stampOf(cli.files, path)));
  // The savings of today are others tomorrow.
  return hashOf([formatLocalDay(cli.clock.now()), ...stamps].join("\n\n"));
}

function listPaths({ folders, globalFolder }: Project): string[] {
  const roots = [folders.memory, join(globalFolder, "memory")].flatMap((one) => [one, join(one, "private")]);
  return [
    ...[folders.screens, folders.savings, folders.sessions, folders.instances, folders.sessionMemory],
    ...[folders.leases, folders.log, join(folders.memory, "private", LEDGER)],
    ...planConflictFolders(folders.memory),
    ...roots.flatMap((root) => [LEDGER, ...memoryTypes].map((name) => join(root, name))),
  ];
}

async function stampOf(files: Files, path: string): Promise<string> {
  try {
    const stat = await files.statItself(path);
    if (stat?.kind !== "folder") return formatStat(stat);
    const names = await files.list(path);
    if (names.length > MOST_FILES) return `${formatStat(stat)} ${names.length}`;
    const stats = await Promise.all(names.map((name) => files.statItself(join(path, name))));
    return names.map((name, n) => `${name} ${formatStat(stats[n])}`).join("\n");
  } catch {
    return "";
  }
}

const formatStat = (stat: FileStat | undefined): string =>
  stat ? `${stat.kind} ${stat.bytes} ${stat.modifiedMs} ${stat.changedMs}` : "";

/**
 * The operation by the last part of the URL, if it changes something.
 *
 * @throws StrataError WRONG_ARGUMENT if the body has the wrong shape, REFUSED and others if nothing was changed
 */
function findChange(name: string): ((queue: ProjectQueue, body: unknown) => Promise<Done>) | undefined {
  const entry: OperationEntry | undefined = Object.hasOwn(operations, name)
    ? operations[name as keyof typeof operations]
    : undefined;
  if (!entry || entry.effect === "reads" || entry.isForTerminal) return undefined;
  return (queue, body) =>
    queue.withCore(async (core) => {
      const answer = await perform({ ...core, nameOf: () => "the page" }, entry, body);
      const { data, run } = answer;
      const memory = (data as Partial<WrittenData> | undefined)?.memory?.id;
      return {
        what: formatForPage(answer),
        ...(run !== undefined && { run }),
        ...(memory !== undefined && { memory }),
      };
    });
}
