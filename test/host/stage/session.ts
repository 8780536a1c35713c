/**
 * A host session, used over plain HTTP: every request is bounded, and every refusal throws with the host's
 * answer.
 */

import type { AssistantMessage, Message, Part, Session as SessionRecord } from "@opencode-ai/sdk/v2/types";
import { patiently } from "../../support/patience.js";
import { exchange } from "./http.js";

/** Sends a request to the host and returns its JSON; throws on an error status. */
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

/** Overrides of the host's defaults for a prompt. */
export interface AskOptions {
  agent?: string;
  /** Name of a scripted model, `m1` or `m2`. */
  model?: string;
  /** Parts after the text, such as an image. */
  parts?: object[];
  /** Maximum duration of the turn; 60 s by default. */
  timeoutMs?: number;
}

/** A session of the host. */
export interface Session {
  readonly id: string;
  /** Sends a user message; resolves when the turn ends. */
  ask(text: string, options?: AskOptions): Promise<TurnResult>;
  /** Runs a slash command as a turn. */
  command(name: string, args?: string): Promise<TurnResult>;
  /** Runs one of Strata's slash commands, which is no turn; resolves with the answer that it shows. */
  slash(name: string, words?: string): Promise<string>;
  /** All messages, oldest first. */
  messages(): Promise<StoredMessage[]>;
  /** The host's record of the session: title, parent, times. */
  info(): Promise<SessionRecord>;
  /** Forks the session; with a message id, only what is before that message. */
  fork(messageID?: string): Promise<Session>;
  /** Takes back this message and all that follow. */
  revert(messageID: string | undefined): Promise<unknown>;
  unrevert(): Promise<unknown>;
  /** Aborts the running turn. */
  abort(): Promise<void>;
  /** Makes the host compact the session. */
  summarize(): Promise<void>;
  remove(): Promise<void>;
}

/** A client for one host. Requests take at most `timeoutMs` (60 s) by default, more on a slow machine. */
export function createApi(url: string, timeoutMs = 60_000, headers: Record<string, string> = {}): Api {
  return async <T>(method: string, path: string, body?: unknown, ownTimeoutMs = timeoutMs) => {
    const boundMs = patiently(ownTimeoutMs);
    const signal = AbortSignal.timeout(boundMs);
    const { status, text } = await exchange({ method, url: url + path, body, headers, signal }).catch(
      (error: unknown) => {
        throw signal.aborted ? new Error(`${method} ${path} had no answer within ${boundMs} ms`) : error;
      },
    );
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 2_000)}`);
    return (text ? JSON.parse(text) : undefined) as T;
  };
}

/** Returns an existing session. */
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
    async slash(name, words = "") {
      // The host answers with an error, since the command was ended before it became a turn.
      const refused = await turn("command", { command: name, arguments: words }).catch(String);
      if (!String(refused).includes("answered 500")) throw new Error(`/${name} became a turn: ${refused}`);
      const all = await api<StoredMessage[]>("GET", `${path}/message`);
      const shown = all.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : [])),
      );
      return shown.at(-1) ?? "";
    },
    messages: () => api("GET", `${path}/message`),
    info: () => api("GET", path),
    fork: async (messageID) => {
      const forked = await api<{ id: string }>("POST", `${path}/fork`, { messageID });
      return createSession(api, forked.id);
    },
    revert: (messageID) => api("POST", `${path}/revert`, { messageID }),
    unrevert: () => api("POST", `${path}/unrevert`, {}),
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
