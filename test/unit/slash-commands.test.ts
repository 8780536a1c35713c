import type { Hooks } from "@opencode-ai/plugin";
import { describe, expect, it } from "vitest";
import { sumAddedTokens } from "../../layers/always/memory-page.js";
import { StrataError } from "../../src/base/error.js";
import type { Outcome } from "../../src/context/decision-batch.js";
import type { KnownDecision } from "../../src/context/replay.js";
import { CommandAnswered } from "../../src/host/1/hooks.js";
import type { Message } from "../../src/io/message.js";
import type { SlashCommand } from "../../src/kernel/layer.js";
import { PROJECT } from "../support/fake-host.js";
import { bindTestHooks } from "../support/hooks.js";
import { answer, call, lines, user } from "../support/messages.js";
import { createSession, MODEL } from "../support/session.js";
import { runStrata } from "../support/shell.js";
import { type LayerFactory, openWorld, typeCommand, type World } from "../support/world.js";

const layerWith = (execute: SlashCommand["execute"]): LayerFactory => {
  const command = { name: "echo", description: "says it again", execute };
  return () => ({ name: "echoing", handlers: {}, commands: [command] });
};

async function open(execute: SlashCommand["execute"] = async ({ words }) => words, canShow = true) {
  const world = await openWorld({ layers: [layerWith(execute)] });
  const bound = bindTestHooks(world.strata, { canShow });
  const config: Record<string, unknown> = {};
  await bound.hooks.config?.(config as never);
  return { ...bound, config, world };
}

/** Calls a command as the host does; what it would send afterwards, or what was thrown. */
async function run(hooks: Hooks, command: string, words = ""): Promise<unknown> {
  const output = { parts: [{ type: "text", text: "template" }] };
  const input = { command, arguments: words, sessionID: "ses_1" };
  try {
    await hooks["command.execute.before"]?.(input, output as never);
    return output.parts;
  } catch (thrown) {
    return thrown;
  }
}

const say = (hooks: Hooks, type: string, properties: object) =>
  hooks.event?.({ event: { type, properties: { sessionID: "ses_1", ...properties } } as never });

it("a slash command is in the host's list beside those of the user, whose own of that name stays theirs", async () => {
  const { hooks, config } = await open();
  expect(config.command).toMatchObject({
    context: { template: "$ARGUMENTS", description: expect.stringContaining("drop, pin") },
    echo: { template: "$ARGUMENTS", description: "says it again" },
    memory: { template: "$ARGUMENTS", description: expect.stringContaining("Strata") },
  });
  const mine = { template: "my own" };
  const users = { command: { echo: mine, deploy: mine } };
  const other = await open();
  await other.hooks.config?.(users as never);
  expect(users.command).toMatchObject({ echo: mine, deploy: mine, memory: {} });
  expect(await run(hooks, "deploy")).toEqual([{ type: "text", text: "template" }]);
});

it("a slash command is answered with what was typed, quotes and newlines too, and ends before it becomes a turn", async () => {
  const { hooks, shown } = await open();
  const words = `one "two three" 'x' $1\nsecond line`;
  expect(await run(hooks, "echo", words)).toBeInstanceOf(CommandAnswered);
  expect(shown).toEqual([["ses_1", `[Strata] /echo\n${words}`]]);
});

it("a slash command that cannot be done says why; one that fails or hangs ends all the same", async () => {
  const refusing = await open(async () => {
    throw new StrataError("NO_SUCH", "there is none of that name; /memory lists them");
  });
  await run(refusing.hooks, "echo");
  expect(refusing.shown[0]?.[1]).toBe("[Strata] /echo: there is none of that name; /memory lists them");
  const failing = await open(async () => {
    throw new Error("out of ink");
  });
  expect(await run(failing.hooks, "echo")).toBeInstanceOf(CommandAnswered);
  expect(failing.shown[0]?.[1]).toContain("/echo failed: out of ink");
  expect(await failing.world.log()).toContain("ERROR commands      /echo failed: out of ink");
  const hanging = await open(() => new Promise(() => {}));
  const ended = run(hanging.hooks, "echo");
  await Promise.resolve();
  hanging.world.clock.advance(5_000);
  expect(await ended).toBeInstanceOf(CommandAnswered);
  expect(hanging.shown[0]?.[1]).toContain("did not finish within 5000 ms");
});

it("a slash command called while a turn is under way is answered when that is over", async () => {
  const { hooks, shown, world } = await open();
  await say(hooks, "session.status", { status: { type: "busy" } });
  expect(await run(hooks, "echo", "one")).toBeInstanceOf(CommandAnswered);
  expect([shown, world.host.toasts.length]).toEqual([[], 1]);
  await say(hooks, "session.idle", {});
  await say(hooks, "session.idle", {});
  expect(shown).toEqual([["ses_1", "[Strata] /echo\none"]]);
  await run(hooks, "echo", "two");
  expect(shown).toHaveLength(2);
});

it("a slash command whose answer the host does not show is repeated by the model", async () => {
  const { hooks } = await open(undefined, false);
  expect(await run(hooks, "echo", "this")).toEqual([
    { type: "text", text: expect.stringMatching(/^Repeat this .*\n\n\[Strata\] \/echo\nthis$/) },
  ]);
});

it("a command of somebody else's is heard of by the layers, with the texts that it sends; ours is not", async () => {
  const heard: unknown[] = [];
  const listening: LayerFactory = () => ({
    name: "listening",
    handlers: { command: ({ texts }) => void heard.push(...texts) as undefined },
  });
  const world = await openWorld({ layers: [listening] });
  const { hooks } = bindTestHooks(world.strata);
  await hooks.config?.({});
  await run(hooks, "memory");
  expect(heard).toEqual([]);
  await run(hooks, "deploy");
  expect(heard).toEqual(["template"]);
});

const shown: Message = { ...user("[Strata] /memory"), parts: [{ type: "text", text: "x", ignored: true }] };

it("an answer that is shown and not sent is nothing that layers see: neither a request, nor a turn", async () => {
  const seen: unknown[] = [];
  const listening: LayerFactory = () => ({
    name: "listening",
    handlers: {
      context: (_request, messages) => void seen.push(messages.length) as undefined,
      turn: () => void seen.push("turn") as undefined,
    },
  });
  const world = await openWorld({ layers: [listening] });
  const { hooks } = bindTestHooks(world.strata);
  const messages = [user("go"), answer([]), shown, user("on")];
  await hooks["experimental.chat.messages.transform"]?.({}, { messages: messages as never });
  await hooks["chat.message"]?.({ sessionID: "ses_1" }, {
    message: shown.info,
    parts: shown.parts,
  } as never);
  expect(seen).toEqual([3]);
  expect(messages).toContain(shown);
});

describe("/memory", () => {
  const ask = (world: World): Promise<string> => typeCommand(world, "memory");

  it("/memory shows this session, all sessions, and problems", async () => {
    const world = await openWorld();
    await world.request([user("go"), answer([call("bash", lines(2_000))])]);
    await world.strata.idle();
    const text = await ask(world);
    const [headline, session, project, memory, state] = text.split("\n\n");
    expect(headline).toMatch(/^context [\d.]+K · nothing saved yet today$/);
    expect(session).toMatch(
      /^This session\n {2}Context +about [\d.]+K tokens; the model has not answered yet\n {2}Made of +/,
    );
    expect(session).toMatch(
      /^ {2}Removed by +tool-results 20K tokens\n {2}Added by +tool-results \d{3} tokens$/m,
    );
    expect(session).toMatch(/^ {2}Balance +nothing saved yet$/m);
    expect(session).toMatch(/^ {2}Auto summaries +on: /m);
    expect(project).toMatch(/^This project: 1 session\n {2}Today +/);
    expect(project).toContain("1 result moved to files");
    expect(memory).toMatch(/^Memory\n {2}Memories +none$/);
    expect(state).toMatch(/^State\n {2}Switched on +toolResults, microCompact/);
    expect(state).toMatch(/^ {2}Own model calls +100 calls and 200K tokens left today/m);
    expect(text).not.toContain("\u001b");
  });

  it("/memory says that OpenCode summarises at the limit where the settings say that notes never replace history", async () => {
    const limitOf = async (agents: object) => {
      const world = await openWorld({ options: { autoCompact: { agents } } });
      const window = { contextTokens: 200_000, outputTokens: 8_000 };
      const asked = { sessionID: "ses_1", model: MODEL, window };
      await world.strata.dispatcher.ask("modelWindow", asked, undefined);
      const session = createSession(world.clock);
      session.user("go");
      await world.request(session.messages);
      await world.strata.idle();
      return /^ {2}Limit +(.*)$/m.exec(await ask(world))?.[1];
    };
    expect(await limitOf({})).toMatch(/of 50K tokens; notes replace history/);
    expect(await limitOf({ build: false })).toMatch(/of 192K tokens; OpenCode summarises there/);
  });

  it("/memory names open blockers and undecided conflicts, and neither once they are settled", async () => {
    const world = await openWorld();
    const folder = `${PROJECT}/.opencode/memory`;
    await world.files.writeWhole(`${folder}/blocker/ci.md`, "---\ntitle: CI has no browser\n---\nx\n");
    await world.files.writeWhole(
      `${folder}/blocker/old.md`,
      "---\ntitle: No licence\nstatus: resolved\n---\nx\n",
    );
    await world.files.writeWhole(`${folder}/private/blocker/mine.md`, "The key has expired\n");
    const say = (words: string) =>
      runStrata(world.files, `remember --type decision --title Harbour ${words}`);
    await say("ships land at pier four");
    await say("cranes belong to the city");
    const text = await ask(world);
    expect(text).toMatch(/^ {2}Memories +5: decision 2, blocker 3$/m);
    expect(text).toMatch(
      /^ {2}Open blockers +CI has no browser \(blocker\/ci\)\n +The key has expired \(private\/blocker\/mine\)$/m,
    );
    expect(text).toMatch(
      /^1 thing waits for you \(strata todo\)\n {2}- two versions of "Harbour": decision\/harbour and decision\/harbour-2:\s+strata reconcile harbour-\w+\s+--keep this$/m,
    );
    await runStrata(world.files, "memory archive harbour-2");
    expect(await ask(world)).not.toContain("for you");
  });
});

const decision = (key: string, outcome: Outcome, layer: string, at: number): KnownDecision => ({
  key,
  outcome,
  layer,
  at,
  session: "ses_1",
  text: "word".repeat(10),
});

it("tokens that layers add are those of current texts: the marker that replaced a preview, and nothing from before a cut", () => {
  const before = [
    decision("a", "replaced", "tool-results", 1),
    decision("a", "extended", "errors", 2),
    decision("b", "extended", "across-agents/edits", 3),
  ];
  expect(sumAddedTokens(before)).toEqual({ "tool-results": 10, errors: 10, "across-agents": 10 });
  const cleared = [...before, decision("a", "cleared", "micro-compact", 4)];
  expect(sumAddedTokens(cleared)).toEqual({ "across-agents": 10, "micro-compact": 10 });
  expect(sumAddedTokens([...cleared, decision("c", "cut", "full-compact", 5)])).toEqual({
    "full-compact": 10,
  });
});
