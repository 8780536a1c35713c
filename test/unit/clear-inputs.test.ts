import { describe, expect, it } from "vitest";
import { isToolPart, type Message, type ToolPart } from "../../src/io/message.js";
import { findRefusal } from "../../src/kernel/hooks.js";
import { PROJECT } from "../support/fake-host.js";
import { call, lines } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const HOUR = 3_600_000;
const options = { microCompact: { floor: 0, keepRecent: 0 } };
type Input = Record<string, unknown>;

/** One answer for each of these calls, and one more; then an hour of silence, after which the cache is cold. */
async function talk(calls: readonly ToolPart[], given: Record<string, unknown> = options) {
  const world = await openWorld({ options: given });
  const session = createSession(world.clock);
  session.user("go");
  for (const one of calls) session.answer([one]);
  session.answer([]);
  world.clock.advance(HOUR);
  session.user("go on");
  return { world, session };
}

const made = (tool: string, input: Input, state: Partial<ToolPart["state"]> = {}): ToolPart =>
  call(tool, "ok", { state: { input, ...state } });
const write = (path: string, content = lines(60)) => made("write", { filePath: path, content });
const todos = (...contents: string[]) =>
  made("todowrite", {
    todos: contents.map((content) => ({ content, status: "completed", priority: "low" })),
  });
const long = (name: string) => name.repeat(600);

function inputs(messages: readonly Message[]): Input[] {
  return messages.flatMap(({ parts }) => parts.filter(isToolPart).map(({ state }) => ({ ...state.input })));
}

async function show(world: World, { messages }: Pick<Session, "messages">): Promise<Input[]> {
  return inputs(await world.request(messages));
}

/** Which of the inputs are shown cleared, by their place. */
async function findCleared(world: World, session: Pick<Session, "messages">): Promise<number[]> {
  const shown = await show(world, session);
  return shown.flatMap((one, index) => (JSON.stringify(one).includes("[Strata] Cleared") ? [index] : []));
}

function readFile(world: World, marker: unknown): string | undefined {
  const path = /whole input in ([^\s;]+)/.exec(String(marker))?.[1];
  return world.files.text(`${PROJECT}/${path}`);
}

it("long inputs of old calls say what was written where and how much, and lie whole on disk", async () => {
  const patch = `*** Begin Patch\n*** Update File: a.ts\n${lines(30)}\n*** Add File: b.ts\n${lines(30)}`;
  const { world, session } = await talk([
    made("write", { filePath: `${PROJECT}/a.ts`, content: lines(60) }),
    made("edit", { filePath: "a.ts", oldString: lines(20), newString: lines(30), replaceAll: true }),
    made("apply_patch", { patchText: patch }),
    made("bash", { command: `cat > a.py <<EOF\n${lines(60)}\nEOF`, description: "write it" }),
  ]);
  const [written, edited, patched, ran] = await show(world, session);
  expect(written?.filePath).toBe(`${PROJECT}/a.ts`);
  expect(written?.content).toMatch(/^\[Strata\] Cleared: 60 lines written; whole input in \.open/);
  expect(readFile(world, written?.content)).toContain(`content:\n${lines(60)}`);
  expect(edited).toMatchObject({ filePath: "a.ts", replaceAll: true });
  expect(edited?.oldString).toBe("[Strata] Cleared: 20 lines");
  expect(edited?.newString).toMatch(/^\[Strata\] Cleared: 30 lines; whole input in /);
  expect(readFile(world, edited?.newString)).toContain(`oldString:\n${lines(20)}`);
  expect(patched?.patchText).toContain("patch of a.ts, b.ts, 63 lines");
  expect(ran?.command).toMatch(/^cat > a\.py <<EOF … \[Strata\] Cleared: 62 lines; /);
  expect(ran?.description).toBe("write it");
  expect(readFile(world, ran?.command)).toContain(lines(60));
});

it("long inputs of old calls stay, with all else, if they cannot be written to disk", async () => {
  const { world, session } = await talk([write("a.ts")]);
  const full = await openWorld({
    ...world,
    options,
    wrap: (inner) => ({
      ...inner,
      writeWhole: async (path, data) =>
        path.includes("tool-results/") ? Promise.reject(new Error("ENOSPC")) : inner.writeWhole(path, data),
    }),
  });
  expect(await findCleared(full, session)).toEqual([]);
  expect(world.decisions().filter(({ outcome }) => outcome === "cleared")).toEqual([]);
});

describe("inputs that are never cleared", () => {
  it("inputs that are never cleared are short ones, those of other tools, and those of calls that failed", async () => {
    const { world, session } = await talk([
      made("write", { filePath: "a.ts", content: "x".repeat(119) }),
      made("task", { prompt: lines(60) }),
      made("mcp_write", { content: lines(60) }),
      made("write", { filePath: "a.ts", content: lines(60) }, { status: "error", error: "no" }),
      made("bash", { command: lines(60) }, { metadata: { exit: 1 } }),
      made("bash", { command: lines(60) }, { metadata: { exit: null } }),
    ]);
    expect(await findCleared(world, session)).toEqual([]);
  });

  it("inputs that are never cleared are those of the newest calls, and those that the model has not seen", async () => {
    const given = { microCompact: { floor: 0, keepRecent: 2 } };
    const { world, session } = await talk([write("a.ts"), write("b.ts"), write("c.ts")], given);
    expect(await findCleared(world, session)).toEqual([0]);
    const fresh = await talk([]);
    fresh.session.answer([write("a.ts")]);
    fresh.world.clock.advance(HOUR);
    expect(await findCleared(fresh.world, fresh.session)).toEqual([]);
  });

  it("of todo lists the newest stays, and superseded ones go although they are among the newest calls", async () => {
    const given = { microCompact: { floor: 0, keepRecent: 5 } };
    const lists = [todos(long("a")), todos(long("b"), long("c")), todos(long("d"))];
    const { world, session } = await talk(lists, given);
    expect(await findCleared(world, session)).toEqual([0, 1]);
    const [, second] = await show(world, session);
    expect(second?.todos).toMatchObject([{ status: "completed", priority: "low" }]);
    expect(JSON.stringify(second)).toContain("Cleared: 2 todos, replaced by a later list; whole input in");
  });
});

it("a new call that repeats a marker does not run, so that no marker gets into a file; one that quotes it does", async () => {
  const calls = [
    write("a.ts"),
    made("edit", { filePath: "a.ts", oldString: lines(20), newString: lines(30) }),
    made("bash", { command: `make\n${lines(60)}` }),
    todos(long("a")),
    todos("b"),
  ];
  const { world, session } = await talk(calls);
  const shown = await show(world, session);
  const ask = (tool: string, args: Input = {}) =>
    world.strata.dispatcher.ask("toolArguments", { tool, sessionID: "ses_1", callID: "c" }, args);
  for (const [index, { tool }] of calls.slice(0, 4).entries())
    expect(findRefusal(await ask(tool, shown[index]))).toContain("Expected the whole text");
  for (const { tool, state } of calls) expect(findRefusal(await ask(tool, state.input))).toBeUndefined();
  const quoted = `// ${shown[0]?.content}`;
  expect(findRefusal(await ask("write", { filePath: "a.ts", content: quoted }))).toBeUndefined();
});
