/**
 * A language model that answers as a test scripts it, with the OpenAI chat completion protocol on a local
 * port, and records every request.
 *
 * - Each request uses the next step of `script`; without one the answer is "ok".
 * - The host's title requests are answered and recorded separately and use no steps; its compaction
 *   requests count as ordinary ones.
 * - Each model name has its own prompt cache. A refused request neither reads nor fills it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createPromptCache, type PromptCache, type PromptCacheOptions } from "../../../src/trial/requests.js";
import { openStream, sendAnswer, sendFailure, settleAnswer } from "./model-answer.js";
import { createModelRequest, type ModelRequest, tokensOfBytes } from "./model-request.js";
import { createSightings } from "./sightings.js";
import { type CallsStep, fail, type SayStep, type Step, say } from "./steps.js";

/** Answers a request instead of the script; `undefined` leaves it to the script. */
export type Responder = (request: ModelRequest) => Step | undefined | Promise<Step | undefined>;

/** A running scripted model. */
export interface ScriptedModel {
  /** The base address for a provider's configuration, ending in `/v1`. */
  readonly url: string;
  /** Ordinary requests in order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Title requests. */
  readonly titleRequests: readonly ModelRequest[];
  /** Appends steps to the script. */
  script(...steps: Step[]): void;
  /** Sets a function that is asked before the script; `undefined` removes it. */
  respond(responder: Responder | undefined): void;
  /** The last ordinary request; throws if there is none. */
  lastRequest(): ModelRequest;
  /** Resolves with the first matching ordinary request, past or future; rejects after `timeoutMs` (30 s). */
  waitForRequest(fits: (request: ModelRequest) => boolean, timeoutMs?: number): Promise<ModelRequest>;
  /** Closes the port and every open answer. */
  close(): Promise<void>;
}

/** Options of a scripted model: those of its prompt caches, and how it counts. */
export interface ScriptedModelOptions extends Partial<PromptCacheOptions> {
  /** Bytes that count as one token; 4 by default. */
  bytesPerToken?: number;
  /** The answer to requests for a title. */
  title?: string;
}

/** Starts a model on a free port of 127.0.0.1. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const now = options.now ?? Date.now;
  const ordinary = createSightings<ModelRequest>(
    (request) => `a request of ${request.messages.length} messages`,
  );
  const titleRequests: ModelRequest[] = [];
  const steps: Step[] = [];
  const caches = new Map<string, PromptCache>();
  let responder: Responder | undefined;
  let callCount = 0;

  async function chooseStep(request: ModelRequest): Promise<Step> {
    if (isTitleRequest(request)) return say(options.title ?? "A title");
    // The script is used only if the responder passes, so that its steps stay in order.
    return (await responder?.(request)) ?? steps.shift() ?? say("ok");
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = createModelRequest({
      raw: await readBody(incoming),
      sessionID: header(incoming, "x-session-id"),
      parentSessionID: header(incoming, "x-parent-session-id"),
      at: now(),
    });
    if (isAskedForTools(request)) {
      const names = say(request.tools.map((tool) => tool.function.name).join(" "));
      return sendAnswer(
        response,
        request,
        settleAnswer(names, () => ""),
      );
    }
    if (isTitleRequest(request)) titleRequests.push(request);
    else ordinary.add(request);
    const step = await chooseStep(request);
    if (step.kind === "fail") return sendFailure(response, step);
    countPrompt(request, cacheFor(request.body.model), options.bytesPerToken);
    if (step.kind === "stall") return openStream(response);
    const answer = settleAnswer(step, () => `call_${++callCount}`);
    countOutput(request, step, options.bytesPerToken);
    sendAnswer(response, request, answer);
  }

  function cacheFor(model: string): PromptCache {
    const cache = caches.get(model) ?? createPromptCache({ ...options, now });
    caches.set(model, cache);
    return cache;
  }

  const server = createServer((incoming, response) => {
    if (!incoming.url?.endsWith("/chat/completions")) {
      sendFailure(response, fail(404, `the scripted model has no ${incoming.url}`));
      return;
    }
    // 400, because the host shows that error instead of retrying for a minute.
    handle(incoming, response).catch((error: unknown) => sendFailure(response, fail(400, String(error))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: ordinary.all,
    titleRequests,
    script: (...more) => void steps.push(...more),
    respond: (next) => {
      responder = next;
    },
    lastRequest: () => ordinary.all.at(-1) ?? raise("The model has had no request yet"),
    waitForRequest: ordinary.waitFor,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The stage's own question, which is not recorded. */
export const WHICH_TOOLS = "Which tools are there?";

const isAskedForTools = (request: ModelRequest): boolean =>
  JSON.stringify(request.messages.at(-1)?.content ?? "").includes(WHICH_TOOLS);

function isTitleRequest({ messages }: ModelRequest): boolean {
  return messages.some(
    ({ role, content }) => role === "system" && JSON.stringify(content ?? "").includes("title generator"),
  );
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function header(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function raise(message: string): never {
  throw new Error(message);
}

/** Counts the tokens of a request and its answer as the scripted model reports them. */

/** Counts the prompt and its cached part, then stores the prompt in the cache. */
export function countPrompt(request: ModelRequest, cache: PromptCache, bytesPerToken?: number): void {
  request.promptTokens = tokensOfBytes(Buffer.byteLength(request.prompt), bytesPerToken);
  request.cachedTokens = tokensOfBytes(cache.read(request.prompt), bytesPerToken);
  cache.write(request.prompt);
}

/** Counts the answer; what the step reports of its own wins. */
export function countOutput(request: ModelRequest, step: SayStep | CallsStep, bytesPerToken?: number): void {
  const text = step.kind === "say" ? step.text : (step.text ?? "") + JSON.stringify(step.calls);
  request.outputTokens = tokensOfBytes(Buffer.byteLength(text), bytesPerToken);
  Object.assign(request, step.usage);
}
