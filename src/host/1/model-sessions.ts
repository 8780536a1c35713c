/**
 * Runs a model in a session of the plugin's own, and removes the session afterwards:
 *
 *     generate    open a hidden child → ask → (break off) → count the tokens → remove
 *     runFork     read the prompt options → fork, or open an empty child → title and permissions → ask → (break off)
 *                 → read the messages → remove
 *
 * Every step is bounded. A turn is broken off when it exceeds its deadline or its tokens, and in a child session also
 * when the provider refuses the request (the host would retry without limit) or the model calls a tool, for it has none.
 * No person watches a fork, so all its permission requests and questions are refused at once. The sweep at the next start
 * removes sessions that could not be removed or whose process was killed first.
 *
 * A fork's first request repeats the bytes of its parent's last request only with the same prompt options. So the fork
 * gets the agent, model, tools and system text of the message the parent is answering, and the parent's permissions,
 * which decide which tools exist; the host's own fork omits permissions (measured).
 */
import type { PluginInput } from "@opencode-ai/plugin";
import type { AssistantMessage, Part } from "@opencode-ai/sdk";
import PQueue from "p-queue";
import { formatError } from "../../base/error.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type {
  ForkRequest,
  ForkResult,
  ForkRun,
  Generated,
  GenerateRequest,
  OwnSession,
  UsedTokens,
} from "../../io/host.js";
import type { Message } from "../../io/message.js";
import type { Processes } from "../../io/running-processes.js";
import { failed, NO_TOKENS, splitModel } from "../readings.js";
import {
  type Ask,
  formatChildTitle,
  formatForkTitle,
  isOurs,
  OWN_AGENT,
  type PluginSessions,
  readOpener,
  readTokens,
  type Trouble,
  type Watcher,
} from "./plugin-sessions.js";

interface ModelSessionsOptions {
  /** Instead of the hidden agent without tools. */
  agent?: string;
  client: PluginInput["client"];
  clock: Clock;
  sessions: PluginSessions;
  processes: Processes;
}

type Session = ModelSessionsOptions & { bounded: Bounded };

/** The host's answer, or `undefined` after `deadlineMs` (5 s) or an error. */
export type Bounded = <T>(
  call: (signal: AbortSignal) => Promise<T>,
  deadlineMs?: number,
) => Promise<T | undefined>;

const CALL_DEADLINE_MS = 5_000;
/** The host copies and removes message by message: five concurrent forks of 30 messages took over five seconds. */
const COPYING_DEADLINE_MS = 60_000;
/** More than can ever be left over. Without a limit the host lists only the newest hundred. */
const MOST_LISTED = 1_000;

export const createBounded =
  (clock: Clock): Bounded =>
  async (call, deadlineMs = CALL_DEADLINE_MS) => {
    const waited = await waitAtMost(clock, deadlineMs, call);
    return waited.kind === "done" ? waited.value : undefined;
  };

export function createModelSessions(options: ModelSessionsOptions) {
  const session: Session = { ...options, bounded: createBounded(options.clock) };
  const { bounded, client, processes } = session;
  /** Copies one at a time, so that the first fork can start before the last is copied. */
  const opening = new PQueue({ concurrency: 1 });
  return {
    /** Never rejects. */
    generate: (request: GenerateRequest) => generate(session, request),
    /** Never rejects. */
    runFork: (request: ForkRequest) => runFork(session, opening, request),

    /** Sessions of this kind in the host's list; `undefined` if the host does not answer. */
    async list(): Promise<OwnSession[] | undefined> {
      // The route accepts parameters that this version's SDK type leaves out.
      const query = { search: "[strata", limit: MOST_LISTED } as { directory?: string };
      const listed = (await bounded(() => client.session.list({ query })))?.data;
      return listed?.filter(isOurs).map(({ id, title, time }) => ({
        id,
        updatedMs: time.updated,
        openedBy: processes.isRunning(readOpener(title), time.created) ? "running" : "ended",
      }));
    },

    remove: (id: string) => remove(session, id),
  };
}

async function remove({ bounded, client }: Session, id: string): Promise<boolean> {
  const answer = await bounded(() => client.session.delete({ path: { id } }), COPYING_DEADLINE_MS);
  return answer?.data === true || answer?.response?.status === 404;
}

type PromptBody = NonNullable<Parameters<PluginInput["client"]["session"]["prompt"]>[0]["body"]>;

interface Answer {
  info: AssistantMessage;
  parts: Part[];
}

/** How the wait for an answer ended. */
type Ending = { answer: Answer; trouble?: never } | { trouble: Trouble };

interface Asked {
  id: string;
  body: PromptBody;
  signal: AbortSignal;
  deadlineMs: number;
  /** Gets what breaks the turn off. */
  watcher(breakOff: (trouble: Trouble) => void): Watcher;
}

/** Prompts a session and waits for the turn to end. Never rejects. */
async function ask(session: Session, { body, deadlineMs, id, signal, watcher }: Asked): Promise<Ending> {
  const { bounded, client, clock, sessions } = session;
  let breakOff = (_trouble: Trouble): void => {};
  const brokenOff = new Promise<Ending>((resolve) => {
    breakOff = (trouble) => resolve({ trouble });
  });
  const callOff = (): void => breakOff({ reason: "called off" });
  signal.addEventListener("abort", callOff, { once: true });
  const unwatch = sessions.watch(id, watcher(breakOff));
  const prompt = async (): Promise<Ending> => {
    const waited = await waitAtMost(clock, deadlineMs, () => client.session.prompt({ path: { id }, body }));
    if (waited.kind === "overran") return { trouble: { reason: `no answer within ${deadlineMs / 1_000} s` } };
    if (waited.kind === "failed") return { trouble: { reason: formatError(waited.thrown) } };
    const { data, error } = waited.value;
    return data ? { answer: data } : { trouble: { reason: `the host refused: ${readMessage(error)}` } };
  };
  const ending = await Promise.race([prompt(), brokenOff]);
  unwatch();
  signal.removeEventListener("abort", callOff);
  // Breaking off ended only the wait: the host continues the turn until it is aborted.
  if (ending.trouble) await bounded(() => client.session.abort({ path: { id } }));
  return ending;
}

async function generate(session: Session, request: GenerateRequest): Promise<Generated> {
  const { agent = OWN_AGENT, bounded, client } = session;
  const { deadlineMs, model, prompt, signal } = request;
  if (signal.aborted) return failed("called off before it began", NO_TOKENS);
  const id = await openChild(session, request);
  if (id === undefined) return failed("the host opened no session for it", NO_TOKENS);
  const ending = await ask(session, {
    ...{ id, deadlineMs, signal },
    body: {
      agent,
      ...(model !== undefined && { model: splitModel(model) }),
      parts: [{ type: "text" as const, text: prompt }],
    },
    watcher: (breakOff) => ({ onTrouble: breakOff }),
  });
  const messages = (await bounded(() => client.session.messages({ path: { id } })))?.data ?? [];
  // One turn can take several requests.
  const answers = messages.filter((message): message is Answer => message.info.role === "assistant");
  const generated = readGenerated(ending, answers);
  await remove(session, id);
  return generated;
}

type Created = Promise<{ data: { id: string } | undefined }>;

/** A session that is opened too late is removed at once. */
function open(session: Session, create: () => Created, deadlineMs?: number) {
  return session.bounded(async (late) => {
    const { data } = await create();
    if (data && late.aborted) void remove(session, data.id);
    return data;
  }, deadlineMs);
}

async function openChild(session: Session, { maxAnswerTokens, parentID, title }: GenerateRequest) {
  const { client, processes, sessions } = session;
  const body = { parentID, title: formatChildTitle(title, processes.ownID) };
  const created = await open(session, () => client.session.create({ body }));
  if (created) sessions.addChild(created.id, maxAnswerTokens);
  return created?.id;
}

function readGenerated(ending: Ending, answers: readonly Answer[]): Generated {
  const counted = !ending.trouble && answers.length === 0 ? [ending.answer] : answers;
  const used = sumTokens(counted.map(({ info }) => readTokens(info)));
  const hasSpent = used.input + used.output + used.cacheRead > 0;
  if (ending.trouble) {
    const { reason, isRefusal } = ending.trouble;
    const isUnspent = isRefusal === true && answers.every(({ parts }) => parts.length === 0);
    return failed(reason, hasSpent ? used : isUnspent ? NO_TOKENS : undefined);
  }
  const { info, parts } = ending.answer;
  if (info.error) {
    const status = info.error.name === "APIError" ? info.error.data.statusCode : undefined;
    const tokens = hasSpent || status !== undefined ? used : undefined;
    return { ...failed(readMessage(info.error), tokens), ...(status !== undefined && { status }) };
  }
  const text = readText(parts);
  if (info.finish === "length") return failed("the answer was cut off at the model's output limit", used);
  if (text.trim() === "") return failed("the answer is empty", used);
  return { kind: "text", text, tokens: used };
}

async function runFork(session: Session, opening: PQueue, request: ForkRequest): Promise<ForkResult> {
  const { bounded, client, clock, sessions } = session;
  const { deadlineMs, history, parentID, prompt, signal } = request;
  const isFork = history === "shared";
  const manner = await readManner(session, request);
  if (!manner) return refused("the host does not say how this session was asked last");
  const id = await opening.add(async () => (signal.aborted ? undefined : openFork(session, request)));
  if (signal.aborted && id === undefined) return refused("called off before it began");
  if (id === undefined) return refused(`the host opened no ${isFork ? "fork" : "session"}`);
  sessions.addFork({ id, askerID: parentID, isFork });
  const askedMs = clock.now();
  const refusals: string[] = [];
  const ending = await ask(session, {
    ...{ id, deadlineMs, signal },
    body: { ...manner, parts: [{ type: "text" as const, text: prompt }] },
    watcher: (breakOff) => ({
      onAsk(asked) {
        refusals.push(asked.what);
        void bounded(() => refuse(client, asked));
      },
      onAnswer: createTokenWatch(request.maxTokens, breakOff),
    }),
  });
  const all = (await bounded(() => client.session.messages({ path: { id } })))?.data ?? [];
  // Only the fork's own messages: those copied from its parent keep their old timestamps.
  const messages = all.filter(({ info }) => info.time.created >= askedMs) as readonly Message[];
  await remove(session, id);
  return readFork(ending, messages, refusals);
}

const refused = (reason: string): ForkResult => ({ kind: "refused", reason });

/** Agent, model and tools of the user message the parent is answering; `undefined` if the host does not answer. */
async function readManner({ bounded, client }: Session, { messageID, parentID }: ForkRequest) {
  const readInfo = async (id: string) =>
    (await bounded(() => client.session.message({ path: { id: parentID, messageID: id } })))?.data?.info;
  const answer = await readInfo(messageID);
  const asked = answer?.role === "assistant" ? await readInfo(answer.parentID) : undefined;
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

async function openFork(session: Session, { history, messageID, parentID, title: purpose }: ForkRequest) {
  const { bounded, client, processes } = session;
  const parent = (await bounded(() => client.session.get({ path: { id: parentID } })))?.data;
  if (!parent) return undefined;
  const title = formatForkTitle(purpose, processes.ownID);
  const create = () =>
    history === "shared"
      ? client.session.fork({ path: { id: parentID }, body: { messageID } })
      : client.session.create({ body: { parentID, title } });
  const opened = await open(session, create, COPYING_DEADLINE_MS);
  if (!opened) return undefined;
  const path = { id: opened.id };
  // Missing from this version's SDK type.
  const { permission } = parent as { permission?: unknown };
  const body = { title, ...(permission !== undefined && { permission }) };
  if ((await bounded(() => client.session.update({ path, body })))?.data !== undefined) return opened.id;
  // Without its title the sweep could not find it after a crash.
  await remove(session, opened.id);
  return undefined;
}

function refuse(client: PluginInput["client"], { id, kind, sessionID }: Ask): Promise<unknown> {
  if (kind === "permission")
    return client.postSessionIdPermissionsPermissionId({
      path: { id: sessionID, permissionID: id },
      body: { response: "reject" },
    });
  // The plugin client has no method for this route, so this uses its HTTP client.
  const { _client: http } = client as unknown as { _client: { post(options: object): Promise<unknown> } };
  return http.post({ url: "/question/{requestID}/reject", path: { requestID: id } });
}

/** Weight of a cached token relative to an uncached one when a session's tokens are limited. */
const CACHED_WEIGHT = 0.1;

/** Adds up the tokens of a session's answers; calls `breakOff` above `maxTokens`. */
function createTokenWatch(maxTokens: number, breakOff: (trouble: Trouble) => void) {
  const spent = new Map<string, number>();
  return (messageID: string, { cacheRead, input, output }: UsedTokens): void => {
    spent.set(messageID, input + output + cacheRead * CACHED_WEIGHT);
    const sum = [...spent.values()].reduce((total, tokens) => total + tokens, 0);
    if (sum > maxTokens) breakOff({ reason: `it took more than ${maxTokens} tokens` });
  };
}

function readFork(ending: Ending, messages: readonly Message[], refusals: readonly string[]): ForkResult {
  const answers = messages.filter(({ info }) => info.role === "assistant");
  const counted = answers.map(({ info }) => readTokens(info as unknown as AssistantMessage));
  const [first] = counted;
  const run: ForkRun = {
    ...(first && first.input + first.cacheRead > 0 && { first }),
    ...{ used: sumTokens(counted), requests: answers.length, messages, refusals },
  };
  if (ending.trouble) return { kind: "failed", reason: ending.trouble.reason, run };
  const { info, parts } = ending.answer;
  if (info.error) return { kind: "failed", reason: readMessage(info.error), run };
  const text = readText(parts).trim();
  if (text === "") return { kind: "failed", reason: "it ended without an answer", run };
  return { kind: "answered", text, run };
}

function sumTokens(all: readonly UsedTokens[]): UsedTokens {
  const sumOf = (kind: keyof UsedTokens): number => all.reduce((sum, one) => sum + one[kind], 0);
  return { input: sumOf("input"), output: sumOf("output"), cacheRead: sumOf("cacheRead") };
}

/** Text parts only, without tool calls. */
function readText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function readMessage(error: unknown): string {
  const { name, data } = (error ?? {}) as { name?: unknown; data?: { message?: unknown } };
  return String(data?.message ?? name ?? "it did not say why");
}
