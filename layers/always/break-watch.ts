/**
 * Records in the savings ledger each break of the prompt cache that no decision of the plugin causes, before the request
 * is sent: what the host does to a session as a whole, and every message that it sends differently.
 *
 *     view     compares the view after recorded decisions with what was sent last   → break, "the host has changed …"
 *     layers   decide about more, and record their own breaks
 *     sent     asked last: stores what the next request is compared with
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { formatError } from "../../src/base/error.js";
import { formatCount } from "../../src/base/format.js";
import { isRecord, parseJson } from "../../src/base/shape.js";
import { findHostBreak } from "../../src/context/cold.js";
import { estimateTokens } from "../../src/context/context-size.js";
import type { ContextRequest } from "../../src/context/request.js";
import { DERIVED_MS } from "../../src/io/deferred.js";
import { readText } from "../../src/io/files.js";
import { findEventSession } from "../../src/io/host.js";
import { isToolPart, type Message, type Part, readResultText, type ToolPart } from "../../src/io/message.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";

const LAYER = "view";

export type BreakWatch = ReturnType<typeof createBreakWatch>;

export function createBreakWatch(context: KernelContext) {
  const { clock, log, savings } = context;
  const readDigests = createDigestReader();
  const sentViews = createSentViews(context);
  const recorded = new Set<string>();
  /** Requests whose break is in the ledger; it covers all later messages. */
  const explained = new WeakSet<ContextRequest>();

  return {
    /** Records a break that the host causes with this request. */
    async lookAtHost(request: ContextRequest): Promise<void> {
      const found = findHostBreak(request.history, request.model, clock.now());
      // Another agent may have the same prompt and tools, and its messages may still differ.
      if (found && (await recordOnce(request, found.key, found.reason)) && found.kind !== "agent")
        explained.add(request);
    },

    /** Records a break by lost decisions. `key` identifies the loss, which is recorded once. */
    async recordLoss(request: ContextRequest, key: string, reason: string): Promise<void> {
      await recordOnce(request, key, reason);
      explained.add(request);
    },

    explain: (request: ContextRequest): void => void explained.add(request),

    /** Records a break unless the view begins with everything that was sent last. */
    async compare(request: ContextRequest, view: readonly Message[]): Promise<void> {
      const { history, isCompaction, sessionID } = request;
      const isTurn = history.messages.at(-1)?.info.role === "user";
      const last = await sentViews.last(sessionID, { again: isTurn });
      if (isCompaction || !last || explained.has(request)) return;
      const change = findChange(last.digests, readDigests(view));
      if (!change) return;
      const isUnread = last.isUnread === true || !request.isReady();
      await recordChange(request, change, isUnread ? UNREAD : formatChange(change));
    },

    layer: createSentLayer(readDigests, sentViews),
  };

  async function recordOnce({ sessionID }: ContextRequest, key: string, reason: string): Promise<boolean> {
    const name = `${sessionID} ${key}`;
    if (recorded.has(name)) return false;
    recorded.add(name);
    await recordBreak(sessionID, { key, reason }).catch((thrown) => {
      recorded.delete(name);
      throw thrown;
    });
    return true;
  }

  /** No `net`: it would have cost the same without the plugin. */
  async function recordChange(request: ContextRequest, change: Change, what: string): Promise<void> {
    const { history, isCold, sessionID } = request;
    const key = `changed ${change.index} after ${history.messages[history.lastAnswer]?.info.time?.created} at ${clock.now()}`;
    const cacheLost = isCold() ? 0 : change.tokens;
    const reason = `${what}: the ${formatCount(change.tokens)} tokens from there on are sent anew`;
    await recordBreak(sessionID, { key, reason, cacheLost });
  }

  async function recordBreak(session: string, found: { key: string; reason: string; cacheLost?: number }) {
    log.info(LAYER, `the prompt cache of ${session} breaks: ${found.reason}`);
    await savings.recordNow({ session, layer: LAYER, event: "break", ...found });
  }
}

type SentViews = ReturnType<typeof createSentViews>;

function createSentLayer(readDigests: DigestReader, sentViews: SentViews): Layer {
  return {
    name: "sent",
    phase: "after",
    isIndispensable: true,
    servesForks: ["context", "event"],
    handlers: {
      context(request, view) {
        if (request.isCompaction) return undefined;
        const isUnread = !request.isReady();
        sentViews.note(request.sessionID, { digests: readDigests(view), ...(isUnread && { isUnread }) });
        return undefined;
      },

      event({ properties, type }) {
        const sessionID = type === "session.deleted" ? findEventSession(properties) : undefined;
        if (sessionID !== undefined) sentViews.forget(sessionID);
      },
    },
  };
}

const UNREAD = "what was decided earlier could not be read in time, now or for the request before";

/*
 * Digests of the messages last sent in each session, `<state>/views/<sessionID>.json`, so that the next request detects what
 * the host has changed meanwhile, also after a restart.
 *
 * Written whole, in the background: a deleted file comes back with the next request. If a request only adds messages, the
 * write waits for the next ones: a file that lacks the newest messages only detects less.
 */

interface SentView {
  digests: readonly Digest[];
  /** Sent before all earlier decisions were read, so the next view may differ. */
  isUnread?: boolean;
}

function createSentViews({ deferred, files, folders, instance, log, writes }: KernelContext) {
  const known = new Map<string, SentView>();
  const waiting = new Set<string>();
  const pathOf = (session: string): string => join(folders.views, `${session}.json`);

  return {
    /** `undefined` if unknown; with `again` includes what another instance has sent since. */
    async last(session: string, { again }: { again: boolean }): Promise<SentView | undefined> {
      if (waiting.has(session) || (known.has(session) && !again)) return known.get(session);
      const stored = parseSentView((await readText(files, pathOf(session))) ?? "");
      if (stored && (stored.instance !== instance || !known.has(session))) known.set(session, stored);
      return known.get(session);
    },

    note(session: string, view: SentView): void {
      const before = known.get(session);
      known.set(session, view);
      waiting.add(session);
      const isLonger = before?.isUnread === view.isUnread && !findChange(before?.digests ?? [], view.digests);
      if (before && isLonger) deferred.add(pathOf(session), () => write(session), DERIVED_MS);
      else void write(session);
    },

    forget(session: string): void {
      known.delete(session);
      void enqueue("remove", session, () => files.remove(pathOf(session)));
    },
  };

  function write(session: string): Promise<void> {
    return enqueue("write", session, async () => {
      // Written already, with a view noted later than the one that this write was for.
      if (!waiting.delete(session)) return;
      const latest = known.get(session);
      if (latest)
        await files.writeWhole(pathOf(session), formatSentView(latest, instance), { mode: "remade" });
    });
  }

  function enqueue(what: string, session: string, run: () => Promise<void>): Promise<void> {
    const complain = (thrown: unknown) =>
      log.warn(
        LAYER,
        `cannot ${what} ${pathOf(session)} (${formatError(thrown)}); the next request tries again`,
      );
    return writes.add(() => run().catch(complain));
  }
}

/** Sums of another version are others. */
const VERSION = 3;

const formatSentView = ({ digests, isUnread }: SentView, instance: string): string => {
  const messages = digests.map(({ created, role, sum, tokens }) => [role, created, sum, tokens]);
  return JSON.stringify({ v: VERSION, instance, ...(isUnread && { isUnread }), messages });
};

function parseSentView(text: string): (SentView & { instance: string }) | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { instance, isUnread, messages, v } = value;
  if (v !== VERSION || typeof instance !== "string" || !Array.isArray(messages)) return undefined;
  if (!messages.every(isRow)) return undefined;
  const digests = messages.map(([role, created, sum, tokens]) => ({ role, created, sum, tokens }));
  return { instance, digests, ...(isUnread === true && { isUnread }) };
}

const isRow = (row: unknown): row is [role: string, created: number, sum: number, tokens: number] =>
  Array.isArray(row) &&
  row.length === 4 &&
  row.every((one, at) => (at === 0 ? typeof one === "string" : Number.isInteger(one)));

/* A hash of what the host sends of a message. Covers only what reaches the model: titles, times and snapshots may change. */

interface Digest {
  role: string;
  /** Creation time, which identifies the message; 0 if the host does not say. */
  created: number;
  sum: number;
  tokens: number;
}

interface Change {
  kind: "changed" | "removed" | "inserted";
  /** Index of the first earlier message that is no longer in its place. */
  index: number;
  role: string;
  count: number;
  tokens: number;
}

type DigestReader = (messages: readonly Message[]) => Digest[];

/**
 * Digests the messages that are sent, which leaves out answers that failed before they began. The host makes its messages
 * anew for each request, but most say the same as in the list before: to compare them takes a tenth of hashing them.
 */
export function createDigestReader(): DigestReader {
  const read = new WeakMap<Message, SaidDigest>();
  let before: readonly SaidDigest[] = [];
  return (messages) => {
    before = messages.map((message, at) => {
      const known = read.get(message) ?? readDigest(message, before[at]);
      read.set(message, known);
      return known;
    });
    return before.flatMap(({ digests }) => digests);
  };
}

/** `digests` is empty if nothing of the message is sent. */
interface SaidDigest {
  created: number;
  texts: readonly string[];
  digests: readonly Digest[];
}

function readDigest(message: Message, before: SaidDigest | undefined): SaidDigest {
  const { role, error, time } = message.info;
  const created = time?.created ?? 0;
  const isFailed = error !== undefined && !message.parts.some(({ type }) => !UNSPOKEN.has(type));
  const texts = isFailed ? [] : [role, ...message.parts.flatMap((part) => listTexts(part, role))];
  const isSaid = created === before?.created && texts.length === before.texts.length;
  if (isSaid && texts.every((text, at) => text === before.texts[at])) return before;
  if (texts.length <= 1) return { created, texts, digests: [] };
  const digest = { role, created, sum: sumOf(texts.slice(1)), tokens: estimateTokens([message]) };
  return { created, texts, digests: [digest] };
}

function sumOf(texts: readonly string[]): number {
  const hash = createHash("sha1");
  for (const text of texts) hash.update(`${text.length} `).update(text);
  return hash.digest().readUIntBE(0, SUM_BYTES);
}

const SUM_BYTES = 6;

/** Parts that do not make a failed answer worth sending. */
const UNSPOKEN: ReadonlySet<string> = new Set(["step-start", "reasoning"]);
/** Files that the host sends as text, if at all. */
const AS_TEXT: ReadonlySet<unknown> = new Set(["text/plain", "application/x-directory"]);

function listTexts(part: Part, role: string): string[] {
  const { ignored, text, type } = part;
  if (isToolPart(part)) return listOfCall(part);
  if (type === "file") return listOfFile(part);
  if (type === "compaction" || type === "subtask") return [type];
  const isShown = role !== "user" || (!ignored && text !== "");
  return (type === "text" || type === "reasoning") && text !== undefined && isShown ? [type, text] : [];
}

function listOfCall(part: ToolPart): string[] {
  const { callID, state, tool } = part;
  // The host sends its own text instead of a pruned or missing result.
  const isPruned = state.time?.compacted !== undefined;
  const result = readResultText(part) ?? (isPruned ? "pruned" : "none");
  const files = state.status === "completed" && !isPruned ? (state.attachments ?? []) : [];
  return ["tool", tool, callID, JSON.stringify(state.input) ?? "", result, ...files.flatMap(listOfFile)];
}

/** The ends of a file only: pictures are not edited. */
function listOfFile(file: unknown): string[] {
  const { filename, mime, url } = file as { filename?: unknown; mime?: unknown; url?: unknown };
  if (AS_TEXT.has(mime)) return [];
  const data = typeof url === "string" ? url : "";
  const ends = data.length > 2 * FILE_END ? data.slice(0, FILE_END) + data.slice(-FILE_END) : data;
  return ["file", String(mime), String(filename), String(data.length), ends];
}

const FILE_END = 2_048;

/** The first difference; `undefined` if the later messages begin with all earlier ones. */
function findChange(earlier: readonly Digest[], later: readonly Digest[]): Change | undefined {
  const index = earlier.findIndex(({ role, sum }, at) => later[at]?.sum !== sum || later[at]?.role !== role);
  const [was, is] = [earlier[index], later[index]];
  if (!was) return undefined;
  const isSameMessage = (one: Digest): boolean => one.created === was.created && one.role === was.role;
  const isStill = is !== undefined && isSameMessage(is);
  const kind = isStill ? "changed" : later.slice(index).some(isSameMessage) ? "inserted" : "removed";
  const tokens = earlier.slice(index).reduce((sum, one) => sum + one.tokens, 0);
  return { kind, index, role: was.role, count: earlier.length, tokens };
}

function formatChange({ count, index, kind, role }: Change): string {
  const message = `message ${index + 1} of ${count} (${role})`;
  if (kind === "inserted") return `the host has put another before ${message}`;
  return `the host has ${kind} ${message}`;
}
