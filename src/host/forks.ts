/**
 * Has a task done on a fork of a session, or in an empty child of it:
 *
 *     how was the session asked → open → title and permissions → ask → (break off) → read what it did → remove
 *
 * The first request of a fork begins with the bytes of its parent's last one only if it is asked in the same way, so
 * agent, model, tools and system text are those of the message that the parent is answering, and the permissions, which
 * decide what tools there are, those of the parent; the host's own fork leaves them out (measured).
 *
 * Every step is bounded, and nobody sits before it: what it asks a person for is refused at once.
 */
import type { PluginInput } from "@opencode-ai/plugin";
import type { AssistantMessage } from "@opencode-ai/sdk";
import PQueue from "p-queue";
import type { Message } from "../conversation/message.js";
import type { Clock } from "../seams/clock.js";
import type { ForkRequest, ForkResult, ForkRun } from "../seams/host.js";
import {
  createAsking,
  createTokenWatch,
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
import type { Processes } from "./processes.js";

export interface ForksOptions {
  client: PluginInput["client"];
  clock: Clock;
  forkSessions: ForkSessions;
  processes: Processes;
}

/** How a session was asked last. */
type Manner = Omit<PromptBody, "parts" | "messageID">;

/**
 * The host copies and removes message by message, with an event for each: five forks of 30 messages at once have taken
 * over five seconds on a busy machine.
 */
const COPYING_DEADLINE_MS = 60_000;

/** Never rejects. */
export function createForks(options: ForksOptions): (request: ForkRequest) => Promise<ForkResult> {
  const { client, clock, forkSessions, processes } = options;
  const { ask, bounded } = createAsking(client, clock);
  /** One after the other, so that the first can begin before the last is copied. */
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

  /** Of the message that the parent is answering. */
  async function readManner({ messageID, parentID }: ForkRequest): Promise<Manner | undefined> {
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
  }

  async function readInfo(id: string, messageID: string) {
    return (await bounded(() => client.session.message({ path: { id, messageID } })))?.data?.info;
  }

  /** One that cannot be given its title would not be found after a crash: it goes at once. */
  async function open(request: ForkRequest): Promise<string | undefined> {
    const parent = (await bounded(() => client.session.get({ path: { id: request.parentID } })))?.data;
    if (!parent) return undefined;
    const title = formatForkTitle(request.title, processes.ownID);
    const id =
      request.history === "shared"
        ? await fork(request, { title, parentTitle: parent.title })
        : await bounded(() => create({ parentID: request.parentID, title }));
    if (id === undefined) return undefined;
    // The SDK's type of this version does not name it.
    const { permission } = parent as { permission?: unknown };
    if (await retitle(id, { title, ...(permission !== undefined && { permission }) })) return id;
    await remove(id);
    return undefined;
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
    // The client of the plugin interface has no method for it; its request goes the way of the others.
    const { _client: http } = client as unknown as { _client: { post(options: object): Promise<unknown> } };
    return http.post({ url: "/question/{requestID}/reject", path: { requestID: id } });
  }

  /** A fork has the messages of its parent under their old times. */
  async function readSince(id: string, sinceMs: number): Promise<readonly Message[]> {
    const messages = (await bounded(() => client.session.messages({ path: { id } })))?.data ?? [];
    return messages.filter(({ info }) => info.time.created >= sinceMs) as readonly Message[];
  }

  async function remove(id: string): Promise<void> {
    await bounded(() => client.session.delete({ path: { id } }), COPYING_DEADLINE_MS);
  }
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
