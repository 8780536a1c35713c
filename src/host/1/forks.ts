/**
 * Runs a task on a fork of a session, or in an empty child of it:
 *
 *     read the prompt options → open → title and permissions → ask → (break off) → read the messages → remove
 *
 * A fork's first request repeats the bytes of its parent's last request only with the same prompt options. So the fork
 * gets the agent, model, tools and system text of the message the parent is answering, and the parent's permissions,
 * which decide which tools exist; the host's own fork omits permissions (measured).
 *
 * Every step is bounded. No person watches a fork, so all its permission requests and questions are refused at once.
 */
import type { PluginInput } from "@opencode-ai/plugin";
import type { AssistantMessage } from "@opencode-ai/sdk";
import PQueue from "p-queue";
import type { Clock } from "../../io/clock.js";
import type { ForkRequest, ForkResult, ForkRun, UsedTokens } from "../../io/host.js";
import type { Message } from "../../io/message.js";
import type { Processes } from "../../io/running-processes.js";
import {
  type Asking,
  createAsking,
  type Ending,
  NO_TOKENS,
  type PromptBody,
  readMessage,
  readText,
  readTokens,
  sumTokens,
  type Trouble,
} from "./asking.js";
import { type Ask, type ForkSessions, formatForkTitle } from "./fork-sessions.js";

export interface ForksOptions {
  client: PluginInput["client"];
  clock: Clock;
  forkSessions: ForkSessions;
  processes: Processes;
}

/** Never rejects. */
export function createForks(options: ForksOptions): (request: ForkRequest) => Promise<ForkResult> {
  const { client, clock, forkSessions, processes } = options;
  const { ask, bounded } = createAsking(client, clock);
  const { open, readManner, remove } = createForkOpening({ client, bounded, forkSessions, processes });
  /** Copies one at a time, so that the first fork can start before the last is copied. */
  const opening = new PQueue({ concurrency: 1 });

  return async (request) => {
    const { history, parentID, prompt, signal } = request;
    const manner = await readManner(request);
    if (!manner) return refused("the host does not say how this session was asked last");
    const id = await opening.add(async () => (signal.aborted ? undefined : open(request)));
    if (signal.aborted && id === undefined) return refused("called off before it began");
    if (id === undefined) return refused(`the host opened no ${history === "shared" ? "fork" : "session"}`);
    forkSessions.add({ id, askerID: parentID, isFork: history === "shared" });
    const askedMs = clock.now();
    const refusals: string[] = [];
    const body = { ...manner, parts: [{ type: "text" as const, text: prompt }] };
    const ending = await ask(id, body, {
      ...request,
      watch: (breakOff) => watch(request, id, refusals, breakOff),
    });
    if (ending.kind === "brokenOff") await bounded(() => client.session.abort({ path: { id } }));
    const result = readResult(ending, { messages: await readSince(id, askedMs), refusals });
    await remove(id);
    return result;
  };

  function watch(
    { maxTokens }: ForkRequest,
    id: string,
    refusals: string[],
    breakOff: (trouble: Trouble) => void,
  ): () => void {
    return forkSessions.watch(id, {
      onAsk(asked) {
        refusals.push(asked.what);
        void bounded(() => refuse(asked));
      },
      onAnswer: createTokenWatch(maxTokens, breakOff),
    });
  }

  function refuse({ id, kind, sessionID }: Ask): Promise<unknown> {
    if (kind === "permission")
      return client.postSessionIdPermissionsPermissionId({
        path: { id: sessionID, permissionID: id },
        body: { response: "reject" },
      });
    // The plugin client has no method for this route, so this uses its HTTP client.
    const { _client: http } = client as unknown as { _client: { post(options: object): Promise<unknown> } };
    return http.post({ url: "/question/{requestID}/reject", path: { requestID: id } });
  }

  /** Only the fork's own messages: those copied from its parent keep their old timestamps. */
  async function readSince(id: string, sinceMs: number): Promise<readonly Message[]> {
    const messages = (await bounded(() => client.session.messages({ path: { id } })))?.data ?? [];
    return messages.filter(({ info }) => info.time.created >= sinceMs) as readonly Message[];
  }
}

/** Weight of a cached token relative to an uncached one when a session's tokens are limited. */
const CACHED_WEIGHT = 0.1;

/** Adds up the tokens of a session's answers; calls `breakOff` above `maxTokens`. */
function createTokenWatch(
  maxTokens: number,
  breakOff: (trouble: Trouble) => void,
): (messageID: string, tokens: UsedTokens) => void {
  const spent = new Map<string, number>();
  return (messageID, { cacheRead, input, output }) => {
    spent.set(messageID, input + output + cacheRead * CACHED_WEIGHT);
    const sum = [...spent.values()].reduce((total, tokens) => total + tokens, 0);
    if (sum > maxTokens) breakOff({ reason: `it took more than ${maxTokens} tokens`, isRefusal: false });
  };
}

const refused = (reason: string): ForkResult => ({ kind: "refused", reason });

function readResult(
  ending: Ending,
  { messages, refusals }: Pick<ForkRun, "messages" | "refusals">,
): ForkResult {
  const answers = messages.filter(({ info }) => info.role === "assistant");
  const counted = answers.map(({ info }) => readTokens(info as unknown as AssistantMessage));
  const [first] = counted;
  const run: ForkRun = {
    ...(first && first.input + first.cacheRead > 0 && { first }),
    used: counted.length > 0 ? sumTokens(counted) : NO_TOKENS,
    requests: answers.length,
    messages,
    refusals,
  };
  if (ending.kind === "brokenOff") return { kind: "failed", reason: ending.trouble.reason, run };
  const { info, parts } = ending.answer;
  if (info.error) return { kind: "failed", reason: readMessage(info.error), run };
  const text = readText(parts).trim();
  return text === ""
    ? { kind: "failed", reason: "it ended without an answer", run }
    : { kind: "answered", text, run };
}

/* Opens and removes sessions for forks, with their parent's agent, model and permissions. Every call is bounded. */

export interface ForkOpening {
  /** Agent, model and tools of the user message the parent is answering; `undefined` if the host does not answer. */
  readManner(request: ForkRequest): Promise<Manner | undefined>;
  /** ID of the new session; `undefined` if the host opened none. */
  open(request: ForkRequest): Promise<string | undefined>;
  remove(id: string): Promise<void>;
}

export interface ForkOpeningOptions {
  client: PluginInput["client"];
  bounded: Asking["bounded"];
  forkSessions: Pick<ForkSessions, "expect">;
  processes: Pick<Processes, "ownID">;
}

/** The prompt options of a session's last user message. */
export type Manner = Omit<PromptBody, "parts" | "messageID">;

/**
 * The host copies and removes message by message and sends an event for each: five concurrent forks of 30 messages took
 * over five seconds on a busy machine.
 */
const COPYING_DEADLINE_MS = 60_000;

export function createForkOpening(options: ForkOpeningOptions): ForkOpening {
  const { bounded, client, forkSessions, processes } = options;

  return {
    async readManner({ messageID, parentID }) {
      const answer = await readInfo(parentID, messageID);
      const asked = answer?.role === "assistant" ? await readInfo(parentID, answer.parentID) : undefined;
      if (asked?.role !== "user") return undefined;
      const { agent, model, system, tools } = asked;
      const { variant, ...name } = model as typeof model & { variant?: string };
      return {
        agent,
        model: name,
        ...(system !== undefined && { system }),
        ...(tools && { tools }),
        ...(variant !== undefined && { variant }),
      };
    },

    async open(request) {
      const parent = (await bounded(() => client.session.get({ path: { id: request.parentID } })))?.data;
      if (!parent) return undefined;
      const title = formatForkTitle(request.title, processes.ownID);
      const id =
        request.history === "shared"
          ? await fork(request, { title, parentTitle: parent.title })
          : await bounded(() => create({ parentID: request.parentID, title }));
      if (id === undefined) return undefined;
      // Missing from this version's SDK type.
      const { permission } = parent as { permission?: unknown };
      if (await retitle(id, { title, ...(permission !== undefined && { permission }) })) return id;
      // Without its title the sweep could not find it after a crash.
      await remove(id);
      return undefined;
    },

    remove,
  };

  async function readInfo(id: string, messageID: string) {
    return (await bounded(() => client.session.message({ path: { id, messageID } })))?.data?.info;
  }

  async function fork(
    { messageID, parentID }: ForkRequest,
    { parentTitle, title }: { title: string; parentTitle: string },
  ): Promise<string | undefined> {
    const stop = forkSessions.expect(parentTitle, (id) => void retitle(id, { title }));
    const forked = await bounded(async (late) => {
      const { data } = await client.session.fork({ path: { id: parentID }, body: { messageID } });
      if (data && late.aborted) void remove(data.id);
      return data;
    }, COPYING_DEADLINE_MS);
    for (const [id, persons] of stop()) if (id !== forked?.id) await retitle(id, { title: persons });
    return forked?.id;
  }

  async function create(body: { parentID: string; title: string }): Promise<string | undefined> {
    return (await client.session.create({ body })).data?.id;
  }

  async function retitle(id: string, body: { title: string; permission?: unknown }): Promise<boolean> {
    const updated = await bounded(() => client.session.update({ path: { id }, body }));
    return updated?.data !== undefined;
  }

  async function remove(id: string): Promise<void> {
    await bounded(() => client.session.delete({ path: { id } }), COPYING_DEADLINE_MS);
  }
}
