/** What goes over the line: both shapes of endpoint, and everything that an endpoint may do wrong. */
import { describe, expect, it } from "vitest";
import { planEndpoint } from "../../src/models/open-embedder.js";
import { type EmbeddingAnswer, embedText, startEmbeddingServer } from "../support/embedding-server.js";
import { createFakePost, openEmbeddingWorld } from "../support/embedding-world.js";

const none = (): undefined => undefined;
const CAR = "my car is red";
const CAT = "the cat sleeps";
const round = (vector: Float32Array | undefined): number[] => {
  const largest = Math.max(...(vector ?? []));
  return [...(vector ?? [])].map((value) => Math.round((10 * value) / largest) / 10);
};
const reply =
  (body: unknown, status = 200): EmbeddingAnswer =>
  (_, response) =>
    void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

describe("the address of an endpoint", () => {
  it.each([
    ["http://localhost:11434", "http://localhost:11434/v1/embeddings", true],
    ["http://localhost:11434/api", "http://localhost:11434/api/embed", true],
    ["http://127.0.0.1:1/api/embed", "http://127.0.0.1:1/api/embed", true],
    ["http://127.1:1/", "http://127.0.0.1:1/v1/embeddings", true],
    ["http://[::1]:8080/v1/", "http://[::1]:8080/v1/embeddings", true],
    ["https://api.openai.com/v1", "https://api.openai.com/v1/embeddings", false],
    ["https://x.example/openai/v1/embeddings", "https://x.example/openai/v1/embeddings", false],
    ["http://192.168.0.2:11434/api", "http://192.168.0.2:11434/api/embed", false],
    ["http://0.0.0.0:11434", "http://0.0.0.0:11434/v1/embeddings", false],
    ["http://localhost.evil.example", "http://localhost.evil.example/v1/embeddings", false],
    ["http://127.0.0.1.evil.example", "http://127.0.0.1.evil.example/v1/embeddings", false],
  ])("%s is asked at %s, local: %s", (base, url, isLocal) => {
    expect(planEndpoint(base, none)).toEqual({ url, isLocal });
  });

  it("a loopback address behind a proxy is another machine, unless NO_PROXY names it", () => {
    const isLocal = (env: Record<string, string>, url = "http://localhost:11434"): boolean =>
      planEndpoint(url, (name) => env[name]).isLocal;
    expect(isLocal({ HTTP_PROXY: "http://proxy:3128" })).toBe(false);
    expect(isLocal({ http_proxy: "http://proxy:3128", NO_PROXY: "example.org" })).toBe(false);
    expect(isLocal({ ALL_PROXY: "http://proxy:3128" })).toBe(false);
    expect(isLocal({ HTTP_PROXY: "http://proxy:3128", NO_PROXY: "example.org, localhost" })).toBe(true);
    expect(isLocal({ HTTP_PROXY: "http://proxy:3128", no_proxy: "*" })).toBe(true);
    expect(isLocal({ HTTPS_PROXY: "http://proxy:3128" })).toBe(true);
  });
});

describe("an endpoint that answers", () => {
  it.each([
    ["OpenAI", "/v1", "/v1/embeddings"],
    ["Ollama", "/api", "/api/embed"],
  ])("the shape of %s is understood, with the vectors in the order of the texts", async (_, base, path) => {
    await using server = await startEmbeddingServer();
    const { embedder } = openEmbeddingWorld({ settings: { url: server.url + base, dimensions: 5 } });
    const vectors = await embedder.embed([CAR, CAT, CAR]);
    expect(vectors.map(round)).toEqual(
      [CAR, CAT, CAR].map((text) => round(Float32Array.from(embedText(text)))),
    );
    expect(server.requests).toMatchObject([{ path, model: "m", input: [CAR, CAT], dimensions: 5 }]);
  });

  it("the key comes from the named variable and goes into the header only", async () => {
    await using server = await startEmbeddingServer();
    const settings = { url: server.url, apiKeyEnv: "MY_KEY" };
    const { embedder } = openEmbeddingWorld({ settings, env: { MY_KEY: " sk-secret\n", OTHER: "x" } });
    await embedder.embed([CAR]);
    const { headers, ...rest } = server.requests[0] ?? {};
    expect(headers?.authorization).toBe("Bearer sk-secret");
    expect(JSON.stringify(rest)).not.toContain("sk-secret");
  });
});

describe("an endpoint that does something wrong", () => {
  const vector = [1, 2, 3];
  it.each<[what: string, answer: EmbeddingAnswer, message: RegExp]>([
    ["too few vectors", reply({ embeddings: [vector] }), /expected 2 vectors .* got 1/],
    ["too many vectors", reply({ embeddings: [vector, vector, vector] }), /expected 2 vectors .* got 3/],
    ["vectors of two lengths", reply({ embeddings: [vector, [1, 2]] }), /vectors of 3 numbers .* one of 2/],
    ["an empty vector", reply({ embeddings: [vector, []] }), /got 0/],
    ["a vector of 10,000", reply({ embeddings: [vector, Array(10_000).fill(1)] }), /got 10000/],
    ["NaN", reply('{"embeddings":[[1,2,3],[1,NaN,3]]}'), /expected a JSON object/],
    ["null in a vector", reply({ embeddings: [vector, [1, null, 3]] }), /expected finite numbers/],
    ["an infinite number", reply('{"embeddings":[[1,2,3],[1,1e999,3]]}'), /expected finite numbers/],
    ["text in a vector", reply({ data: [{ embedding: "AAAA" }, { embedding: "AAAA" }] }), /got string/],
    ["an index twice", reply({ data: [0, 0].map((index) => ({ index, embedding: vector })) }), /`index`/],
    ["an index beyond", reply({ data: [0, 9e9].map((index) => ({ index, embedding: vector })) }), /`index`/],
    ["a web page", reply("<html>sk-secret</html>"), /expected a JSON object/],
    ["another object", reply({ error: "sk-secret" }), /`data` or `embeddings`/],
    ["status 500", reply("sk-secret", 500), /status 500/],
    ["status 404", reply("sk-secret", 404), /status 404/],
    ["a huge answer", reply("x".repeat(9_000_000)), /at most 8000000 bytes/],
    ["a broken line", (_, response) => void response.destroy(), /127\.0\.0\.1/],
  ])("%s is refused, and the message quotes nothing of it", async (_, answer, message) => {
    await using server = await startEmbeddingServer(answer);
    const settings = { url: server.url, apiKeyEnv: "MY_KEY" };
    const { embedder, files } = openEmbeddingWorld({ settings, env: { MY_KEY: "sk-secret" } });
    const thrown = await embedder.embed([CAR, CAT]).catch((one: Error) => one);
    expect(String(thrown)).toMatch(message);
    expect(String(thrown)).not.toContain("sk-secret");
    await embedder.onIdle();
    expect([...files.contents.keys()]).toEqual([]);
  });

  it("a redirect is not followed, and what it leads to gets neither text nor key", async () => {
    await using other = await startEmbeddingServer();
    await using server = await startEmbeddingServer((_, response) => {
      response.writeHead(307, { location: `${other.url}/v1/embeddings` }).end();
    });
    const settings = { url: server.url, apiKeyEnv: "MY_KEY" };
    const { embedder } = openEmbeddingWorld({ settings, env: { MY_KEY: "sk-secret" } });
    await expect(embedder.embed([CAR])).rejects.toThrow(`redirects to ${new URL(other.url).host}`);
    expect(other.requests).toEqual([]);
  });
});

describe("a key", () => {
  it.each([
    ["is missing", {}, "https://x.example", "got none"],
    ["has a line break", { MY_KEY: "sk\nsecret" }, "https://x.example", "special characters"],
    [
      "would go over http to another machine",
      { MY_KEY: "sk-secret" },
      "http://x.example",
      "only sent over https",
    ],
  ])("no request is made if the key %s", async (_, env, url, message) => {
    const { post, sent } = createFakePost();
    const { embedder } = openEmbeddingWorld({ settings: { url, apiKeyEnv: "MY_KEY" }, env, post });
    const thrown = String(await embedder.embed([CAR]).catch((one: Error) => one));
    expect(thrown).toContain(message);
    expect(thrown).not.toContain("secret");
    expect(sent).toEqual([]);
  });

  it("the network's error is reported without the key", async () => {
    const post = () => Promise.reject(new Error("header 'Bearer sk-secret' is odd"));
    const settings = { url: "https://x.example", apiKeyEnv: "MY_KEY" };
    const { embedder } = openEmbeddingWorld({ settings, env: { MY_KEY: "sk-secret" }, post });
    await expect(embedder.embed([CAR])).rejects.toThrow("x.example: header 'Bearer [key]' is odd");
  });
});
