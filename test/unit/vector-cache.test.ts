/** Vectors on disk: asked for once, bounded, and no loss if the file is damaged. */
import { expect, it } from "vitest";
import { createFakePost, listInputs, openEmbeddingWorld } from "../support/embedding-world.js";
import { createMemoryFiles } from "../support/memory-files.js";

const LOCAL = { url: "http://localhost:11434" };
const CAR = "my car is red";

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
