/**
 * Has a model write something, in a hidden child session:
 *
 *     open → ask → (break off) → count the tokens → remove
 *
 * Every step is bounded. What is broken off here: a turn that takes longer than the deadline, one whose request the
 * provider has refused and that the host would try again without end, and one in which the model calls tools. A
 * session that cannot be removed, or whose process is killed before it is, goes with the sweep at the next start.
 */
import type { PluginInput } from "@opencode-ai/plugin";
import type { AssistantMessage, Part } from "@opencode-ai/sdk";
import { formatError } from "../error.js";
import { type Clock, type Waited, waitAtMost } from "../seams/clock.js";
import type { Generated, GenerateRequest, OwnSession, UsedTokens } from "../seams/host.js";
import {
  formatOwnTitle,
  OWN_AGENT,
  OWN_TITLE,
  type OwnSessions,
  readOpener,
  type Trouble,
} from "./own-sessions.js";
import type { Processes } from "./processes.js";

export interface ChildSessions {
  generate(request: GenerateRequest): Promise<Generated>;
  /** `undefined` when the host does not say. */
  list(): Promise<OwnSession[] | undefined>;
  remove(sessionID: string): Promise<boolean>;
}

export interface ChildSessionsOptions {
  client: PluginInput["client"];
  clock: Clock;
  ownSessions: OwnSessions;
  processes: Processes;
}

const CALL_DEADLINE_MS = 5_000;
/** More than can ever be left behind; without it the host lists no more than its newest hundred. */
const MOST_LISTED = 1_000;
const NOTHING: UsedTokens = { input: 0, output: 0, cacheRead: 0 };

interface Answer {
  info: AssistantMessage;
  parts: Part[];
}

/** How the wait for an answer ended. */
type Ending = { kind: "answered"; answer: Answer } | { kind: "brokenOff"; trouble: Trouble };

export function createChildSessions(options: ChildSessionsOptions): ChildSessions {
  const { client, clock, ownSessions, processes } = options;

  return {
    async generate(request) {
      if (request.signal.aborted) return failed("called off before it began", NOTHING);
      const id = await open(request);
      if (id === undefined) return failed("the host opened no session for it", NOTHING);
      const ending = await ask(id, request);
      if (ending.kind === "brokenOff") await bounded(() => client.session.abort({ path: { id } }));
      const generated = readEnding(ending, await readAnswers(id));
      await remove(id);
      return generated;
    },

    async list() {
      // The route takes more than the SDK's type of this version names.
      const query = { search: OWN_TITLE.trim(), limit: MOST_LISTED } as { directory?: string };
      const sessions = (await bounded(() => client.session.list({ query })))?.data;
      return sessions
        ?.filter(({ title, parentID }) => parentID !== undefined && title.startsWith(OWN_TITLE))
        .map(({ id, title, time }) => ({
          id,
          updatedMs: time.updated,
          openedBy: processes.isRunning(readOpener(title), time.created) ? "running" : "ended",
        }));
    },

    remove,
  };

  async function open({ parentID, title }: GenerateRequest): Promise<string | undefined> {
    const body = { parentID, title: formatOwnTitle(title, processes.ownID) };
    const created = await bounded(async (signal) => {
      const { data } = await client.session.create({ body });
      if (data && signal.aborted) void remove(data.id);
      return data;
    });
    if (created) ownSessions.add(created.id);
    return created?.id;
  }

  async function ask(id: string, { prompt, model, signal, deadlineMs }: GenerateRequest): Promise<Ending> {
    let breakOff = (_trouble: Trouble): void => {};
    const brokenOff = new Promise<Ending>((resolve) => {
      breakOff = (trouble) => resolve({ kind: "brokenOff", trouble });
    });
    const callOff = (): void => breakOff({ reason: "called off", isRefusal: false });
    signal.addEventListener("abort", callOff, { once: true });
    const unwatch = ownSessions.watch(id, breakOff);
    const body = {
      agent: OWN_AGENT,
      ...(model !== undefined && { model: splitModel(model) }),
      parts: [{ type: "text" as const, text: prompt }],
    };
    const answered = waitAtMost(clock, deadlineMs, () => client.session.prompt({ path: { id }, body }));
    try {
      return await Promise.race([answered.then((waited) => readWaited(waited, deadlineMs)), brokenOff]);
    } finally {
      unwatch();
      signal.removeEventListener("abort", callOff);
    }
  }

  /** All answers of the session: a turn may have taken more than one request. */
  async function readAnswers(id: string): Promise<Answer[]> {
    const messages = (await bounded(() => client.session.messages({ path: { id } })))?.data ?? [];
    return messages.filter((message): message is Answer => message.info.role === "assistant");
  }

  async function remove(id: string): Promise<boolean> {
    const answer = await bounded(() => client.session.delete({ path: { id } }));
    return answer?.data === true || answer?.response?.status === 404;
  }

  async function bounded<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const waited = await waitAtMost(clock, CALL_DEADLINE_MS, call);
    return waited.kind === "done" ? waited.value : undefined;
  }
}

function readWaited(
  waited: Waited<{ data: Answer | undefined; error: unknown }>,
  deadlineMs: number,
): Ending {
  const brokenOff = (reason: string): Ending => ({
    kind: "brokenOff",
    trouble: { reason, isRefusal: false },
  });
  if (waited.kind === "overran") return brokenOff(`no answer within ${deadlineMs / 1_000} s`);
  if (waited.kind === "failed") return brokenOff(formatError(waited.thrown));
  const { data, error } = waited.value;
  return data ? { kind: "answered", answer: data } : brokenOff(`the host refused: ${readMessage(error)}`);
}

function readEnding(ending: Ending, answers: readonly Answer[]): Generated {
  const used = sumTokens(ending.kind === "answered" && answers.length === 0 ? [ending.answer] : answers);
  const hasSpent = used.input + used.output + used.cacheRead > 0;
  if (ending.kind === "brokenOff") {
    const { reason, isRefusal } = ending.trouble;
    const isUnspent = isRefusal && answers.every(({ parts }) => parts.length === 0);
    return failed(reason, hasSpent ? used : isUnspent ? NOTHING : undefined);
  }
  const { info, parts } = ending.answer;
  if (info.error) {
    const status = info.error.name === "APIError" ? info.error.data.statusCode : undefined;
    const tokens = hasSpent || status !== undefined ? used : undefined;
    return { ...failed(readMessage(info.error), tokens), ...(status !== undefined && { status }) };
  }
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (info.finish === "length") return failed("the answer was cut off at the model's output limit", used);
  if (text.trim() === "") return failed("the answer is empty", used);
  return { kind: "text", text, tokens: used };
}

function failed(reason: string, tokens: UsedTokens | undefined): Generated & { kind: "failed" } {
  return { kind: "failed", reason, ...(tokens && { tokens }) };
}

function sumTokens(answers: readonly Answer[]): UsedTokens {
  const sum = { ...NOTHING };
  for (const { tokens } of answers.map(({ info }) => info)) {
    sum.input += tokens.input + tokens.cache.write;
    sum.output += tokens.output + tokens.reasoning;
    sum.cacheRead += tokens.cache.read;
  }
  return sum;
}

function splitModel(model: string): { providerID: string; modelID: string } {
  const slash = model.indexOf("/");
  return { providerID: model.slice(0, slash), modelID: model.slice(slash + 1) };
}

/** The message in one of the host's errors. */
function readMessage(error: unknown): string {
  const { name, data } = (error ?? {}) as { name?: unknown; data?: { message?: unknown } };
  return String(data?.message ?? name ?? "it did not say why");
}
