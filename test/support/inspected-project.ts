/** A project with data for every view of the inspector: sessions on three days, played by real layers. */
import type { Hono } from "hono";
import { layers } from "../../layers/index.js";
import { DAY_MS } from "../../src/base/days.js";
import { createInspector } from "../../src/inspector/inspector.js";
import type { Clock } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { ToolPart } from "../../src/io/message.js";
import { plainStyle } from "../../src/operations/command.js";
import { openProject, type Project } from "../../src/operations/project.js";
import { candidateOf, openTestCandidates } from "./candidates.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { PROJECT } from "./fake-host.js";
import { copyFiles, type MemoryFiles } from "./memory-files.js";
import { call } from "./messages.js";
import { type Member, openPair, type Pair } from "./pair.js";
import { runStrata } from "./shell.js";

export interface InspectedProject {
  files: MemoryFiles;
  clock: FakeClock;
  pair: Pair;
}

/** System prompt and tools, which a provider counts too. */
const SYSTEM_TOKENS = 9_000;
const CHARACTERS_A_TOKEN = 4;

const read = (path: string, lines: number): ToolPart =>
  call("read", Array.from({ length: lines }, (_, n) => `export const line${n} = "of ${path}";`).join("\n"), {
    state: { input: { filePath: path } },
  });

/** Plays the sessions, remembers some memories, and leaves a dream, a conflict, a candidate and open todos. */
export async function playInspectedProject(): Promise<InspectedProject> {
  const pair = await openPair({ microCompact: { floor: 2_000 } });
  const { clock, files } = pair;
  await remember(pair, [
    "--type directive Never force a push to main",
    "--type preference --private Answer in short sentences",
    "--type decision --title Port the server listens on port 8080, since 3000 is taken by the old frontend",
    "--type knowledge --tag carrier,encoding The API of the carrier answers in Latin-1",
  ]);
  // Written as by an editor, since the gate would recognise the duplicate.
  await files.writeWhole(
    `${PROJECT}/.opencode/memory/knowledge/carrier-encoding.md`,
    "The API of the carrier answers in Latin-1.\n",
  );
  await play(pair.a, { id: "ses_a", title: "Fix the order totals", turns: 5 });
  clock.advance(DAY_MS);
  await runStrata(files, "dream", { clock });
  await remember(pair, [
    "--type decision Prices are integers of cents",
    "--type knowledge Staging has a tenth of the data",
    "--type procedure --title Release run the tests, tag, and let the pipeline publish",
  ]);
  await play(pair.b, { id: "ses_b", title: "Show prices in cents", turns: 9 });
  clock.advance(DAY_MS);
  await remember(pair, [
    "--type blocker The sandbox of the carrier is down until Monday",
    "--type decision --title Mail one queue serves mail and invoices, with a worker each",
    "--type decision --title Mail invoices have a queue of their own, mail waits in another",
  ]);
  await openTestCandidates({ files, clock }).offer([
    candidateOf("Invoices are numbered by the tax office.", {
      ...{ worth: 0.62, saidMs: clock.now(), session: "ses_a" },
    }),
  ]);
  const third = await pair.open("ses_c", 1);
  await play(third, { id: "ses_c", title: "Search for products by colour", turns: 13 });
  await leaveOpen(third, clock);
  return { files, clock, pair };
}

/** A copy for a test that changes it. */
export const copyProject = ({
  clock,
  files,
}: InspectedProject): Pick<InspectedProject, "clock" | "files"> => ({
  files: copyFiles(files),
  clock: createFakeClock(clock.now()),
});

async function remember({ clock, files }: Pair, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    clock.advance(60_000);
    const { code, err } = await runStrata(files, `remember ${line}`, { clock });
    if (code !== 0) throw new Error(`${line}: ${err}`);
  }
}

/** Each turn reads a large file and a small one. */
async function play(
  member: Member,
  { id, title, turns }: { id: string; title: string; turns: number },
): Promise<void> {
  member.world.host.findTitle = async () => title;
  let cached = 0;
  for (let turn = 1; turn <= turns; turn++) {
    const shown = await member.turn(turn === 1 ? `${title}, please.` : `Go on with part ${turn}.`);
    const sent = SYSTEM_TOKENS + Math.round(JSON.stringify(shown).length / CHARACTERS_A_TOKEN);
    const calls = [
      read(`src/part${turn}.ts`, turn % 3 === 0 ? 2_400 : 700),
      read(`test/part${turn}.ts`, 120),
    ];
    const { info } = member.session.answer(calls, { sent, cached, text: `Part ${turn} is done.` });
    cached = sent - 500;
    await member.event("message.updated", { info });
  }
  const { info } = member.session.answer([], { text: "All of it is done." });
  await member.event("message.updated", { info });
  member.world.host.messages.set(id, member.session.messages);
  await member.event("session.idle", { sessionID: id });
}

async function leaveOpen(member: Member, clock: FakeClock): Promise<void> {
  await member.turn("Now the filter, and its test.");
  const todos = [
    { content: "read the colours of the search index", status: "completed" },
    { content: "filter by colour", status: "in_progress" },
  ];
  const open = call("todowrite", "ok", { startMs: clock.now(), state: { input: { todos } } });
  const { info } = member.session.answer([open], { text: "Begun. Next: the filter's test." });
  await member.event("message.updated", { info });
  await member.turn("Does the index know all colours?");
}

const ID = "0123456789abcdef0123456789abcdef";

export interface OpenInspector {
  app: Hono;
  /** The projects that the inspector shows. */
  projects: unknown[];
  /** Answers a request as the server forwards it. */
  fetch(request: Request): Promise<Response>;
  /** Reads a view of the project: `get("memory?id=…")`. */
  get<T>(view: string): Promise<T>;
  /** Requests a change of the project; `body` may be any value. */
  post<T>(change: string, body: unknown): Promise<{ status: number; answer: T }>;
  id: string;
}

interface InspectorGiven {
  assetsFolder?: string;
  env?: Record<string, string>;
  folder?: string;
  isInTerminal?: boolean;
  others?: readonly string[];
}

export const openInspected = (
  files: Files,
  clock: Clock,
  folder: string,
  { env = {}, isInTerminal = true }: InspectorGiven = {},
): Promise<Project> =>
  openProject({
    ...{ files, clock, folder, env, home: "/home/me", style: plainStyle },
    loadLayers: async () => layers,
    say() {},
    warn() {},
    openFile: async () => {},
    ...(isInTerminal && { draw() {} }),
  });

/** Creates the inspector of the project on these files. */
export async function openInspector(
  files: Files,
  clock: Clock,
  given: InspectorGiven = {},
): Promise<OpenInspector> {
  const { assetsFolder, folder = PROJECT, others = [] } = given;
  const projects = await Promise.all(
    [folder, ...others].map(async (one, at) => ({
      id: at === 0 ? ID : `${at - 1}`.padStart(ID.length, "0"),
      project: await openInspected(files, clock, one, given),
    })),
  );
  const app = createInspector({
    ...{ clock, files },
    listProjects: async () => projects,
    ...(assetsFolder !== undefined && { assetsFolder }),
  });
  const fetch = async (request: Request): Promise<Response> => app.fetch(request);
  const ask = (path: string, init?: RequestInit) => fetch(new Request(`http://localhost/${path}`, init));
  return {
    ...{ app, fetch, projects, id: ID },
    get: async (view) => (await (await ask(`api/${ID}/${view}`)).json()) as never,
    async post(change, body) {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await ask(`api/${ID}/${change}`, init);
      return { status: response.status, answer: (await response.json()) as never };
    },
  };
}
