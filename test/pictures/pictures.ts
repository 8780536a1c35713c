/**
 * `npm run pictures`: makes the pictures of the documents from what the built plugin and command line really show. The
 * real OpenCode plays three sessions with a scripted model, one more on its real screen, then the demo's two runs for the
 * README's chart; needs no key and no network, and about four minutes. `pictures.ts screens` makes those of the screen
 * (with STRATA_HOST=2 those of OpenCode 2), `pictures.ts first-hour` the recording,
 * `pictures.ts inspector` those of the inspector, which plays its own project, `pictures.ts context` the README's chart.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { play, withStrata } from "../demo/play.js";
import { sources } from "../host/repository.js";
import { type Browser, findBrowser } from "../host/stage/chromium.js";
import type { Project } from "../host/stage/project.js";
import { openStage, type Stage } from "../host/stage/stage.js";
import { call, say } from "../host/stage/steps.js";
import { HOST } from "../host/stage/which-host.js";
import { drawContext } from "./context.js";
import { drawInspector } from "./inspector.js";
import { drawFirstHour, drawScreens, drawScreens2, rememberedFiles } from "./screens.js";
import { drawTerminal } from "./terminal-picture.js";

const DAY_MS = 86_400_000;
const TURNS = 14;
const FOLDER = join(sources, "docs", "pictures");
const SHOWN_PROJECT = "/home/me/shop";

if (process.argv[2] === "screens") {
  await (HOST === 2 ? drawScreens2(FOLDER) : drawScreens(FOLDER));
  process.exit();
}

if (process.argv[2] === "first-hour") {
  await drawFirstHour(FOLDER);
  process.exit();
}

const source = (name: string): string =>
  Array.from({ length: 260 }, (_, n) => `export const ${name}${n} = "a line of the shop, number ${n}";`).join(
    "\n",
  );

const browser = findBrowser();
if (!browser)
  throw new Error("no Chromium runs on this machine; npm ci brings one on Linux with an x64 processor");

if (process.argv[2] === "inspector") {
  await drawInspector(FOLDER, browser);
  process.exit();
}

if (process.argv[2] === "context") {
  await drawDemo(browser);
  process.exit();
}

const files = Object.fromEntries(
  Array.from({ length: TURNS }, (_, n) => [`src/part${n}.ts`, source(`part${n}_`)]),
);
await using stage = await openStage({
  alone: true,
  options: { autoCompact: { threshold: 60_000 }, microCompact: { floor: 2_000 } },
  files: { ...files, ...rememberedFiles(Date.now()) },
});
const ids: string[] = [];
for (const [title, turns] of [
  ["Fix the order totals", 6],
  ["Show prices in cents", 9],
  ["Search for products by colour", TURNS],
] as const)
  ids.push(await playSession(stage, title, turns));
const memory = await askMemory(stage, ids.at(-1) ?? "");
await stage.host.stop();
spreadOverDays(stage.project, ids);

draw("memory.svg", { typed: "> /memory", text: memory });
draw("stats.svg", { typed: "$ strata stats", text: strata("stats") });
await drawScreens(FOLDER);
await drawFirstHour(FOLDER);
await drawInspector(FOLDER, browser);
await drawDemo(browser);
process.stdout.write(`Written: ${readdirSync(FOLDER).join(", ")} in ${FOLDER}\n`);

async function drawDemo(shownBy: Browser): Promise<void> {
  const runs = { bare: await play({}), strata: await play({ plugin: withStrata }) };
  await drawContext(join(FOLDER, "context.png"), runs, shownBy);
}

/** Turns that read, run and answer; its id. */
async function playSession(
  { model, newSession, project }: Stage,
  title: string,
  turns: number,
): Promise<string> {
  const session = await newSession(title);
  for (let turn = 0; turn < turns; turn++) {
    model.script(
      call("read", { filePath: project.file(`src/part${turn}.ts`) }),
      call("bash", { command: `seq 1 ${turn % 4 === 0 ? 9_000 : 700}`, description: "runs the tests" }),
      say(`Part ${turn} is done.`),
    );
    await session.ask(`Go on with part ${turn} of the shop.`);
  }
  return session.id;
}

async function askMemory(open: Stage, sessionID: string): Promise<string> {
  const session = open.session(sessionID);
  await session.command("memory").catch(() => undefined);
  const parts = (await session.messages()).flatMap((message) => message.parts);
  const shown = parts.findLast((part) => part.type === "text" && part.ignored);
  if (shown?.type !== "text") throw new Error("/memory has shown nothing");
  return shown.text;
}

/** As if a session a day had been had: charts of one day would be a poor picture. Only dates are changed. */
function spreadOverDays({ file }: Project, sessions: readonly string[]): void {
  for (const [index, id] of sessions.entries()) {
    const path = file(`.opencode/strata/savings/${id}.jsonl`);
    const agoMs = (sessions.length - 1 - index) * DAY_MS;
    const move = (_: string, time: string) => `"time":"${new Date(Date.parse(time) - agoMs).toISOString()}"`;
    writeFileSync(path, readFileSync(path, "utf8").replace(/"time":"([^"]+)"/g, move));
  }
}

function strata(...args: string[]): string {
  const { folders, path } = stage.project;
  const env = { PATH: process.env.PATH, HOME: folders.home, XDG_STATE_HOME: folders.state };
  const binary = join(sources, "dist/strata.js");
  return execFileSync(process.execPath, [binary, ...args], { cwd: path, env, encoding: "utf8" }).trimEnd();
}

function draw(name: string, { text, typed }: { text: string; typed: string }): void {
  writeFileSync(join(FOLDER, name), drawTerminal({ typed, text: clean(text) }));
}

/** Neither folders of this machine nor ids that are others each time; those in their place are as long. */
function clean(text: string): string {
  const nameOf = (id: string, index: number): string => `ses_${String(index + 1).repeat(id.length - 4)}`;
  const named = ids.reduce((all, id, index) => all.replaceAll(id, nameOf(id, index)), text);
  return named.replaceAll(stage.project.path, SHOWN_PROJECT);
}
