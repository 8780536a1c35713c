/**
 * Generates text with a model in a hidden child session:
 *
 *     open → ask → (break off) → count the tokens → remove
 *
 * Every step is bounded. A turn is broken off when it exceeds its deadline, when the provider refuses the request (the
 * host would retry without limit), and when the model calls a tool, for it has none. The sweep at the next start removes
 * sessions that could not be removed or whose process was killed first.
 */
import type { PluginInput } from "@opencode-ai/plugin";
import type { Clock } from "../../io/clock.js";
import type { Generated, GenerateRequest, OwnSession, UsedTokens } from "../../io/host.js";
import type { Processes } from "../../io/running-processes.js";
import {
  type Answer,
  createAsking,
  type Ending,
  NO_TOKENS,
  readMessage,
  readText,
  readTokens,
  sumTokens,
} from "./asking.js";
import { FORK_TITLE } from "./fork-sessions.js";
import { formatOwnTitle, hasOwnTitle, OWN_AGENT, type OwnSessions, readOpener } from "./own-sessions.js";

export interface ChildSessions {
  generate(request: GenerateRequest): Promise<Generated>;
  /** `undefined` if the host does not answer. */
  list(): Promise<OwnSession[] | undefined>;
  remove(sessionID: string): Promise<boolean>;
}

export interface ChildSessionsOptions {
  /** Instead of the hidden agent without tools. */
  agent?: string;
  client: PluginInput["client"];
  clock: Clock;
  ownSessions: OwnSessions;
  processes: Processes;
}

/** More than can ever be left over. Without a limit the host lists only the newest hundred. */
const MOST_LISTED = 1_000;
/** Part of the title of each of our sessions. */
const SEARCHED = "[strata";

export function createChildSessions(options: ChildSessionsOptions): ChildSessions {
  const { agent = OWN_AGENT, client, clock, ownSessions, processes } = options;
  const { ask, bounded } = createAsking(client, clock);

  return {
    async generate(request) {
      if (request.signal.aborted) return failed("called off before it began", NO_TOKENS);
      const id = await open(request);
      if (id === undefined) return failed("the host opened no session for it", NO_TOKENS);
      const ending = await ask(id, planBody(request, agent), {
        ...request,
        watch: (breakOff) => ownSessions.watch(id, breakOff),
      });
      if (ending.kind === "brokenOff") await bounded(() => client.session.abort({ path: { id } }));
      const generated = readEnding(ending, await readAnswers(id));
      await remove(id);
      return generated;
    },

    async list() {
      // The route accepts parameters that this version's SDK type leaves out.
      const query = { search: SEARCHED, limit: MOST_LISTED } as { directory?: string };
      const sessions = (await bounded(() => client.session.list({ query })))?.data;
      return sessions?.filter(isOurs).map(({ id, title, time }) => ({
        id,
        updatedMs: time.updated,
        openedBy: processes.isRunning(readOpener(title), time.created) ? "running" : "ended",
      }));
    },

    remove,
  };

  async function open({ maxAnswerTokens, parentID, title }: GenerateRequest): Promise<string | undefined> {
    const body = { parentID, title: formatOwnTitle(title, processes.ownID) };
    const created = await bounded(async (signal) => {
      const { data } = await client.session.create({ body });
      if (data && signal.aborted) void remove(data.id);
      return data;
    });
    if (created) ownSessions.add(created.id, maxAnswerTokens);
    return created?.id;
  }

  /** All answers of the session: one turn can take several requests. */
  async function readAnswers(id: string): Promise<Answer[]> {
    const messages = (await bounded(() => client.session.messages({ path: { id } })))?.data ?? [];
    return messages.filter((message): message is Answer => message.info.role === "assistant");
  }

  async function remove(id: string): Promise<boolean> {
    const answer = await bounded(() => client.session.delete({ path: { id } }));
    return answer?.data === true || answer?.response?.status === 404;
  }
}

/** A fork has no parent, so only its title, which names the process that opened it, identifies it. */
export function isOurs({ title, parentID }: { title: string; parentID?: string }): boolean {
  if (title.startsWith(FORK_TITLE)) return readOpener(title) !== undefined;
  return hasOwnTitle({ title, parentID });
}

function planBody({ prompt, model }: GenerateRequest, agent: string) {
  return {
    agent,
    ...(model !== undefined && { model: splitModel(model) }),
    parts: [{ type: "text" as const, text: prompt }],
  };
}

function readEnding(ending: Ending, answers: readonly Answer[]): Generated {
  const counted = ending.kind === "answered" && answers.length === 0 ? [ending.answer] : answers;
  const used = sumTokens(counted.map(({ info }) => readTokens(info)));
  const hasSpent = used.input + used.output + used.cacheRead > 0;
  if (ending.kind === "brokenOff") {
    const { reason, isRefusal } = ending.trouble;
    const isUnspent = isRefusal && answers.every(({ parts }) => parts.length === 0);
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

function failed(reason: string, tokens: UsedTokens | undefined): Generated & { kind: "failed" } {
  return { kind: "failed", reason, ...(tokens && { tokens }) };
}

function splitModel(model: string): { providerID: string; modelID: string } {
  const slash = model.indexOf("/");
  return { providerID: model.slice(0, slash), modelID: model.slice(slash + 1) };
}
