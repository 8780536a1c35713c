/**
 * A scripted language model with the OpenAI chat completion protocol on a local port, so that the proof needs no key and
 * no network. It reports no prompt cache, so layer 2 clears results at once.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The model's answer to one request: a text or a tool call. */
export type Line = { say: string } | { call: string; args: Record<string, unknown> };

export interface ScriptedModel {
  /** Base URL for the provider's configuration. */
  readonly url: string;
  /** Bodies of the requests so far, except those for a title. */
  readonly requests: readonly string[];
  /** Answers to the next requests, in order; after the last it says "ok". */
  script(...lines: Line[]): void;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function startScriptedModel(onRequest: () => void): Promise<ScriptedModel> {
  const requests: string[] = [];
  const lines: Line[] = [];
  let calls = 0;

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    onRequest();
    const isTitle = body.includes("title generator");
    if (!isTitle) requests.push(body);
    const line = isTitle ? { say: "A title" } : (lines.shift() ?? { say: "ok" });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of formatChunks(line, Math.ceil(body.length / 4), `call_${++calls}`))
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script: (...more) => void lines.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function formatChunks(line: Line, promptTokens: number, callID: string): object[] {
  const isCall = "call" in line;
  const delta = isCall
    ? { tool_calls: [{ index: 0, id: callID, type: "function", function: formatCall(line) }] }
    : { content: line.say };
  const outputTokens = isCall ? 20 : Math.ceil(line.say.length / 4);
  return [
    chunk({ role: "assistant", content: "" }),
    chunk(delta),
    chunk({}, isCall ? "tool_calls" : "stop"),
    {
      ...ENVELOPE,
      choices: [],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: outputTokens,
        total_tokens: promptTokens + outputTokens,
        prompt_tokens_details: { cached_tokens: 0 },
      },
    },
  ];
}

const ENVELOPE = { id: "scripted", created: 0, model: "m1" };

const formatCall = ({ call, args }: { call: string; args: Record<string, unknown> }): object => ({
  name: call,
  arguments: JSON.stringify(args),
});

const chunk = (delta: object, finish: string | null = null): object => ({
  ...ENVELOPE,
  choices: [{ index: 0, delta, finish_reason: finish }],
});

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding("utf8");
  let body = "";
  for await (const text of request) body += text;
  return body;
}
