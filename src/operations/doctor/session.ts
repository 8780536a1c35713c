/**
 * The session that the doctor plays in a server of OpenCode 1 or 2: short, but it calls every hook. The layers bring what
 * makes them act; a scripted model on a local port answers, so that the proof needs no key and no network.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { writeInput, writeToolName } from "../../host/2/stored.js";
import { createAskServer, formatRefusal, type ServerAddress } from "../../host/server.js";
import type { Proof } from "../../kernel/proof.js";

/** Files of the project besides those that the layers bring: results to move out of the context. */
export const PLAYED_FILES = {
  "large.txt": Array.from({ length: 400 }, (_, n) => `line ${n} of a large file\n`).join(""),
  "small.txt": Array.from({ length: 60 }, (_, n) => `line ${n} of a small file\n`).join(""),
} as const;

interface PlayOptions {
  server: ServerAddress;
  isSecond: boolean;
  project: string;
  model: ScriptedModel;
  signal: AbortSignal;
  onStep(step: string): void;
  proofs: readonly Proof[];
  /** Resolves when these files of the project exist, or will not. */
  whenLeft(paths: readonly string[]): Promise<void>;
}

/** Throws if the host refuses a request or does not answer. Resolves when the host has let the plugin go. */
export async function playSession(options: PlayOptions): Promise<{ isCommandFree: boolean }> {
  const { isSecond, model, onStep, project, proofs, whenLeft } = options;
  const host = await (isSecond ? openSecond(options) : openFirst(options));
  const ask = async (text: string, ...lines: Line[]): Promise<void> => {
    model.script(...(isSecond ? lines.map(toSecond) : lines));
    await host.prompt(text);
  };
  const read = (name: string): Line => ({ call: "read", args: { filePath: join(project, name) } });
  onStep("large results are moved to files");
  const seen = { say: "seen" };
  await ask("Always look at both files before you answer.", read("small.txt"), read("large.txt"), seen);
  onStep("a command fails twice, and a memory is stored");
  const calls = proofs.flatMap((proof) => proof.calls ?? []);
  await ask("Try twice what fails, claim something and remember it.", ...calls, { say: "tried" });
  onStep("the session grows too long");
  // Long enough for history to be replaced and for its results to be old.
  for (const topic of ["one", "two", "three"])
    await ask(`Tell me of ${topic}. ${"A long question. ".repeat(400)}`, { say: "An answer. ".repeat(900) });
  onStep("a summary is made");
  await host.summarize();
  await ask("Go on.");
  onStep("commands are answered");
  for (const { command } of proofs) if (command !== undefined) await host.command(command);
  // A command may answer before its work is done, and disposing the instance would stop that.
  await whenLeft(proofs.flatMap(({ leaves }) => leaves ?? []));
  const before = model.requests.length;
  await host.command("memory");
  const isCommandFree = model.requests.length === before;
  onStep("OpenCode stops, and the results are checked");
  await host.leave();
  return { isCommandFree };
}

interface HostSession {
  /** Resolves when the turn has ended. */
  prompt(text: string): Promise<unknown>;
  command(name: string): Promise<unknown>;
  summarize(): Promise<unknown>;
  /** Ends what runs for the project, which makes the plugin write its counts. */
  leave(): Promise<unknown>;
}

function createSend({ server, signal }: PlayOptions) {
  const ask = createAskServer(server);
  return async (method: string, path: string, body?: object, query?: Record<string, string>) => {
    const answer = await ask(method, path, { signal, ...(body && { body }), ...(query && { query }) });
    if (answer.ok) return answer.body;
    throw new StrataError("HOST_REFUSED", `${method} ${path}: ${formatRefusal(answer)}`);
  };
}

async function openFirst(options: PlayOptions): Promise<HostSession> {
  const send = createSend(options);
  const { id } = (await send("POST", "/session", { title: "strata doctor" })) as { id: string };
  const model = { providerID: "scripted", modelID: "m1" };
  return {
    prompt: (text) => send("POST", `/session/${id}/message`, { parts: [{ type: "text", text }] }),
    // An answered command ends with an error.
    command: (command) =>
      send("POST", `/session/${id}/command`, { command, arguments: "" }).catch(() => undefined),
    summarize: () => send("POST", `/session/${id}/summarize`, model),
    leave: () => send("POST", "/instance/dispose", {}),
  };
}

async function openSecond(options: PlayOptions): Promise<HostSession> {
  const { project: directory } = options;
  const send = createSend(options);
  const ofProject = { "location[directory]": directory };
  // A request that names the project in its query starts its plugins.
  await send("GET", "/api/plugin", undefined, ofProject);
  const created = await send("POST", "/api/session", { location: { directory }, title: "strata doctor" });
  const { id } = readData(created) as { id: string };
  const path = `/api/session/${id}`;

  async function whenIdle(): Promise<void> {
    for (;;) {
      await send("POST", `/api/experimental/session/${id}/wait`);
      const active = readData(await send("GET", "/api/session/active"));
      const inbox = readData(await send("GET", `${path}/inbox`));
      const waiting = Array.isArray(inbox) ? inbox.filter(({ type }) => type !== "synthetic") : [];
      if (waiting.length === 0 && !(isRecord(active) && active[id])) return;
    }
  }

  const run = async (route: string, body: object): Promise<void> => {
    await send("POST", `${path}/${route}`, body);
    await whenIdle();
  };
  return {
    prompt: (text) => run("prompt", { text, files: [] }),
    command: (name) => run("command", { name, text: "" }),
    summarize: () => run("compact", {}),
    leave: () => send("DELETE", "/api/debug/location", undefined, ofProject),
  };
}

const readData = (answer: unknown): unknown => (isRecord(answer) ? answer.data : undefined);

/** The model's answer to one request: a text or a tool call with OpenCode 1's names. */
export type Line = { say: string } | { call: string; args: Record<string, unknown> };

function toSecond(line: Line): Line {
  if (!("call" in line)) return line;
  const name = writeToolName(line.call);
  return { call: name, args: writeInput(name, line.args, {}) };
}

/** A model with the OpenAI chat completion protocol. It reports no prompt cache, so layer 2 clears results at once. */
export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** Listens on a free port of 127.0.0.1. */
export async function startScriptedModel() {
  const requests: string[] = [];
  const lines: Line[] = [];
  let calls = 0;

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.setEncoding("utf8");
    let body = "";
    for await (const text of request) body += text;
    const isTitle = body.includes("title generator");
    if (!isTitle) requests.push(body);
    const line = isTitle ? { say: "A title" } : (lines.shift() ?? { say: "ok" });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of formatChunks(line, Math.ceil(body.length / 4), `call_${++calls}`))
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  }

  return {
    /** Base URL for the provider's configuration. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Bodies of the requests so far, except those for a title. */
    requests: requests as readonly string[],
    /** Answers to the next requests, in order; after the last it says "ok". */
    script: (...more: Line[]) => void lines.push(...more),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const ENVELOPE = { id: "scripted", created: 0, model: "m1" };

function formatChunks(line: Line, promptTokens: number, callID: string): object[] {
  const chunk = (delta: object, finish: string | null = null): object => ({
    ...ENVELOPE,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const isCall = "call" in line;
  const called = isCall && { name: line.call, arguments: JSON.stringify(line.args) };
  const call = { index: 0, id: callID, type: "function", function: called };
  const outputTokens = isCall ? 20 : Math.ceil(line.say.length / 4);
  const usage = {
    ...{ prompt_tokens: promptTokens, completion_tokens: outputTokens },
    ...{ total_tokens: promptTokens + outputTokens, prompt_tokens_details: { cached_tokens: 0 } },
  };
  return [
    chunk({ role: "assistant", content: "" }),
    chunk(isCall ? { tool_calls: [call] } : { content: line.say }),
    chunk({}, isCall ? "tool_calls" : "stop"),
    { ...ENVELOPE, choices: [], usage },
  ];
}
