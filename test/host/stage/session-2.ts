/** A session of OpenCode 2, with the methods and the stored messages of one of OpenCode 1. */
import { isRecord, type PlainRecord } from "../../../src/base/shape.js";
import { patiently } from "../../support/patience.js";
import type { Api, AskOptions, Session, StoredMessage, TurnResult } from "./session.js";

/** `api` sends requests below `/api`, for the project's location; `isReady` resolves when a turn has all its tools. */
export function createSession2(api: Api, id: string, isReady: () => Promise<void>): Session {
  const path = `/session/${id}`;

  async function messages(): Promise<StoredMessage[]> {
    // An answer to a command waits for the next turn, but is shown at once.
    const waiting = (await readInbox()).map(({ payload, ...one }) => ({ ...one, ...(payload as object) }));
    const all = [...(await readAll()), ...waiting.filter(({ type }: PlainRecord) => type === "synthetic")];
    return all.flatMap((one) => toMessage(id, one) ?? []);
  }

  async function readAll(): Promise<PlainRecord[]> {
    const all: PlainRecord[] = [];
    let query = "limit=200&order=asc";
    for (;;) {
      const page = await api<{ data: PlainRecord[]; cursor?: { next?: string } }>(
        "GET",
        `${path}/message?${query}`,
      );
      all.push(...page.data);
      if (!page.cursor?.next || page.data.length === 0) return all;
      query = `limit=200&cursor=${encodeURIComponent(page.cursor.next)}`;
    }
  }

  const readInbox = async (): Promise<PlainRecord[]> =>
    (await api<{ data: PlainRecord[] }>("GET", `${path}/inbox`)).data;

  /** A turn has ended when nothing runs and nothing waits. */
  async function settle(timeoutMs = 60_000): Promise<void> {
    const endMs = Date.now() + patiently(timeoutMs);
    for (;;) {
      await api("POST", `/experimental/session/${id}/wait`, undefined, timeoutMs);
      const [{ data: active }, waiting] = await Promise.all([
        api<{ data: PlainRecord }>("GET", "/session/active"),
        readInbox(),
      ]);
      if (!active[id] && waiting.every(({ type }) => type === "synthetic")) return;
      if (Date.now() > endMs) throw new Error(`${id} was still at work after ${timeoutMs} ms`);
    }
  }

  async function turn(begin: () => Promise<unknown>, timeoutMs?: number): Promise<TurnResult> {
    await begin();
    await settle(timeoutMs);
    const last = (await messages()).findLast(({ info }) => info.role === "assistant");
    if (!last) throw new Error(`${id} has no answer`);
    const text = last.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { ...(last as unknown as TurnResult), text };
  }

  async function ask(
    text: string,
    { agent, model, parts = [], timeoutMs }: AskOptions = {},
  ): Promise<TurnResult> {
    await isReady();
    if (agent) await api("POST", `${path}/agent`, { agent });
    if (model) await api("POST", `${path}/model`, { model: { providerID: "mock", id: model } });
    const files = (parts as { url: string; filename?: string }[]).map(({ filename, url }) => ({
      uri: url,
      ...(filename !== undefined && { name: filename }),
    }));
    return turn(() => api("POST", `${path}/prompt`, { text, files }), timeoutMs);
  }

  return {
    id,
    ask,
    command: (name, args = "") => turn(() => api("POST", `${path}/command`, { name, text: args })),
    async slash(name, words = "") {
      await api("POST", `${path}/command`, { name, text: words });
      const shown = (await messages()).flatMap(({ parts }) => parts);
      const answer = shown.findLast((part) => part.type === "text" && part.ignored);
      return answer?.type === "text" ? answer.text : "";
    },
    messages,
    info: async () => (await api<{ data: never }>("GET", path)).data,
    async fork(messageID) {
      const body = messageID === undefined ? {} : { before: messageID };
      const { data } = await api<{ data: { id: string } }>("POST", `${path}/fork`, body);
      return createSession2(api, data.id, isReady);
    },
    revert: (messageID) => api("POST", `${path}/revert/stage`, { messageID }),
    unrevert: () => api("DELETE", `${path}/revert`),
    abort: () => api("POST", `${path}/interrupt`),
    async summarize() {
      await api("POST", `${path}/compact`, {});
      await settle();
    },
    remove: () => api("DELETE", path),
  };
}

const USERS = new Set(["user", "synthetic", "skill", "shell"]);

function toMessage(sessionID: string, stored: PlainRecord): StoredMessage | undefined {
  const { content, error, finish, id, model, snapshot, time, tokens, type } = stored;
  const info = { id, sessionID, time, ...(isRecord(error) && { error: { name: error.type, data: error } }) };
  if (USERS.has(String(type))) {
    // What a command of Strata's answers is shown, and not sent.
    const isShown = isRecord(stored.metadata) && stored.metadata.strata !== undefined;
    const text = isShown ? stored.description : stored.text;
    const part = {
      ...{ type: "text", text },
      ...(isShown ? { ignored: true } : type !== "user" && { synthetic: true }),
    };
    return make({ ...info, role: "user" }, [part]);
  }
  if (type === "compaction")
    return make({ ...info, role: "assistant", summary: true }, [{ type: "text", text: stored.summary }]);
  if (type !== "assistant") return undefined;
  const { id: modelID, providerID } = isRecord(model) ? model : {};
  const parts = (content as PlainRecord[]).map(toPart);
  const files = isRecord(snapshot) && Array.isArray(snapshot.files) ? snapshot.files : [];
  if (files.length > 0) parts.push({ type: "patch", files });
  return make({ ...info, role: "assistant", finish, modelID, providerID, tokens }, parts);
}

function toPart(part: PlainRecord): PlainRecord {
  if (part.type !== "tool") return part;
  const { content, error, ...state } = part.state as PlainRecord & { content?: PlainRecord[] };
  const output = (content ?? []).map(({ text }) => text ?? "").join("\n");
  // Of a command's result that was cut, only the text names the file.
  const outputPath = /\[full output saved to (.*)\]/.exec(output)?.[1];
  const failed = isRecord(error) && { error: error.message };
  return {
    type: "tool",
    tool: part.name,
    callID: part.id,
    state: {
      ...{ ...state, output, ...failed, time: part.time },
      metadata: { ...(state.metadata as object), ...(outputPath !== undefined && { outputPath }) },
    },
  };
}

const make = (info: PlainRecord, parts: PlainRecord[]): StoredMessage =>
  ({ info, parts }) as unknown as StoredMessage;
