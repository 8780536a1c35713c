/**
 * Plays the doctor's session in OpenCode 2, message by message with `opencode run --standalone`, which needs neither a
 * server nor its password. Seen in 2.0.15.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import type { PlainRecord } from "../../base/shape.js";
import { writeInput, writeToolName } from "../../host/2/stored.js";
import type { Proof } from "../../kernel/proof.js";
import type { PulseRecord } from "../../kernel/pulse.js";

export interface RunsOptions {
  binary: string;
  env: NodeJS.ProcessEnv;
  project: string;
  model: ScriptedModel;
  /** What the enabled layers bring. */
  proofs: readonly Proof[];
  signal: AbortSignal;
  /** Called as each step begins. */
  onStep(step: string): void;
}

/** Throws if OpenCode refuses a message or does not end. */
export async function playRuns({
  binary,
  env,
  model,
  onStep,
  project,
  proofs,
  signal,
}: RunsOptions): Promise<void> {
  let isFirst = true;
  const ask = async (text: string, ...lines: Line[]): Promise<void> => {
    model.script(...lines.map(toSecond));
    const going = isFirst ? [] : ["--continue"];
    isFirst = false;
    const args = ["run", "--standalone", "--model", "scripted/m1", ...going, text];
    await runOnce(binary, args, { cwd: project, env, signal });
  };
  await playWork(ask, { onStep, project, proofs });
  await ask("Go on.");
}

/** What the agent is asked in both OpenCodes, so that every layer has something to do. */
export async function playWork(
  ask: (text: string, ...lines: Line[]) => Promise<unknown>,
  { onStep, project, proofs }: Pick<RunsOptions, "onStep" | "project" | "proofs">,
): Promise<void> {
  const read = (name: string): Line => ({ call: "read", args: { filePath: join(project, name) } });
  onStep("large results are moved to files");
  await ask("Always look at both files before you answer.", read("small.txt"), read("large.txt"), {
    say: "seen",
  });
  onStep("a command fails twice, and a memory is stored");
  const calls = proofs.flatMap((proof) => proof.calls ?? []);
  await ask("Try twice what fails, claim something and remember it.", ...calls, { say: "tried" });
  onStep("the session grows too long");
  // Long enough for history to be replaced and for its results to be old.
  for (const topic of ["one", "two", "three"])
    await ask(`Tell me of ${topic}. ${"A long question. ".repeat(400)}`, { say: "An answer. ".repeat(900) });
}

/** A scripted call with the names of OpenCode 2. */
function toSecond(line: Line): Line {
  if (!("call" in line)) return line;
  const name = writeToolName(line.call);
  return { call: name, args: writeInput(name, line.args, {}) };
}

const MOST_WORDS = 2_000;

async function runOnce(
  binary: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<void> {
  const child = spawn(binary, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      words = `${words}${text}`.slice(-MOST_WORDS);
    });
  const [code] = await once(child, "close").catch((thrown: unknown) => {
    throw options.signal.aborted ? options.signal.reason : thrown;
  });
  if (code === 0) return;
  const last = words.trim().split("\n").slice(-5).join("\n");
  throw new StrataError("HOST_REFUSED", `opencode ${args.slice(0, 2).join(" ")} ended with ${code}: ${last}`);
}

/** OpenCode 2's configuration for the proof. */
export function formatSecondConfig(plugin: string, settings: PlainRecord, url: string): string {
  const limit = { context: 200_000, output: 8_000 };
  const capabilities = { tools: true, input: ["text"], output: ["text"] };
  return JSON.stringify({
    plugins: [{ package: plugin, options: settings }],
    share: "disabled",
    update: "disable",
    permissions: [{ action: "*", resource: "*", effect: "allow" }],
    model: "scripted/m1",
    providers: {
      scripted: {
        package: "aisdk:@ai-sdk/openai-compatible",
        settings: { baseURL: url, apiKey: "none" },
        models: { m1: { name: "m1", limit, capabilities } },
      },
    },
  });
}

/** One record for the pulses of several processes; `undefined` without any. Pure. */
export function mergePulses(pulses: readonly PulseRecord[]): PulseRecord | undefined {
  const [first, ...rest] = pulses;
  if (!first) return undefined;
  const merged = structuredClone(first);
  for (const { bound, hooks, host, layers } of rest) {
    merged.bound = [...new Set([...merged.bound, ...bound])];
    if (host) merged.host = host;
    for (const [name, one] of Object.entries(hooks)) {
      const key = name as keyof typeof hooks;
      const before = merged.hooks[key];
      merged.hooks[key] = before ? { ...one, count: one.count + before.count } : one;
    }
    for (const [name, one] of Object.entries(layers)) {
      const before = merged.layers[name];
      merged.layers[name] = before
        ? {
            ...before,
            ...one,
            asked: before.asked + one.asked,
            answered: before.answered + one.answered,
            failed: before.failed + one.failed,
          }
        : one;
    }
  }
  return merged;
}

/*
 * A scripted language model with the OpenAI chat completion protocol on a local port, so that the proof needs no key and
 * no network. It reports no prompt cache, so layer 2 clears results at once.
 */

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
