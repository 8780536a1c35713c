/**
 * A session that an earlier version has begun goes on with this one: the same bytes, nothing lost. Both go on from one
 * copy of the disk, with the same words, and what they send is held against each other.
 */
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HEADINGS } from "../../src/notes/sections.js";
import { removeFolder } from "../support/remove-folder.js";
import { repository } from "./repository.js";
import { buildEarlierPackage, hasCommit } from "./stage/earlier-package.js";
import { whenFits } from "./stage/files.js";
import { entrust } from "./stage/keeper.js";
import { firstDifference, type ModelRequest, withoutTools } from "./stage/model-request.js";
import type { Project } from "./stage/project.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, calls, type Step, say } from "./stage/steps.js";
import { strata } from "./stage/strata.js";

/** The last one before the layers moved into folders of their own, with the package laid out as it was then. */
const EARLIER = "048d524d44fc247b8340c834b78b161c00ca576b";

const DECISION = "Always use Postgres instead of SQLite, because two services write at once.";
const RULES = ["Never run `git push --force` on main.", "Never run `npm publish` without asking me first."];
const SAID = [DECISION, ...RULES];
const FINDING = "The importer reads its files one after the other.";
const pathOf = (part: number): string => `src/part-${part}.txt`;
const FILES = Object.fromEntries(
  [0, 1, 2, 3, 4, 5].map((part) => [pathOf(part), `a line of part ${part}\n`.repeat(300)]),
);
const LONG = "some words about the importer ".repeat(900);
const OPTIONS = {
  microCompact: { floor: 1_000, keepRecent: 2, horizon: 10 },
  autoCompact: { threshold: 32_000 },
  sessionMemory: { updateThreshold: 2_048, toolCallThreshold: 3 },
};
/** It writes the notes' sections; the two others are the agent's. */
const WRITER = "m3";
const WRITTEN = "Something on the current state.";
const SECTIONS = HEADINGS.map(
  (heading) => `## ${heading}\n- Something on the ${heading.toLowerCase()}.`,
).join("\n\n");
/** What stands in a request for each of the layers that have been at work. */
const TRACES = [
  "[Strata] The session so far is too long for the context",
  WRITTEN,
  "[Strata] This mcp_blob result (60,000 bytes",
  "[Strata] Cleared: read result",
  "[Strata] This very call failed the same way",
  "[Strata] Noted in earlier sessions about what was just used.",
  FINDING,
];
const NEW_TRACES = [
  "[Strata] This very call failed the same way twice",
  "[Strata] This mcp_blob result (40,000 bytes",
  RULES[1] ?? "",
];
/** Nothing in them is ever changed; lines are added. */
const IS_GROWING = /\.jsonl$|^memory\/errors\.log$/;
const IS_FIXED = /^memory\/.*\.md$|^tool-results\/.*\.txt$/;
/** Tools new or defined in fewer words since: the first request after the upgrade pays for it, once. */
const OURS = "fork lease memory_keep memory_recall memory_remember memory_update send_message".split(" ");
const LAST_ANSWER = "The port is next.";
const PLAY_MS = 300_000;
const WAIT_MS = 60_000;

interface Played {
  /** The last request of the session before the upgrade. */
  last: ModelRequest;
  /** What either version sent when it went on. */
  earlier: readonly ModelRequest[];
  now: readonly ModelRequest[];
  /** The texts of the project's own files, by path. */
  before: ReadonlyMap<string, string>;
  after: ReadonlyMap<string, string>;
  /** What the command answered, and what a fork of the session sent first. */
  memory: string;
  forked: ModelRequest;
}

const isThere = hasCommit(EARLIER);
if (!isThere) process.stdout.write(`skipped: ${EARLIER} is not in the history here, a shallow clone?\n`);

describe.skipIf(!isThere)("a session of an earlier version", () => {
  let stage: Stage;
  let played: Played;
  let removePackage = (): void => {};

  beforeAll(async () => {
    const earlier = buildEarlierPackage(EARLIER);
    removePackage = earlier.remove;
    stage = await openStage({
      plugin: earlier.folder,
      mcp: true,
      files: FILES,
      options: OPTIONS,
      config: {
        snapshot: false,
        small_model: `mock/${WRITER}`,
        provider: { mock: { models: { [WRITER]: {} } } },
      },
    });
    played = await play(stage);
  }, PLAY_MS);

  afterAll(async () => {
    await stage?.close();
    removePackage();
  });

  it("has something of every layer in it", () => {
    expect(findMissing(TRACES, played.last)).toEqual([]);
  });

  it("sends all that it has sent in the same bytes", () => {
    const [first] = played.now;
    expect(first && firstDifference(played.last, first)).toBeUndefined();
    expect(firstDifference(played.last, played.forked)).toBeUndefined();
  });

  it("goes on with something new of its layers", () => {
    const request = played.now.at(-2);
    expect(findMissing(NEW_TRACES, request)).toEqual([]);
    expect(request?.toolResult("part 4")).toContain("[Strata] Cleared: read result");
  });

  it("sends what it would have sent without the upgrade, and so does the next one, which also learns what failed", () => {
    const differences = played.earlier.map((request, index) => findDifference(request, played.now[index]));
    expect(differences).toEqual(played.earlier.map(() => undefined));
    expect(played.now).toHaveLength(played.earlier.length);
    const told = played.now.map(({ prompt }) => FOREWARNING.test(prompt));
    expect(told).toEqual(played.earlier.map((_, index, { length }) => index === length - 1));
  });

  it("keeps its decisions, its ledger, its results and the memories", () => {
    const { after, before } = played;
    const growing = [...before].filter(([path]) => IS_GROWING.test(path));
    const fixed = [...before].filter(([path]) => IS_FIXED.test(path));
    expect(growing.length).toBeGreaterThanOrEqual(5);
    expect(fixed.length).toBeGreaterThanOrEqual(5);
    for (const [path, text] of growing) expect(after.get(path)?.slice(0, text.length), path).toBe(text);
    for (const [path, text] of fixed) expect(after.get(path), path).toBe(text);
  });

  it("leaves memories that the next one recalls, /memory tells of and validate finds sound", () => {
    const next = played.now.at(-1)?.textOf("user");
    for (const said of SAID) expect(next).toContain(said);
    expect(played.memory).toMatch(
      /^\[Strata\] \/memory\ncontext [\d.]+K.* · .* today\n\nThis session.*\n {2}Context +[\d.]+K/,
    );
    const { status, stderr, stdout } = strata(stage.project, "validate", "--strict");
    expect(`${stderr}${stdout}`).not.toMatch(/ERROR|WARN/i);
    expect(status).toBe(0);
  });
});

async function play(stage: Stage): Promise<Played> {
  const { model, project } = stage;
  const { id } = await stage.newSession("begun");
  // The writer of the notes, the subagent and the next session take nothing of the script.
  model.respond((request) => {
    if (request.body.model === WRITER) return say(SECTIONS);
    return request.sessionID === id ? undefined : say(FINDING);
  });
  await begin(stage, id);
  const last = findOwn(model.requests, id).at(-1);
  if (!last) throw new Error("the session has sent nothing");
  const disk = createSavedDisk(project);
  await stage.host.stop();
  const before = readFiles(project);
  await stage.restart({ meanwhile: disk.save });
  const earlier = await goOn(stage, id);
  await stage.restart({ config: { plugin: [[repository, OPTIONS]] }, meanwhile: disk.putBack });
  const now = await goOn(stage, id);
  const memory = await askMemory(stage.session(id));
  const forked = await fork(stage, id);
  await stage.host.stop();
  const after = readFiles(project);
  const bare = (request: ModelRequest): ModelRequest => withoutTools(request, OURS);
  const sent = { last: bare(last), forked: bare(forked), earlier: earlier.map(bare), now: now.map(bare) };
  return { ...sent, before, after, memory };
}

/** Resolves when the notes of the session have these words. */
async function whenNoted({ project }: Pick<Stage, "project">, id: string, words: string): Promise<void> {
  await whenFits(
    project.file(`.opencode/session-memory/${id}.md`),
    (text) => text.includes(words),
    words,
    WAIT_MS,
  );
}

const findOwn = (requests: readonly ModelRequest[], id: string): ModelRequest[] =>
  requests.filter(({ sessionID }) => sessionID === id);

/** A history that is cut, and after it something for each of the other layers to do. */
async function begin({ model, project, session }: Stage, id: string): Promise<void> {
  const turn = async (agentModel: string, text: string, ...steps: Step[]): Promise<void> => {
    model.script(...steps, say("Understood."));
    await session(id).ask(text, { model: agentModel });
  };
  for (const one of SAID) await turn("m2", one);
  const index = project.file(".opencode/memory/MEMORY.md");
  await whenFits(index, (text) => SAID.every((one) => text.includes(one.slice(0, 20))), "all", WAIT_MS);
  await turn("m2", `Part 1: ${LONG}`, calls(bash("ls"), bash("pwd"), bash("true")));
  await turn("m2", `Part 2: ${LONG}`);
  await whenNoted({ project }, id, WRITTEN);
  for (const part of [3, 4]) await turn("m2", `Part ${part}: ${LONG}`);
  const task = { description: "look", prompt: "Look at the importer.", subagent_type: "general" };
  await turn("m2", "Look at it.", call("task", task), call("mcp_blob", { bytes: 60_000 }));
  const reads = [0, 1, 2].map((part) => read(project, part));
  await turn("m2", "Read on.", calls(...reads), look("first"), look("second"));
  // Of all this the other model has nothing in its cache: old results go.
  await turn("m1", "Push it.", bash("echo git push --force"));
}

/** What the session sends when it goes on, and the one that is opened after it. The same words and ids at each call. */
async function goOn(stage: Stage, id: string): Promise<readonly ModelRequest[]> {
  const { model, project, session } = stage;
  const from = model.requests.length;
  const reads = [3, 4, 5].map((part) => read(project, part));
  const blob = call("mcp_blob", { bytes: 40_000 }, { id: "blob" });
  model.script(look("third"), calls(...reads), bash("echo npm publish", "publish"), blob, say("done"));
  await session(id).ask("Which database do we use, Postgres or SQLite?", { model: "m1" });
  model.script(say(LAST_ANSWER));
  await session(id).ask("And what next?", { model: "m2" });
  // The next one is told what this has left open: it has to have come to rest.
  await whenNoted(stage, id, LAST_ANSWER);
  const next = await stage.newSession("next");
  await next.ask("Good morning.", { model: "m1" });
  const sent = model.requests.slice(from);
  return [...findOwn(sent, id), ...findOwn(sent, next.id)];
}

const bash = (command: string, id?: string) =>
  call("bash", { command, description: "Run it" }, id === undefined ? {} : { id });
const look = (id: string) => bash("cat notes/plan.md", id);
const read = ({ file }: Project, part: number) =>
  call("read", { filePath: file(pathOf(part)) }, { id: `part ${part}` });

/** A command is not a turn: the host answers with an error, and shows what it said. */
async function askMemory(session: Session): Promise<string> {
  await session.slash("memory");
  const parts = (await session.messages()).flatMap((message) => message.parts);
  return parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : [])).join("\n");
}

async function fork({ model, session }: Stage, id: string): Promise<ModelRequest> {
  const copy = await session(id).fork();
  await copy.ask("Go on from here.", { model: "m1" });
  const [first] = findOwn(model.requests, copy.id);
  if (!first) throw new Error("the fork has sent nothing");
  return first;
}

function findMissing(traces: readonly string[], request: ModelRequest | undefined): string[] {
  const sent = request?.messages.map(({ content }) => JSON.stringify(content)).join("\n");
  return traces.filter((trace) => !sent?.includes(trace));
}

/** Where the bytes part, with what stands there; `undefined` where they are the same. */
/** The earlier release mentioned failures only after a repetition. */
const FOREWARNING = /\{"type":"text","text":"\[Strata\] Calls that failed here before(?:\\.|[^"\\])*"\},/;

function findDifference(one: ModelRequest, other: ModelRequest | undefined): string | undefined {
  const [a, b] = [one.prompt, other?.prompt.replace(FOREWARNING, "") ?? ""];
  if (a === b) return undefined;
  let at = 0;
  while (a[at] === b[at]) at++;
  const around = (text: string): string => text.slice(Math.max(0, at - 40), at + 80);
  return `${JSON.stringify(around(a))} has become ${JSON.stringify(around(b))}`;
}

/** All that the host and its plugins have on disk, times and links as they are. */
function createSavedDisk({ root }: Project) {
  const folder = `${root}-saved`;
  const release = entrust({ folder });
  const asItIs = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  return {
    save: () => cpSync(root, folder, asItIs),
    putBack() {
      for (const name of readdirSync(root)) removeFolder(join(root, name));
      cpSync(folder, root, asItIs);
      removeFolder(folder);
      release();
    },
  };
}

function readFiles({ file }: Project): Map<string, string> {
  const folder = file(".opencode");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const own = paths.filter(
    (path) => !path.startsWith("node_modules") && statSync(join(folder, path)).isFile(),
  );
  return new Map(own.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
