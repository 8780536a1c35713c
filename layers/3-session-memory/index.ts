/**
 * Layer 3: notes on the running session, `.opencode/session-memory/<sessionID>.md`.
 *
 *     before each request   what is new is learned, without a model; the file is written behind the turn
 *     far from the request  the model is reminded of what the user asked for, behind the newest result
 *     now and then          a small model writes the sections, where one may be called
 *     when a session is idle its last answer is learned as well
 *     when a session begins  it is told what the last one has left open: the handoff, made from that one's notes
 *     /checkpoint, /attach   saves a session's state, or gives it to another session
 *     when the host ends     writes unwritten notes and saves each session's state, newest first
 */
import type PQueue from "p-queue";
import { DAY_MS } from "../../src/base/days.js";
import { formatError } from "../../src/base/error.js";
import { estimateTokens } from "../../src/context/context-size.js";
import { type Addition, type DatedDecision, decide, extend } from "../../src/context/decisions.js";
import { findStanding, forget } from "../../src/context/forgotten.js";
import { isExtendedBy } from "../../src/context/known-decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import type { FileKind } from "../../src/kernel/expired-files.js";
import type { Withdrawal } from "../../src/kernel/hooks.js";
import type { SlashCommand } from "../../src/kernel/layer.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { type Attached, NEXT } from "../../src/notes/checkpoints/attached.js";
import { isStale } from "../../src/notes/session.js";
import { defaults } from "./defaults.js";
import { planReminder } from "./goal.js";

export const files: readonly FileKind[] = [
  { path: ".opencode/session-memory/<id>.md" },
  {
    path: ".opencode/session-memory/<id>.previous.md",
    expiry: { what: "an earlier version of notes", days: 1 },
  },
  { path: ".opencode/session-memory/<id>.json" },
  ...["<id>.md", "<id>.previous.md", "<id>.json"].map((name) => ({
    path: `.opencode/session-memory/archive/${name}`,
    expiry: { what: "archived notes of an unused session", days: 30 },
  })),
  { path: ".opencode/session-memory/.gitignore" },
];

const LAYER = "session-memory";
/** The last answer of a turn is among so many messages. */
const LAST_MESSAGES = 10;

export const sessionMemory: LayerDefinition = {
  name: LAYER,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, checkpoints, deferred, family, host, instances, log, notes } = context;
  const writer = createSectionWriter(context);
  const begun = new Set<string>();
  const isSubagents = (sessionID: string): boolean => family.knownParent(sessionID) !== undefined;
  const greetings = createGreetings({ instances, isSubagents, log, layer: LAYER, notes });
  const resuming = createResuming(context, { isSubagents, layer: LAYER });

  return {
    withinMs: { context: 1_500 },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction) return void later(() => checkpoints.keep(request.sessionID, "compaction"));
        greetings.noteWork(request.sessionID, true);
        return (await take(request, messages, signal)) ? request.show() : undefined;
      },

      takenBack: async (request, withdrawal) =>
        withdrawal &&
        addRevisions(withdrawal, [
          ...findStale(request, withdrawal),
          ...(await greetings.findStale(request)),
        ]),

      event({ type, properties: { sessionID } }) {
        if (type === "session.idle" && typeof sessionID === "string") {
          greetings.noteWork(sessionID, false);
          void later(() => catchUp(sessionID));
        }
        return undefined;
      },
    },

    commands: resuming.commands,

    async dispose() {
      await Promise.all([...begun].map(write));
      for (const sessionID of [...begun].reverse()) await checkpoints.keep(sessionID, "end");
    },
  };

  /** Whether something was decided. */
  async function take(
    request: ContextRequest,
    view: readonly Message[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { history, sessionID } = request;
    await begin(request);
    await notes.learn(sessionID, history.messages);
    deferred.add(`notes of ${sessionID}`, () =>
      later(async () => {
        await write(sessionID);
        await writer.consider(sessionID, history.messages);
      }),
    );
    if (!request.isReady()) return false;
    const hasForgotten = await forget(context, { request, layer: LAYER, signal });
    const attached = await resuming.find(request);
    const first = attached ? [attached.addition] : await greetings.greet(request);
    const additions = [...first, ...remind(context, request, view)];
    const isExtended = await extend(context, { sessionID, layer: LAYER, additions, signal });
    if (attached) void later(attached.settle);
    return isExtended || hasForgotten;
  }

  /** What the host has summarised is in no request any more, but it has all messages still; they are read once. */
  async function begin({ history, sessionID }: ContextRequest): Promise<void> {
    if (begun.has(sessionID)) return;
    begun.add(sessionID);
    await notes.learn(sessionID, []);
    const isCompacted = history.messages.some(({ info }) => info.summary === true);
    if (!isCompacted) return;
    void later(async () => {
      await notes.learn(sessionID, (await host.readMessages(sessionID)) ?? []);
      await write(sessionID);
    });
  }

  async function catchUp(sessionID: string): Promise<void> {
    await notes.learn(sessionID, (await host.readMessages(sessionID, LAST_MESSAGES)) ?? []);
    await write(sessionID);
  }

  /** A subagent's notes are its parent's; a question and its answer need none. */
  async function write(sessionID: string): Promise<void> {
    const hasWorked = (notes.facts(sessionID)?.toolCalls ?? 0) > 0;
    if (hasWorked && !isSubagents(sessionID)) await notes.write(sessionID);
  }

  function later(work: Parameters<PQueue["add"]>[0]): Promise<unknown> {
    const complain = (thrown: unknown): void => log.error(LAYER, `behind the turn: ${formatError(thrown)}`);
    return background.add(work).catch(complain);
  }
}

function remind(
  { config, notes }: Pick<LayerContext, "config" | "notes">,
  request: ContextRequest,
  view: readonly Message[],
): Addition[] {
  const facts = notes.facts(request.sessionID);
  const policy = config.sessionMemory;
  const reminder = facts && planReminder(request, { view, facts, policy, layer: LAYER });
  return reminder ? [{ behind: reminder.result, text: reminder.text }] : [];
}

function addRevisions(withdrawal: Withdrawal, added: readonly DatedDecision[]): Withdrawal | undefined {
  if (added.length === 0) return undefined;
  const own = added.map((one) => ({ ...one, layer: LAYER }));
  return { ...withdrawal, revisions: [...withdrawal.revisions, ...own] };
}

/** Reminders that may quote what was taken back: the next one comes when it is due. */
function findStale(request: ContextRequest, withdrawal: Withdrawal): DatedDecision[] {
  return findStanding(request, LAYER)
    .filter(({ extended }) => withdrawal.isStale(extended.at))
    .map(({ result }) => decide(result, { outcome: "revised", of: "extended" }));
}

/* `/checkpoint`, `/attach` and `/refresh`, and the text that a person attached to a session. */

export interface Resuming extends Pick<Attachments, "find"> {
  commands: readonly SlashCommand[];
}

export function createResuming(
  context: LayerContext,
  options: { isSubagents(this: void, sessionID: string): boolean; layer: string },
): Resuming {
  return {
    find: createAttachments(context, options).find,
    commands: [
      {
        name: "checkpoint",
        description: "Strata: save the state of this session, e.g. /checkpoint before the rewrite",
        execute: async (call) => (await import("./checkpoint-commands.js")).keepCheckpoint(context, call),
      },
      {
        name: "attach",
        description: "Strata: continue an earlier session or checkpoint here, by its id",
        execute: async (call) => (await import("./checkpoint-commands.js")).attachHere(context, call),
      },
      {
        name: "refresh",
        description: "Strata: show the agent the goal, the open points and your rules again",
        execute: async (call) => (await import("./checkpoint-commands.js")).refreshHere(context, call),
      },
    ],
  };
}

/* Has a small model write the sections of the notes once enough has happened. Runs in the background. */

export interface SectionWriter {
  /** Has the sections written if they are due for this session, given the messages about to be sent. Never rejects. */
  consider(sessionID: string, messages: readonly Message[]): Promise<void>;
}

/** Size of a session when the sections were last written or attempted. */
interface Mark {
  tokens: number;
  toolCalls: number;
}

export function createSectionWriter(context: LayerContext): SectionWriter {
  const { config, generation, notes } = context;
  const { toolCallThreshold, updateThreshold } = config.sessionMemory;
  const marks = new Map<string, Mark>();

  return {
    async consider(sessionID, messages) {
      const now: Mark = {
        tokens: estimateTokens(messages),
        toolCalls: notes.facts(sessionID)?.toolCalls ?? 0,
      };
      const last = marks.get(sessionID) ?? { tokens: 0, toolCalls: 0 };
      // The host has compacted, so growth counts from the smaller size.
      if (now.tokens < last.tokens) marks.set(sessionID, { ...last, tokens: now.tokens });
      const isTime =
        now.tokens - last.tokens >= updateThreshold && now.toolCalls - last.toolCalls >= toolCallThreshold;
      if (!isTime || !(await generation.status()).isAllowed) return;
      marks.set(sessionID, now);
      const { writeSections } = await import("./write-sections.js");
      await writeSections(context, sessionID, messages);
    },
  };
}

/* Appends what a person attached to a session to its next message. */

export interface Attachments {
  /** Returns the text for the newest message of a person's session. Never rejects: the session continues without it. */
  find(request: ContextRequest): Promise<FoundAttachment | undefined>;
}

export interface FoundAttachment {
  addition: Addition;
  /** Call once the text is recorded, so that it is attached only once. Rejects with the system's error. */
  settle(): Promise<void>;
}

interface Waiting {
  target: string;
  attached: Attached;
}

export function createAttachments(
  { checkpoints, log }: Pick<LayerContext, "checkpoints" | "log">,
  { isSubagents, layer }: { isSubagents(this: void, sessionID: string): boolean; layer: string },
): Attachments {
  /** By session: the last message checked. */
  const checked = new Map<string, string>();
  /** Recorded attachments, even if their file could not be removed. */
  const given = new Set<string>();

  return {
    async find({ find, history, sessionID }) {
      const { lastAnswer, messages } = history;
      const key = messages.at(-1)?.info.role === "user" ? history.keyOf(messages.length - 1) : undefined;
      if (!key || checked.get(sessionID) === key.key || isSubagents(sessionID)) return undefined;
      checked.set(sessionID, key.key);
      if (isExtendedBy(layer, find(key.key))) return undefined;
      try {
        const waiting = await read(lastAnswer === -1 ? [sessionID, NEXT] : [sessionID]);
        return (
          waiting && { addition: { behind: key, text: waiting.attached.text }, settle: () => settle(waiting) }
        );
      } catch (thrown) {
        log.warn(layer, `cannot read the attachment of ${sessionID}: ${formatError(thrown)}`);
        return undefined;
      }
    },
  };

  async function read(targets: readonly string[]): Promise<Waiting | undefined> {
    for (const target of targets) {
      const attached = await checkpoints.attached.read(target);
      if (attached && !given.has(nameOf({ attached, target }))) return { target, attached };
    }
    return undefined;
  }

  async function settle(waiting: Waiting): Promise<void> {
    given.add(nameOf(waiting));
    const attached = await checkpoints.attached.read(waiting.target);
    // A person may have attached something else since.
    const isStill = attached && nameOf({ ...waiting, attached }) === nameOf(waiting);
    if (isStill) await checkpoints.attached.remove(waiting.target);
  }
}

const nameOf = ({ attached, target }: Waiting): string => `${target} ${attached.asked} ${attached.of}`;

/* Greets a new session with what the last one has left open: the handoff, made from that one's notes. */

export interface Greetings {
  /** A session in the middle of a turn has no handoff to make. */
  noteWork(sessionID: string, isWorking: boolean): void;
  /** For the first message of a session that a person has opened. */
  greet(request: ContextRequest): Promise<Addition[]>;
  /** Handoffs given to this session, if the user has since taken back words in the other session. */
  findStale(request: ContextRequest): Promise<DatedDecision[]>;
}

export interface GreetingsOptions {
  instances: Pick<LayerContext["instances"], "living">;
  isSubagents(this: void, sessionID: string): boolean;
  layer: string;
  log: LayerContext["log"];
  notes: Pick<LayerContext["notes"], "findUnfinished" | "takenBack">;
}

/** What an older session has left open is nobody's next step. */
const UNFINISHED_MS = 7 * DAY_MS;

export function createGreetings({ instances, isSubagents, layer, log, notes }: GreetingsOptions): Greetings {
  const working = new Set<string>();

  return {
    noteWork(sessionID, isWorking) {
      if (isWorking) working.add(sessionID);
      else working.delete(sessionID);
    },

    async greet({ find, history, sessionID }) {
      const key = history.messages.length === 1 ? history.keyOf(0) : undefined;
      if (!key || isSubagents(sessionID) || isExtendedBy(layer, find(key.key))) return [];
      const unfinished = await notes.findUnfinished(
        new Set([sessionID, ...working, ...(await findBusy())]),
        UNFINISHED_MS,
      );
      if (!unfinished) return [];
      const text = `[Strata] What the last session in this project has left open. It is no request: leave it alone unless the user goes on with it.\n${unfinished.text}`;
      return [{ behind: key, text }];
    },

    async findStale({ find, history }) {
      const stale: DatedDecision[] = [];
      for (const [index, { info }] of history.messages.entries()) {
        const key = info.role === "user" ? history.keyOf(index) : undefined;
        const greeting = key && find(key.key)?.extended?.find((one) => one.layer === layer);
        const from = /[\\/]([^\\/\s]+)\.md$/m.exec(greeting?.text ?? "")?.[1];
        if (!key || !greeting || from === undefined) continue;
        if (isStale(await notes.takenBack(from), greeting.at))
          stale.push(decide(key, { outcome: "revised", of: "extended" }));
      }
      return stale;
    },
  };

  /** Sessions that another instance is working on. */
  async function findBusy(): Promise<string[]> {
    // An instance that cannot be seen counts as ended: the handoff asks for nothing.
    const living = await instances.living().catch((thrown) => {
      log.warn(layer, `cannot tell who else is at work here: ${formatError(thrown)}`);
      return [];
    });
    return living.flatMap(({ sessions }) =>
      sessions.filter(({ state }) => state === "busy").map(({ id }) => id),
    );
  }
}
