/** What makes room in a full context: one batch that clears for long, or notes; and how long that holds. */
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/context/context-size.js";
import type { Message, ToolPart } from "../../src/io/message.js";
import { call, lines, outputs } from "../support/messages.js";
import { createSession, MODEL } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

/** Tokens of system prompt and tools, as the provider counts them. */
const FIXED = 4_000;
const BUDGET = 30_000;
const LINES_OF_A_THOUSAND_TOKENS = 95;
/** Nothing is cleared for another reason: a warm cache pays nothing back within a request. */
const options = {
  autoCompact: { threshold: BUDGET },
  microCompact: { floor: 0, horizon: 1, keepRecent: 2 },
};

interface Work {
  /** Size of each request in tokens. */
  sizes: number[];
  /** Tokens that each request added to the one before. */
  added: number[];
  /** The requests at which room was made. */
  rooms: number[];
  /** The history as it was sent with them. */
  views: (readonly Message[])[];
  world: World;
}

interface WorkOptions {
  given?: Record<string, unknown>;
  /** Called before each request. */
  before?: (world: World, request: number) => Promise<void>;
}

/** Plays one request for each list of calls, and counts tokens as a provider does. */
async function play(
  steps: readonly ToolPart[][],
  { given = options, before }: WorkOptions = {},
): Promise<Work> {
  const world = await openWorld({ options: given });
  const session = createSession(world.clock);
  const work: Work = { sizes: [], added: [], rooms: [], views: [], world };
  session.user("go");
  for (const [request, calls] of steps.entries()) {
    if (request % 7 === 6) session.user(`and then ${request}`);
    await before?.(world, request);
    const known = countRooms(world);
    const view = await world.request([...session.messages]);
    if (countRooms(world) > known) work.rooms.push(request);
    const sent = FIXED + estimateTokens(view);
    work.sizes.push(sent);
    work.views.push(view);
    work.added.push(estimateTokens([{ info: { id: "", role: "", sessionID: "" }, parts: calls } as Message]));
    session.answer(calls, { sent });
  }
  return work;
}

function countRooms(world: World): number {
  const isForRoom = ({ reason = "" }: { reason?: string }): boolean =>
    reason.startsWith("the context has about");
  return world.ledger("ses_1", "cleared", "cut").filter(isForRoom).length;
}

const result = (n: number, tool: string, tokens = 1_000): ToolPart =>
  call(tool, `${n} ${lines(Math.ceil((tokens / 1_000) * LINES_OF_A_THOUSAND_TOKENS))}`, {
    state: { input: { command: `make ${n}` } },
  });

const results = (count: number, tool: string, tokens = 1_000): ToolPart[][] =>
  Array.from({ length: count }, (_, n) => [result(n, tool, tokens)]);

const isCleared = (text: string): boolean => text.startsWith("[Strata] Cleared");

describe("a full context", () => {
  it("a full context is cleared of all that may go, in one batch, if that frees a third of the budget and leaves at most half", async () => {
    const { rooms, sizes, views, world } = await play(results(40, "bash"));
    const [first = 0] = rooms;
    const shown = outputs(views[first] ?? []);
    expect(shown.map(isCleared)).toEqual(shown.map((_, index) => index < shown.length - 2));
    expect(world.ledger("ses_1", "cut")).toEqual([]);
    expect((sizes[first] ?? 0) + BUDGET / 3).toBeLessThan(sizes[first - 1] ?? 0);
    expect(sizes[first]).toBeLessThanOrEqual(BUDGET / 2);
  });

  it("a full context of which less than a third may go keeps it all, and notes replace the history", async () => {
    const mixed = results(40, "task").map((calls, n) => (n % 5 === 0 ? [result(n, "bash")] : calls));
    const { rooms, sizes, world } = await play(mixed);
    const [first = 0] = rooms;
    expect(world.ledger("ses_1", "cleared")).toEqual([]);
    expect(world.ledger("ses_1", "cut")).toHaveLength(rooms.length);
    expect(sizes[first]).toBeLessThanOrEqual(BUDGET / 2);
  });

  it.each(["bash", "task"])(
    "a full context of %s results has room for twenty requests that half of the budget holds",
    async (tool) => {
      const { rooms, sizes } = await play(results(90, tool, 600));
      expect(rooms.length).toBeGreaterThan(1);
      for (const [n, room] of rooms.entries()) {
        expect(sizes[room]).toBeLessThanOrEqual(BUDGET / 2);
        if (n > 0) expect(room - (rooms[n - 1] ?? 0)).toBeGreaterThan(20);
      }
    },
  );
});

describe("a full context without notes", () => {
  /** Every sixth result may be cleared, which is never a third of the budget. */
  const steps = results(170, "task", 400).map((calls, n) => (n % 6 === 0 ? [result(n, "bash", 400)] : calls));
  const off = { ...options, autoCompact: { enabled: false, threshold: BUDGET } };

  it("a full context without notes is cleared of whatever may go, and again when that frees an eighth of the budget", async () => {
    const { rooms, sizes, views, world } = await play(steps, { given: off });
    const [first = 0, second = 0] = rooms;
    expect(sizes[first - 1]).toBeGreaterThan(BUDGET * 0.9);
    const spared = outputs(views[first] ?? []).filter((text, index) => !isCleared(text) && index % 6 === 0);
    expect(spared.length).toBeLessThanOrEqual(1);
    expect(rooms.length).toBeGreaterThan(1);
    expect(second - first).toBeGreaterThanOrEqual(20);
    expect(world.ledger("ses_1", "cut")).toEqual([]);
  });

  it("a full context without notes is cleared at once when the model's window is nearly full", async () => {
    const window = { contextTokens: 33_000, outputTokens: 0 };
    const learn = (world: World) =>
      world.strata.dispatcher.ask("modelWindow", { sessionID: "ses_1", model: MODEL, window }, undefined);
    const { rooms, sizes } = await play(steps, { given: off, before: learn });
    const gaps = rooms.slice(1).map((room, n) => room - (rooms[n] ?? 0));
    expect(Math.min(...gaps)).toBeLessThan(20);
    for (const [n, room] of rooms.entries()) {
      if (n > 0 && (gaps[n - 1] ?? 0) < 20) expect(sizes[room - 1]).toBeGreaterThan(33_000 * 0.88);
    }
  });
});
