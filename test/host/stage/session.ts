/**
 * A session of the host, as a test talks to it: plain HTTP, every request bounded, every refusal an
 * error that shows what the host said.
 */

import type { AssistantMessage, Message, Part, Session as SessionRecord } from "@opencode-ai/sdk/v2/types";
import { patiently } from "../../support/patience.js";
import { exchange } from "./http.js";

/** Sends one request to the host and returns its JSON; throws where the status is not a success. */
export type Api = <T = unknown>(
  method: string,
  path: string,
  body?: unknown,
  timeoutMs?: number,
) => Promise<T>;

/** A message with its parts, as the host stores them. */
export interface StoredMessage<Info extends Message = Message> {
  info: Info;
  parts: Part[];
}

/** The last message of a turn. A turn that failed has `info.error` and usually no text. */
export interface TurnResult extends StoredMessage<AssistantMessage> {
  /** The text parts, joined. */
  text: string;
}

/** How to ask, where the defaults of the host do not do. */
export interface AskOptions {
  agent?: string;
  /** The name of one of the scripted models, `m1` or `m2`. */
  model?: string;
  /** Parts to send after the text, such as an image. */
  parts?: object[];
  /** How long the turn may take; by default 60 s. */
  timeoutMs?: number;
}

/** One session of the host. */
export interface Session {
  readonly id: string;
  /** Sends a user message and resolves when the turn is over. */
  ask(text: string, options?: AskOptions): Promise<TurnResult>;
  /** Runs a slash command as a turn. */
  command(name: string, args?: string): Promise<TurnResult>;
  /** All messages, oldest first. */
  messages(): Promise<StoredMessage[]>;
  /** What the host knows of the session: title, parent, times. */
  info(): Promise<SessionRecord>;
  /** A copy of the session; with a message id, of what was before that message. */
  fork(messageID?: string): Promise<Session>;
  /** Ends the turn that is under way. */
  abort(): Promise<void>;
  /** Has the host compact the session. */
  summarize(): Promise<void>;
  remove(): Promise<void>;
}

/** The client of one host, for requests that take at most `timeoutMs` (60 s) unless they say otherwise, and longer on a slow machine. */
export function createApi(url: string, timeoutMs = 60_000): Api {
  return async <T>(method: string, path: string, body?: unknown, ownTimeoutMs = timeoutMs) => {
    const boundMs = patiently(ownTimeoutMs);
    const signal = AbortSignal.timeout(boundMs);
    const { status, text } = await exchange({ method, url: url + path, body, signal }).catch(
      (error: unknown) => {
        throw signal.aborted ? new Error(`${method} ${path} had no answer within ${boundMs} ms`) : error;
      },
    );
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 2_000)}`);
    return (text ? JSON.parse(text) : undefined) as T;
  };
}

/** Takes up a session that exists. */
export function createSession(api: Api, id: string): Session {
  const path = `/session/${id}`;
  const turn = async (route: string, body: object, timeoutMs?: number): Promise<TurnResult> => {
    const message = await api<StoredMessage<AssistantMessage>>("POST", `${path}/${route}`, body, timeoutMs);
    return { ...message, text: textOf(message.parts) };
  };
  return {
    id,
    ask: (text, { agent, model, parts = [], timeoutMs } = {}) =>
      turn(
        "message",
        { agent, model: reference(model), parts: [{ type: "text", text }, ...parts] },
        timeoutMs,
      ),
    command: (name, args = "") => turn("command", { command: name, arguments: args }),
    messages: () => api("GET", `${path}/message`),
    info: () => api("GET", path),
    fork: async (messageID) => {
      const forked = await api<{ id: string }>("POST", `${path}/fork`, { messageID });
      return createSession(api, forked.id);
    },
    abort: () => api("POST", `${path}/abort`),
    summarize: () => api("POST", `${path}/summarize`, reference("m1")),
    remove: () => api("DELETE", path),
  };
}

function reference(modelID: string | undefined): object | undefined {
  return modelID === undefined ? undefined : { providerID: "mock", modelID };
}

function textOf(parts: Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
