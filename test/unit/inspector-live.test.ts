/** The inspector's live stream: what a listener receives, and the bounds on its cost. */
import { describe, expect, it } from "vitest";
import type { LiveEvent, Topic } from "../../src/cli/inspector/answers.js";
import {
  createLive,
  findChanged,
  type Live,
  MOST_LISTENERS,
  type Stamp,
} from "../../src/cli/inspector/live.js";
import { createFakeClock, type FakeClock } from "../support/fake-clock.js";

const TOPICS: Record<string, readonly Topic[]> = { overview: ["sessions", "memories"], log: ["log"] };

interface Stage {
  clock: FakeClock;
  live: Live;
  /** Stamps by topic; tests change them as a write on disk does. */
  stamps: Record<string, string>;
  looks(): number;
  answered: string[];
}

function openStage({ refuse, takesMs = 0 }: { refuse?: string; takesMs?: number } = {}): Stage {
  const clock = createFakeClock();
  const stamps: Record<string, string> = { sessions: "1", memories: "1", log: "1" };
  const answered: string[] = [];
  let looks = 0;
  const live = createLive({
    clock,
    topicsOf: (address) => TOPICS[address] ?? [],
    async look() {
      looks++;
      return new Map(
        Object.entries(stamps).map(([topic, stamp]): [string, Stamp] => [
          topic,
          { topics: [topic as Topic], stamp },
        ]),
      );
    },
    async answer(address) {
      answered.push(address);
      clock.advance(takesMs);
      if (address === refuse) throw new Error("it cannot be read");
      return { of: address, stamps: { ...stamps } };
    },
  });
  return { clock, live, stamps, looks: () => looks, answered };
}

/** Runs everything that is due. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
}

async function pass(stage: Stage, seconds = 1): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await settle();
    stage.clock.advance(1_000);
  }
  await settle();
}

interface Heard {
  events: LiveEvent[];
  texts: string[];
  isOver: boolean;
  stop(): void;
}

/** Listens as a browser does, reading at once. */
async function listen({ live }: Stage, ...addresses: string[]): Promise<Heard> {
  const abort = new AbortController();
  const response = live.open(addresses, abort.signal);
  if (!response?.body) throw new Error("expected a stream");
  const heard: Heard = { events: [], texts: [], isOver: false, stop: () => abort.abort() };
  void (async () => {
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const text = new TextDecoder().decode(bytes);
      heard.texts.push(text);
      const [, data] = /^event: answer\ndata: (.*)\n\n$/s.exec(text) ?? [];
      if (data !== undefined) heard.events.push(JSON.parse(data));
    }
    heard.isOver = true;
  })();
  await settle();
  return heard;
}

describe("the live stream", () => {
  it("a listener gets its views at once, and again when their topics change", async () => {
    const stage = openStage();
    const heard = await listen(stage, "overview", "log");
    expect(heard.events.map(({ address }) => address)).toEqual(["overview", "log"]);
    await pass(stage, 3);
    expect(heard.events).toHaveLength(2);
    stage.stamps.memories = "2";
    await pass(stage);
    expect(heard.events.slice(2)).toEqual([
      { address: "overview", value: { of: "overview", stamps: expect.objectContaining({ memories: "2" }) } },
    ]);
    stage.stamps.log = "2";
    await pass(stage);
    expect(heard.events.at(-1)?.address).toBe("log");
    heard.stop();
    await settle();
    expect(heard.isOver).toBe(true);
  });

  it("no file is checked while nobody listens", async () => {
    const stage = openStage();
    await pass(stage, 5);
    await stage.live.look();
    expect(stage.looks()).toBe(0);
    const heard = await listen(stage, "log");
    await pass(stage, 2);
    heard.stop();
    const before = stage.looks();
    expect(before).toBeGreaterThan(1);
    await pass(stage, 5);
    expect(stage.looks()).toBeLessThanOrEqual(before + 1);
  });

  it("a failed answer is sent with its reason, and the others still come", async () => {
    const heard = await listen(openStage({ refuse: "overview" }), "overview", "log");
    expect(heard.events).toEqual([
      { address: "overview", error: expect.stringContaining("it cannot be read") },
      expect.objectContaining({ address: "log" }),
    ]);
    heard.stop();
  });

  it("a change triggers a check without waiting for the next second", async () => {
    const stage = openStage();
    const heard = await listen(stage, "overview");
    stage.stamps.sessions = "2";
    await stage.live.look();
    await settle();
    expect(heard.events).toHaveLength(2);
    heard.stop();
  });

  it("a listener beyond the limit is refused until another one leaves", async () => {
    const stage = openStage();
    const all = await Promise.all(Array.from({ length: MOST_LISTENERS }, () => listen(stage, "log")));
    expect(stage.live.open(["log"], new AbortController().signal)).toBeUndefined();
    all[0]?.stop();
    await settle();
    const next = await listen(stage, "log");
    expect(next.events).toHaveLength(1);
    for (const one of [...all, next]) one.stop();
  });

  it("a listener that does not read has each address pending once, however often it changes", async () => {
    const stage = openStage();
    const body = stage.live.open(["overview", "log"], new AbortController().signal)?.body;
    for (let n = 0; n < 30; n++) {
      stage.stamps.sessions = `${n}`;
      stage.stamps.log = `${n}`;
      await pass(stage);
    }
    expect(stage.answered.length).toBeLessThanOrEqual(2);
    const reader = body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toBe("retry: 2000\n\n");
    await settle();
    const second = new TextDecoder().decode((await reader?.read())?.value);
    expect(second).toContain('"sessions":"29"');
    await reader?.cancel();
  });

  it("slow answers are computed less often: at most a tenth of the time", async () => {
    const stage = openStage({ takesMs: 500 });
    const heard = await listen(stage, "overview");
    const before = stage.answered.length;
    for (let second = 0; second < 50; second++) {
      stage.stamps.sessions = `${second}`;
      await pass(stage);
    }
    expect(stage.answered.length - before).toBeLessThanOrEqual(11);
    expect(stage.answered.length - before).toBeGreaterThan(5);
    heard.stop();
  });

  it("paths that change, appear or disappear report their topics, each once", () => {
    const of = (stamp: string, ...topics: Topic[]): Stamp => ({ stamp, topics });
    const before = new Map([
      ["a", of("1", "sessions")],
      ["b", of("1", "log")],
    ]);
    const now = new Map([
      ["a", of("2", "sessions", "agenda")],
      ["b", of("1", "log")],
      ["c", of("1", "sessions")],
    ]);
    expect(findChanged(before, now)).toEqual(["sessions", "agenda"]);
    expect(findChanged(now, now)).toEqual([]);
  });
});
