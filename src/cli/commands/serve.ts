/** `strata serve`: runs the local server until Ctrl-C. */
import { formatError, formatFailure } from "../../base/error.js";
import { VERSION } from "../../base/version.js";
import { createInspector } from "../../inspector/inspector.js";
import { readFreeBytes } from "../../io/node-files.js";
import type { McpHandler } from "../../mcp/http.js";
import type { McpServerOptions } from "../../mcp/server.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type OptionValues,
  type Run,
} from "../../operations/command.js";
import { isInAgentsShell } from "../../operations/project.js";
import { createAccess, createToken, LINK_MS } from "../../serve/access.js";
import { type AppOptions, createApp } from "../../serve/app.js";
import { checkHealth, type Health } from "../../serve/health.js";
import {
  createProjectList,
  createRecent,
  listen,
  openServed,
  type ServedProject,
} from "../../serve/listen.js";
import { createServerMetrics } from "../../serve/metrics.js";
import { isWildcard, readServeSettings, type ServeSettings } from "../../serve/settings.js";

type ListProjects = () => Promise<readonly ServedProject[]>;

/** How long answers are cached: health needs no key, and several monitors may read the figures. */
const HEALTH_MS = 5_000;
const FIGURES_MS = 5_000;
const PROJECTS_MS = 30_000;

export const run: Run = async (given, options) => {
  // An agent that leaves a server behind is its parent no more; what it asks of the server is still the agent's.
  const cli = (await isInAgentsShell(given)) ? { ...given, env: { ...given.env, OPENCODE: "1" } } : given;
  const settings = readServeSettings(options, cli.env);
  const tools = await readTools(options.tools);
  const listProjects = await openProjects(cli, options);
  const health = createRecent(cli.clock, HEALTH_MS, () => readHealth(cli, listProjects));
  if (options.check) return sayHealth(cli, options, await health());
  const key = settings.key ?? createToken();
  const access = createAccess({ clock: cli.clock, key });
  const { hosts, requestsPerMinute } = settings;
  const mcp = createMcpMount(listProjects, { allowsPrivate: options.private === true, tools });
  const app = createApp({
    ...{ access, clock: cli.clock, health, hosts, requestsPerMinute },
    ...createAnswers(cli, { health, listProjects }),
    inspector: createInspector({ clock: cli.clock, files: cli.files, listProjects }),
    complain: (what) => cli.warn(`strata: ${what}`),
    printLink(path) {
      const link = `${base}${path}`;
      cli.say(options.json ? JSON.stringify({ link }) : formatLink(link));
    },
    mcp: mcp.handle,
  });
  const { port, stop } = await listen(app, { ...settings, clock: cli.clock });
  const stopped = new Promise<void>((resolve) => void cli.onInterrupt?.(resolve));
  const base = formatBase(settings.host, port);
  const projects = (await listProjects()).map(({ project }) => project.root);
  const link = `${base}/open/${access.createCode()}`;
  if (options.json) cli.say(JSON.stringify({ url: base, link, key, projects }));
  else cli.say(formatStart({ base, link, projects, settings, key }));
  if (options.open) await cli.openFile(link).catch((thrown) => cli.warn(`strata: ${formatFailure(thrown)}`));
  await stopped;
  cli.warn("strata: stopping …");
  await stop();
  await mcp.close();
  return exitCodes.fine;
};

/** Without `--all`, throws if the folder is in no project. */
async function openProjects(cli: CliContext, { all }: OptionValues): Promise<ListProjects> {
  if (all) return createRecent(cli.clock, PROJECTS_MS, createProjectList(cli));
  const one = [await openServed(cli)];
  return async () => one;
}

const readHealth = (cli: CliContext, listProjects: ListProjects): Promise<Health> =>
  checkHealth(cli.clock, async () => (await listProjects()).map(({ project }) => project), { readFreeBytes });

function createAnswers(
  { clock, warn }: CliContext,
  { health, listProjects }: { health(): Promise<Health>; listProjects: ListProjects },
): Pick<AppOptions, "metrics" | "stats"> {
  const startedMs = clock.now();
  const readAll = createRecent(clock, FIGURES_MS, async () => {
    const read = (await listProjects()).map((served) => readServed(served, warn));
    return (await Promise.all(read)).filter((one) => one !== undefined);
  });
  const measure = async () => {
    const [projects, found] = await Promise.all([readAll(), health()]);
    return { projects, health: found, memoryBytes: process.memoryUsage.rss(), startedMs };
  };
  return {
    metrics: createServerMetrics(measure),
    async stats() {
      const { health, memoryBytes, projects } = await measure();
      const uptimeSeconds = Math.round((clock.now() - startedMs) / 1000);
      return { version: VERSION, uptimeSeconds, memoryBytes, health, projects };
    },
  };
}

/** `undefined` if the figures cannot be read, so that one project does not hide the others. */
async function readServed({ id, project, readFigures }: ServedProject, warn: CliContext["warn"]) {
  try {
    return { id, ...(await readFigures()) };
  } catch (thrown) {
    warn(`strata: the figures of ${project.root} cannot be read: ${formatError(thrown)}`);
    return undefined;
  }
}

function sayHealth(cli: CliContext, { json }: OptionValues, health: Health): ExitCode {
  const isWell = health.status === "ok";
  if (json) cli.say(JSON.stringify(health));
  else cli.say(isWell ? "ok" : health.problems.map(({ what, where = "" }) => `${what}: ${where}`).join("\n"));
  return isWell ? exitCodes.fine : exitCodes.problems;
}

interface Start {
  base: string;
  link: string;
  key: string;
  projects: readonly string[];
  settings: ServeSettings;
}

function formatStart({ base, key, link, projects, settings }: Start): string {
  const served = projects.length === 1 ? projects[0] : `${projects.length} projects`;
  return [
    `Serving ${served} at ${base}; Ctrl-C stops it`,
    formatLink(link),
    ...(projects.length === 1 ? [`  mcp   ${base}/mcp  (with the key)`] : []),
    settings.key === undefined
      ? `  key   ${key}  (until the server stops; set your own with STRATA_API_KEY)`
      : "  key   from your environment",
  ].join("\n");
}

const formatLink = (link: string): string =>
  `  page  ${link}  (works once, within ${LINK_MS / 60_000} minutes)`;

/** The URL for a browser on this machine. */
function formatBase(host: string, port: number): string {
  const name = isWildcard(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/* Routes MCP requests to projects: `/mcp` if there is only one, `/mcp/<id>` for each. */

function createMcpMount(
  listProjects: ListProjects,
  options: Pick<McpServerOptions, "allowsPrivate" | "tools">,
) {
  const opened = new Map<string, McpHandler>();
  return {
    async handle(request: Request): Promise<Response> {
      const projects = await listProjects();
      const served = findServed(projects, new URL(request.url).pathname);
      if (!served) return Response.json({ error: formatUnknown(projects) }, { status: 404 });
      const { createMcpHandler } = await import("../../mcp/http.js");
      const handler = opened.get(served.id) ?? createMcpHandler(served.project, options);
      opened.set(served.id, handler);
      return handler(request);
    },

    /** Ends all sessions and waits until everything is written. Never rejects. */
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map((handler) => handler.close()));
    },
  };
}

function findServed(projects: readonly ServedProject[], path: string): ServedProject | undefined {
  const [, id] = /^\/mcp\/([^/]+)\/?$/.exec(path) ?? [];
  if (id !== undefined) return projects.find((one) => one.id === id);
  return projects.length === 1 && /^\/mcp\/?$/.test(path) ? projects[0] : undefined;
}

const formatUnknown = (projects: readonly ServedProject[]): string =>
  projects.length === 1
    ? "expected /mcp"
    : "expected /mcp/ and the id of a project; /stats lists projects with their ids";

/** The value of `--tools`. @throws WRONG_ARGUMENT for tools that do not exist */
async function readTools(given: string | boolean | undefined): Promise<string | undefined> {
  if (typeof given !== "string") return undefined;
  const [{ chooseTools }, { tools }] = await Promise.all([
    import("../../mcp/tool.js"),
    import("../../mcp/tools.js"),
  ]);
  chooseTools(tools, given);
  return given;
}
