import { formatLocalDay } from "../../../src/base/days.js";
import { formatError } from "../../../src/base/error.js";
import { keepLast } from "../../../src/base/shape.js";
import { type ContextSizes, countCall } from "../../../src/context/context-size.js";
import { findCut, type RecordedDecisions, STEERING } from "../../../src/context/replay.js";
import { type ContextRequest, countUsableTokens } from "../../../src/context/request.js";
import type { Usage } from "../../../src/costs/savings.js";
import { createLedgerSums, findCacheShare, toSaving } from "../../../src/costs/sums.js";
import { isSummary, isToolPart, type Message, readResultText } from "../../../src/io/message.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import type { Memory } from "../../../src/memory/memory.js";
import { createConflictLog } from "../../../src/memory/store/conflict-log.js";
import {
  type ContextFigures,
  cleanTitle,
  formatTitles,
  KINDS,
  type Kind,
  loadTitles,
  readBreaker,
  readSessionScreen,
  type SessionScreen,
  screenPath,
} from "../../../src/status/session-screen.js";
import { findTodos, type Todo } from "../../../src/status/todo.js";

type Known = ReturnType<typeof createKnown>;

const createKnown = (context: KernelContext) => ({
  ledgers: createLedgerSums(context.files, context.folders.savings),
  titles: createTitles(context),
  memory: createMemoryCounts(context),
  requests: createLastRequests(context),
});

export type Screens = ReturnType<typeof createScreens>;

export function createScreens(context: KernelContext) {
  const { candidates, deferred, files, folders, generation, host, log, memories, writes } = context;
  const known = createKnown(context);
  const { ledgers, memory, requests, titles } = known;
  /** What earlier starts have left. */
  const { read: load } = createOnce(() => Promise.all([ledgers.refreshAll(), titles.load()]));
  for (const { onChange } of [memories, candidates])
    onChange(() => {
      memory.forget();
      writeAll();
    });
  generation.onChange(writeAll);

  return {
    /** Writes the session's screen; with `seen` as of this request. Never rejects. */
    write: (sessionID: string, seen?: SeenRequest): Promise<void> =>
      guard(sessionID, async () => {
        if (seen) requests.note(sessionID, seen);
        await load();
        await write(sessionID);
      }),

    /** The turn has ended: the same, with everything read again. Never rejects. */
    end: (sessionID: string): Promise<void> =>
      guard(sessionID, async () => {
        if (!requests.find(sessionID)) return;
        memory.forget();
        await ledgers.refreshAll();
        await titles.set(sessionID, cleanTitle(await host.findTitle?.(sessionID)));
        await write(sessionID);
      }),

    /**
     * The screen as it is now, without writing it; before the first request as it was written last. Rejects with the
     * system's error.
     */
    async read(sessionID: string): Promise<SessionScreen | undefined> {
      await load();
      return requests.find(sessionID)
        ? describeScreen(context, known, sessionID)
        : readSessionScreen(files, folders, sessionID);
    },

    async forget(sessionID: string): Promise<void> {
      requests.forget(sessionID);
      await writes.add(() => guard(sessionID, () => files.remove(screenPath(folders, sessionID))));
    },
  };

  function writeAll(): void {
    for (const sessionID of requests.sessions())
      deferred.add(`screen of ${sessionID}, changed`, () => guard(sessionID, () => write(sessionID)));
  }

  /** The queue is not held up: only the ledger's lines about an answer, and earlier writes of the file, come first. */
  async function write(sessionID: string): Promise<void> {
    await writes.add(() => undefined);
    const screen = await describeScreen(context, known, sessionID);
    if (!screen) return;
    const path = screenPath(folders, sessionID);
    const text = JSON.stringify(screen);
    await writes.add(() => guard(sessionID, () => files.writeWhole(path, text, { mode: "remade" })));
  }

  async function guard(sessionID: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      const path = screenPath(folders, sessionID);
      log.warn("screen", `cannot write ${path} (${formatError(thrown)}); the next request tries again`);
    }
  }
}

async function describeScreen(
  context: KernelContext,
  { ledgers, memory, requests, titles }: Known,
  sessionID: string,
): Promise<SessionScreen | undefined> {
  await ledgers.refresh(sessionID);
  const [counts, breaker] = await Promise.all([
    memory.read(),
    readBreaker(context.files, context.folders, sessionID),
  ]);
  const last = requests.find(sessionID);
  if (!last) return undefined;
  const { project, today } = ledgers.addUp(formatLocalDay(context.clock.now()));
  const session = ledgers.find(sessionID);
  const title = titles.find(sessionID);
  const cache = findCacheShare(session);
  return {
    v: 1,
    session: sessionID,
    ...(title !== undefined && { title }),
    time: last.time,
    context: last.context,
    cache: {
      ...(last.cache !== undefined && { last: last.cache }),
      ...(cache !== undefined && { session: cache }),
    },
    saved: { session: toSaving(session), today: toSaving(today), project: toSaving(project) },
    memory: counts,
    ...(breaker !== undefined && { breaker }),
    background: [...new Set(context.generation.running())],
    warnings: collectWarnings(context),
  };
}

const MOST_WARNINGS = 8;
const MOST_CHARACTERS = 300;

export function collectWarnings({ calls, reading, toasts }: KernelContext): string[] {
  const [wrong] = reading.problems;
  const count = reading.problems.length - 1;
  const more = count > 0 ? ` (and ${count} more: strata doctor)` : "";
  const all = [
    ...(wrong === undefined ? [] : [`wrong setting: ${wrong}${more}`]),
    ...calls.silent(),
    ...toasts.recentWarnings().filter((text) => wrong === undefined || !text.endsWith(wrong)),
  ];
  const shorten = (text: string): string =>
    text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1).trimEnd()}…` : text;
  return [...new Set(all)].slice(0, MOST_WARNINGS).map(shorten);
}

/** Runs once; after a failure, or once it is forgotten, again. */
function createOnce<T>(run: () => Promise<T>) {
  let running: Promise<T> | undefined;
  const forget = (): void => {
    running = undefined;
  };
  const read = (): Promise<T> => {
    running ??= run().catch((thrown) => {
      forget();
      throw thrown;
    });
    return running;
  };
  return { forget, read };
}

/** Titles of sessions, as this instance and others have written them. */
function createTitles({ files, folders }: KernelContext) {
  let titles = new Map<string, string>();
  return {
    find: (sessionID: string) => titles.get(sessionID),

    async load(): Promise<void> {
      titles = await loadTitles(files, folders.sessions);
    },

    /** Rejects with the system's error. */
    async set(sessionID: string, title: string | undefined): Promise<void> {
      if (title === undefined || titles.get(sessionID) === title) return;
      // Another instance may have written titles of its sessions meanwhile.
      titles = (await loadTitles(files, folders.sessions)).set(sessionID, title);
      await files.writeWhole(folders.sessions, formatTitles(titles));
    },
  };
}

/* How much is remembered, and what a person should look at. Counted again only after something has changed. */

/** What waits for a person. `all`: the memories in use. Rejects with the system's error. */
export function readTodos(context: KernelContext, all: readonly Memory[]): Promise<Todo[]> {
  const conflicts = createConflictLog({ ...context, folder: context.folders.memory });
  return findTodos({ ...context, conflicts }, all);
}

function createMemoryCounts(context: KernelContext) {
  const { candidates, log, memories } = context;
  const complain = (thrown: unknown) => log.warn("screen", `cannot count what waits: ${formatError(thrown)}`);
  /** Rejects with the system's error. */
  return createOnce(async () => {
    const known = memories.known();
    const [waiting, todos] = await Promise.all([
      candidates.count(),
      readTodos(context, known).catch(complain),
    ]);
    const own = known.filter(({ scope }) => scope === "project");
    const blockers = own.filter(({ status, type }) => type === "blocker" && status === "active").length;
    return { memories: own.length, candidates: waiting ?? 0, blockers, todos: todos?.length ?? 0 };
  });
}

/* What is known of the last request of the sessions used last. */

interface LastRequest {
  time: string;
  context: ContextFigures;
  /** Part of the prompt that came from the cache; `undefined` before the first answer. */
  cache?: number;
}

const MOST_SESSIONS = 5;

function createLastRequests({ clock, config, sizes }: KernelContext) {
  const known = new Map<string, LastRequest>();

  return {
    note(sessionID: string, seen: SeenRequest): void {
      // Once the provider has counted, an estimate would be a step back.
      if (seen.usage === undefined && known.has(sessionID)) return;
      const thresholdTokens = planThreshold(config.autoCompact, seen.request);
      const cache = seen.usage && findCacheShare(seen.usage);
      const last = {
        time: new Date(clock.now()).toISOString(),
        context: measureContext(seen, { sizes, thresholdTokens }),
        ...(cache !== undefined && { cache }),
      };
      keepLast(known, sessionID, last, MOST_SESSIONS);
    },

    find: (sessionID: string) => known.get(sessionID),
    forget: (sessionID: string) => void known.delete(sessionID),
    sessions: () => [...known.keys()],
  };
}

/** Tokens at which history is cut, by Strata or, if that is switched off, by the host. */
function planThreshold(
  { enabled }: KernelContext["config"]["autoCompact"],
  { mayCut, thresholdTokens, window }: SeenRequest["request"],
): number {
  if ((enabled && mayCut) || !window || window.contextTokens <= 0) return thresholdTokens;
  return Math.max(0, countUsableTokens(window));
}

/* What the tokens of a request are spent on. Pure. */

/** A request that is about to be sent, or one that was answered. */
export interface SeenRequest {
  request: ContextRequest;
  show(): readonly Message[];
  usage?: Usage;
  /** Tokens that the bare host would have sent; an estimate. */
  bareTokens?: number;
}

type Characters = Record<Exclude<Kind, "system">, number>;

/** Layers whose additions are notes: those of the session before. */
const NOTES_LAYER = "session-memory";

/** `thresholdTokens`: at which history is cut, if the window is large enough. */
function measureContext(
  { bareTokens, request, show, usage }: SeenRequest,
  { sizes, thresholdTokens }: { sizes: ContextSizes; thresholdTokens: number },
): ContextFigures {
  const shown = show();
  const sent = usage?.sent ?? request.estimateTokens(shown);
  const answered = usage?.answered ?? 0;
  const system = Math.min(sent, sizes.fixedTokens(request.sessionID));
  const kinds = divide(sent - system, countKinds(request, shown));
  const windowTokens = request.window?.contextTokens ?? 0;
  return {
    now: sent + answered,
    without: Math.round(bareTokens ?? sent) + answered,
    threshold: thresholdTokens,
    ...(windowTokens > 0 && { window: windowTokens }),
    kinds: { ...kinds, system: kinds.system + system, answers: kinds.answers + answered },
    ...(usage === undefined && { isEstimate: true }),
  };
}

/** Divides tokens by characters. Without characters they belong to the prompt around the messages. */
function divide(tokens: number, characters: Characters): Record<Kind, number> {
  const all = Object.values(characters).reduce((sum, one) => sum + one, 0);
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  if (all === 0) return { ...kinds, system: tokens };
  for (const [kind, count] of Object.entries(characters))
    kinds[kind as Kind] = Math.floor((tokens * count) / all);
  const [largest = "words"] = KINDS.toSorted((one, other) => kinds[other] - kinds[one]);
  kinds[largest] += tokens - Object.values(kinds).reduce((sum, one) => sum + one, 0);
  return kinds;
}

export function countKinds(
  { find, history, shownFrom }: Pick<ContextRequest, "find" | "history" | "shownFrom">,
  shown: readonly Message[],
): Characters {
  const sums: Characters = { words: 0, answers: 0, calls: 0, results: 0, memory: 0, notes: 0 };
  const from = shownFrom();
  // 1 if the notes that replace history are a message of their own.
  const added = shown.length - (history.messages.length - from);
  let cutNotes = from > 0 ? (findCut(history, find)?.text.length ?? 0) : 0;
  for (const [at, message] of shown.entries()) {
    const index = from + at - added;
    const key = index >= from ? history.keyOf(index)?.key : undefined;
    const own = countOwn(key === undefined ? undefined : find(key));
    const isNotes = own.isRewritten || isSummary(message);
    let texts = 0;
    for (const part of message.parts) {
      if (!isToolPart(part)) texts += part.ignored ? 0 : (part.text?.length ?? 0);
      else {
        sums.calls += countCall(part);
        sums.results += readResultText(part)?.length ?? 0;
      }
    }
    const notes = Math.min(texts, isNotes ? texts : own.notes + cutNotes);
    const memory = Math.min(texts - notes, isNotes ? 0 : own.memory);
    const results = Math.min(texts - notes - memory, isNotes ? 0 : own.results);
    sums.notes += notes;
    sums.memory += memory;
    sums.results += results;
    sums[message.info.role === "user" ? "words" : "answers"] += texts - notes - memory - results;
    cutNotes = 0;
  }
  return sums;
}

/** Characters that Strata has added to a message; what people bring back are results. */
function countOwn(recorded: RecordedDecisions | undefined) {
  const own = { isRewritten: recorded?.rewritten?.text !== undefined, memory: 0, notes: 0, results: 0 };
  for (const { layer, text = "" } of recorded?.extended ?? []) {
    const isBack = layer.startsWith(`${STEERING}/`);
    own[isBack ? "results" : layer.startsWith(NOTES_LAYER) ? "notes" : "memory"] += text.length;
  }
  return own;
}
