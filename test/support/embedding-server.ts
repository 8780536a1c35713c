/** A scripted embedding endpoint on a local port, in the shape of OpenAI or, under `/api/embed`, of Ollama. */
import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface EmbeddingRequest {
  path: string;
  headers: IncomingHttpHeaders;
  model: string;
  input: string[];
  dimensions?: number;
}

/** Ends the response itself, or leaves it open: then the client waits. */
export type EmbeddingAnswer = (request: EmbeddingRequest, response: ServerResponse) => void;

export interface EmbeddingServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: EmbeddingRequest[];
  /** How later requests are answered; by default with `embedText`. */
  answer: EmbeddingAnswer;
  /** Resolves when this many requests have come in. */
  whenAsked(count: number): Promise<void>;
}

/** Words that mean the same lie on the same axis. */
const CONCEPTS = [
  ["fahrzeug", "car", "vehicle"],
  ["harbour", "port", "dock"],
  ["deadline", "due", "deliver"],
  ["kitten", "cat", "pet"],
];

/** One number per concept, how often the text names it, and a small one that all texts share. */
export function embedText(text: string): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return [...CONCEPTS.map((concept) => words.filter((word) => concept.includes(word)).length), 0.1];
}

/** The same for many texts that have nothing in common: each also has a direction of its own. */
export function embedApart(text: string): number[] {
  const concepts = embedText(text).slice(0, CONCEPTS.length);
  const own = [...createHash("sha256").update(text).digest("hex")];
  return [...concepts, ...own.map((digit) => (Number.parseInt(digit, 16) - 7.5) / 75)];
}

export const answerAll: EmbeddingAnswer = (...asked) => answerWith(embedText)(...asked);

export const answerWith =
  (embed: (text: string) => number[]): EmbeddingAnswer =>
  ({ input, path }, response) => {
    const vectors = input.map(embed);
    const body = path.endsWith("/api/embed")
      ? { embeddings: vectors, prompt_eval_count: 7 }
      : {
          data: vectors.map((embedding, index) => ({ index, embedding })).reverse(),
          usage: { prompt_tokens: 7 },
        };
    response.end(JSON.stringify(body));
  };

export async function startEmbeddingServer(answer = answerAll): Promise<EmbeddingServer> {
  const waiting: { count: number; resolve: () => void }[] = [];
  const requests: EmbeddingRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = {
      path: incoming.url ?? "",
      headers: incoming.headers,
      ...JSON.parse(Buffer.concat(chunks).toString()),
    };
    requests.push(request);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    started.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const started: EmbeddingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer,
    whenAsked: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return started;
}
