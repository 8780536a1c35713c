/** The embedder of `recall.embeddings`: its bounds, and what it never sends. */
import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import { createMemorySearch, type Found } from "../../src/memory/search/search.js";
import { allSeen } from "../support/all-seen.js";
import { answerAll, answerWith, embedApart, startEmbeddingServer } from "../support/embedding-server.js";
import {
  createFakePost,
  type EmbeddingWorld,
  FOLDERS,
  listInputs,
  openEmbeddingWorld,
} from "../support/embedding-world.js";
import { measure } from "../support/fake-clock.js";
import { createKeptMemories } from "../support/kept-memories.js";
import { remembered } from "../support/memories.js";
import { createMemoryFiles } from "../support/memory-files.js";

const LOCAL = { url: "http://localhost:11434" };
const REMOTE = { url: "https://x.example/v1" };
const CAR = "my car is red";

describe("what is sent", () => {
  it("secrets are removed first, also one that the bound would cut", async () => {
    const { post, sent } = createFakePost();
    const { embedder } = openEmbeddingWorld({ settings: LOCAL, post });
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    await embedder.embed([`the token is ${token}`, `${"x ".repeat(740)}${token} tail`]);
    await embedder.embedQuery(`where is ${token} used`);
    expect(sent).toHaveLength(2);
    expect(listInputs(sent).join()).not.toContain("ghp_");
    for (const text of listInputs(sent)) expect(text.length).toBeLessThanOrEqual(1_500);
  });

  it("foreign memories are never sent, and private ones only to this machine or where it is allowed", () => {
    const mayEmbed = (settings: object, env: Record<string, string> = {}) => {
      const { embedder } = openEmbeddingWorld({ settings, env });
      const internal = { sensitivity: "internal" } as const;
      const secret = { sensitivity: "private" } as const;
      return [internal, secret, { ...internal, isForeign: true } as const].map(embedder.mayEmbed);
    };
    expect(mayEmbed(LOCAL)).toEqual([true, true, false]);
    expect(mayEmbed(REMOTE)).toEqual([true, false, false]);
    expect(mayEmbed({ ...REMOTE, allowPrivate: true })).toEqual([true, true, false]);
    expect(mayEmbed(LOCAL, { http_proxy: "http://proxy:3128" })).toEqual([true, false, false]);
  });

  it("what was said goes where private memories may go, and no vector of it is kept", async () => {
    const { post, sent } = createFakePost();
    const { embedder, files } = openEmbeddingWorld({ settings: LOCAL, post });
    await embedder.unkept?.embed([CAR]);
    await embedder.onIdle();
    expect([listInputs(sent), [...files.contents.keys()]]).toEqual([[CAR], []]);
    expect(openEmbeddingWorld({ settings: REMOTE }).embedder.unkept).toBeUndefined();
  });

  it("nothing is sent if background.enabled is false", async () => {
    const { post, sent } = createFakePost();
    const { embedder } = openEmbeddingWorld({ settings: LOCAL, background: { enabled: false }, post });
    await expect(embedder.embed([CAR])).rejects.toThrow("background.enabled is false");
    expect(await embedder.embedQuery(CAR)).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it("another machine may use half of the day's budget, and this one costs nothing", async () => {
    const { post, sent } = createFakePost();
    const background = { dailyCalls: 5 };
    const remote = openEmbeddingWorld({ settings: REMOTE, background, post });
    for (const text of ["one", "two"]) await remote.embedder.embed([text]);
    await expect(remote.embedder.embed(["three"])).rejects.toThrow("half of the daily budget");
    expect(remote.files.text(`${FOLDERS.background}/2026-11-21.jsonl`)).toContain("embed memories");
    const local = openEmbeddingWorld({ settings: LOCAL, background, post });
    for (const text of ["one", "two", "three"]) await local.embedder.embed([text]);
    expect(listInputs(sent)).toEqual(["one", "two", "one", "two", "three"]);
  });
});

describe("an endpoint that fails", () => {
  it("a query waits for a second at most, and meanwhile others are answered at once, without a vector", async () => {
    await using server = await startEmbeddingServer(() => {});
    const { clock, embedder } = openEmbeddingWorld({ settings: { url: server.url } });
    const first = embedder.embedQuery("red car");
    await server.whenAsked(1);
    expect(await embedder.embedQuery("another")).toBeUndefined();
    expect(await measure(clock, first)).toEqual({ answer: undefined, tookMs: 1_000 });
    expect(server.requests).toHaveLength(1);
  });

  it("a query's vector that comes too late serves the next such query", async () => {
    const late: (() => void)[] = [];
    await using server = await startEmbeddingServer((...asked) => void late.push(() => answerAll(...asked)));
    const { clock, embedder } = openEmbeddingWorld({ settings: { url: server.url } });
    const first = embedder.embedQuery("red car");
    await server.whenAsked(1);
    expect((await measure(clock, first)).answer).toBeUndefined();
    late[0]?.();
    await until(async () => (await embedder.embedQuery("red car")) !== undefined);
    expect(server.requests).toHaveLength(1);
  });
});

describe("recall with an embedder", () => {
  const named = (found: readonly Found[]): string[] =>
    found.flatMap((one) => (one.kind === "memory" ? [one.memory.id] : []));
  const vehicle = remembered("fleet", "Every vehicle is serviced in March");
  const dock = remembered("dock", "The harbour opens at six");
  const secret = remembered("secret", "My kitten is called Rex", { sensitivity: "private" });
  const foreign = remembered("foreign", "Deliver before the deadline", { isForeign: true });

  function openSearch({ clock, embedder, files, log }: EmbeddingWorld) {
    const listed = createKeptMemories(vehicle, dock, secret, foreign);
    const search = createMemorySearch({
      ...{ memories: listed, clock, files, log, embedder },
      background: new PQueue({ concurrency: 1 }),
      sessionMemory: FOLDERS.sessionMemory,
      sessions: allSeen,
    });
    return { search, listed };
  }

  it("a paraphrase that shares no word is found, with word matches first", async () => {
    await using server = await startEmbeddingServer();
    const { search } = openSearch(openEmbeddingWorld({ settings: { url: server.url } }));
    expect(named(await search.find({ text: "Fahrzeug" }))).toEqual([]);
    await search.whenEmbedded();
    expect(named(await search.find({ text: "Fahrzeug" }))).toEqual(["knowledge/fleet"]);
    expect(named(await search.find({ text: "Fahrzeug, harbour" }))[0]).toBe("knowledge/dock");
    expect(named(await search.find({ text: "unrelated nonsense" }))).toEqual([]);
    const inputs = server.requests.flatMap(({ input }) => input).join();
    expect(inputs).toContain("kitten");
    expect(inputs).not.toContain("Deliver");
  });

  it("a message in other words finds the one memory that means it, and a message about anything else finds none", async () => {
    await using server = await startEmbeddingServer(answerWith(embedApart));
    const world = openEmbeddingWorld({ settings: { url: server.url } });
    const { listed, search } = openSearch(world);
    const match = async (text: string) => (await search.matchByMeaning(text)).map(({ id }) => id);
    await search.whenEmbedded();
    expect(await match("Wo steht das Fahrzeug?")).toEqual([]);
    listed.put(...Array.from({ length: 20 }, (_, n) => remembered(`other${n}`, `Fact ${n} of something`)));
    await search.whenEmbedded();
    expect(await match("Wo steht das Fahrzeug?")).toEqual(["knowledge/fleet"]);
    for (const text of ["thanks, go on", "Was ist das Problem?", "run everything again"])
      expect(await match(text)).toEqual([]);
    const asked = server.requests.length;
    expect(await match("is the harbour dock of src/dock.ts open?")).toEqual(["knowledge/dock"]);
    expect(server.requests).toHaveLength(asked);
  });

  it("a memory that becomes private is forgotten by the embedder's index, and a new one is sent", async () => {
    const { post, sent } = createFakePost();
    const { search, listed } = openSearch(openEmbeddingWorld({ settings: REMOTE, post }));
    await search.whenEmbedded();
    listed.put({ ...dock, content: "The harbour's new secret", sensitivity: "private" });
    listed.put(remembered("new", "A new fact"));
    await search.whenEmbedded();
    expect(listInputs(sent).join()).toContain("A new fact");
    expect(listInputs(sent).join()).not.toContain("new secret");
  });

  it("without an answer, words give the same hits as without an embedder, and the log says so once", async () => {
    const post = () => Promise.reject(new Error("connection refused"));
    const world = openEmbeddingWorld({ settings: LOCAL, post });
    const { search } = openSearch(world);
    for (let turn = 0; turn < 5; turn++) {
      search.open();
      await search.whenEmbedded();
      expect(named(await search.find({ text: "harbour" }))).toEqual(["knowledge/dock"]);
      world.clock.advance(3_600_000);
    }
    expect(new Set(world.log.lines)).toEqual(
      new Set([
        "warn recall: memories are found by words only, not by meaning: EEMBEDDINGS: localhost:11434: connection refused",
      ]),
    );
    expect(world.log.lines).toHaveLength(1);
    const meant = await search.matchByMeaning("the harbour opens when?");
    expect(meant.map(({ id }) => id)).toEqual(["knowledge/dock"]);
  });
});

/** Lets other tasks run until the condition holds; the test's own time limit ends it otherwise. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}

/* Vectors on disk: asked for once, bounded, and no loss if the file is damaged. */

describe("the cache of vectors", () => {
  it("vectors are asked for once, also after a restart, and again for another model", async () => {
    const { post, sent } = createFakePost();
    const first = openEmbeddingWorld({ settings: LOCAL, post });
    const given = await first.embedder.embed([CAR, "two"]);
    await first.embedder.embed(["two"]);
    await first.embedder.onIdle();
    const { files } = first;
    const second = openEmbeddingWorld({ settings: LOCAL, post, files });
    expect(await second.embedder.embed([CAR, "two"])).toEqual(given);
    expect(listInputs(sent)).toEqual([CAR, "two"]);
    for (const settings of [
      { ...LOCAL, model: "n" },
      { ...LOCAL, dimensions: 2 },
    ])
      await openEmbeddingWorld({ settings, post, files }).embedder.embed([CAR]);
    expect(listInputs(sent)).toEqual([CAR, "two", CAR, CAR]);
  });

  it("a damaged file, and one that cannot be written, cost a new call and nothing else", async () => {
    const { post, sent } = createFakePost();
    const first = openEmbeddingWorld({ settings: LOCAL, post });
    await first.embedder.embed([CAR]);
    await first.embedder.onIdle();
    const [path = ""] = first.files.contents.keys();
    const bytes = first.files.contents.get(path) ?? new Uint8Array();
    for (const damaged of [bytes.subarray(0, bytes.length - 1), Buffer.from("{"), Buffer.of(9, 9)]) {
      const files = createMemoryFiles({ [path]: damaged });
      files.writeWhole = () => Promise.reject(new Error("disk full"));
      const { embedder, log } = openEmbeddingWorld({ settings: LOCAL, post, files });
      expect(await embedder.embed([CAR])).toHaveLength(1);
      await embedder.onIdle();
      expect(log.lines.join()).toContain("disk full");
    }
    expect(listInputs(sent)).toEqual([CAR, CAR, CAR, CAR]);
  });

  it("two instances keep each other's vectors", async () => {
    const { post, sent } = createFakePost();
    const one = openEmbeddingWorld({ settings: LOCAL, post });
    const two = openEmbeddingWorld({ settings: LOCAL, post, files: one.files });
    await one.embedder.embed(["one"]);
    await two.embedder.embed(["two"]);
    await one.embedder.onIdle();
    await two.embedder.onIdle();
    await openEmbeddingWorld({ settings: LOCAL, post, files: one.files }).embedder.embed(["one", "two"]);
    expect(listInputs(sent)).toEqual(["one", "two"]);
  });
});
