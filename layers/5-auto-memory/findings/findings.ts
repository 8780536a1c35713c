/**
 * Keeps what an agent has read outside the project before the result is shortened or cleared. Needs no model.
 *
 *     a read with text        keeps its quotes in the background
 *     the turn ends           a model chooses among the sentences, if the user has named one
 *     a picture or a PDF      keeps what the agent says about it next
 *     the same source again   keeps one finding, newest reading first
 *     a source comes up       shows its finding with the newest result
 *     a finding grows old     archives it if unused
 *
 * Loaded with the first tool result of a process.
 */
import { formatError } from "../../../src/base/error.js";
import { cut } from "../../../src/base/text.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { isFinding, type Memory } from "../../../src/memory/memory.js";
import { readInput, readOwnTexts } from "../../../src/messages/call.js";
import type { Result } from "../../../src/messages/history.js";
import { findOwnText, LAYER, readShown } from "../injection/boot.js";
import { findLineIDs, findNewMatches, MATCH_BYTES, planMatches } from "../injection/line.js";
import { createFindingKeeper, type Read } from "./finding.js";
import { readSource } from "./source.js";

export interface NewestResults {
  fresh: readonly Result[];
  /** Ids of memories in other texts after them. */
  said: readonly string[];
  /** May the memory be shown to the session? */
  isUnseen(memory: Memory): boolean;
}

export type Findings = ReturnType<typeof createFindings>;

/** Number of messages whose results are read: an aborted turn ends after its last results. */
const LOOKED_BACK = 3;
/** Number of results remembered as read. */
const MOST_SEEN = 500;
/** Number of reads that wait for the agent's words. */
const MOST_UNSAID = 20;
/** Number of messages read at the end of a turn. */
const LAST_MESSAGES = 10;
const LONGEST_ASKED = 4_000;

export function createFindings(options: LayerContext) {
  const { background, clock, folders, host, log, memories } = options;
  const keeper = createFindingKeeper(options);
  const seen = new Set<string>();
  let unsaid: readonly Read[] = [];
  /** Sequential, so that two reads of one page become one finding. */
  let work: Promise<void> = inBackground("archive old findings", keeper.archiveAged);
  /** Questions to a model. Apart from `work`, so that a slow answer delays no finding. */
  let asking: Promise<void> = Promise.resolve();

  return {
    /** Keeps what the newest results contain; returns at once. Never throws. */
    take({ history, sessionID }: ContextRequest): void {
      const { messages } = history;
      for (const result of history.results(Math.max(0, messages.length - LOOKED_BACK))) {
        if (seen.has(result.key)) continue;
        const [oldest = ""] = seen.add(result.key);
        if (seen.size > MOST_SEEN) seen.delete(oldest);
        const source = readSource(result, folders.project);
        if (!source) continue;
        const atMs = result.part.state.time?.start ?? clock.now();
        const read: Read = { source, session: sessionID, ...readAsked(messages, result.index), atMs };
        if (source.text === undefined) unsaid = [...unsaid, read].slice(-MOST_UNSAID);
        else next(`keep what ${source.name} says`, () => keeper.keep(read));
      }
      keepSaid(sessionID, messages);
    },

    /** The text after the newest results, if any. Call it before background work changes the findings. */
    plan(request: ContextRequest, newest: NewestResults): string | undefined {
      const text = planMentioned(options, request, newest);
      memories.noteUse(findLineIDs(text ?? ""));
      const reminder = planReminder(request, newest.fresh, folders.project);
      return [text, reminder].filter((one) => one !== undefined).join("\n\n") || undefined;
    },

    /** Has this session read the memory's source, and is the result no longer in its context? */
    isGone: (request: ContextRequest, memory: Memory): boolean =>
      isFinding(memory) && isSourceCleared(request, memory, folders.project),

    /** Call when the agent's turn has ended: keeps what it said about pictures, and lets the model choose. */
    onTurnEnd(sessionID: string): void {
      asking = Promise.all([asking, work]).then(() =>
        inBackground("choose the sentences of findings", () => keeper.choose(sessionID)),
      );
      if (!unsaid.some(({ session }) => session === sessionID)) return;
      next("keep what was said about a document", async () => {
        keepSaid(sessionID, (await host.readMessages(sessionID, LAST_MESSAGES)) ?? []);
        unsaid = unsaid.filter(({ session }) => session !== sessionID);
      });
    },

    /** Never rejects. */
    async onIdle(): Promise<void> {
      for (let last: unknown[] = []; last[0] !== work || last[1] !== asking; ) {
        last = [work, asking];
        await Promise.all(last);
      }
    },
  };

  function inBackground(what: string, run: () => Promise<void>): Promise<void> {
    const complain = (thrown: unknown): void => log.error(LAYER, `cannot ${what}: ${formatError(thrown)}`);
    return background.add(run).catch(complain);
  }

  function next(what: string, run: () => Promise<void>): void {
    work = work.then(() => inBackground(what, run));
  }

  /** Keeps the reads that the agent has commented on since. */
  function keepSaid(sessionID: string, messages: readonly Message[]): void {
    for (const read of unsaid.filter(({ session }) => session === sessionID)) {
      const said = findSaid(messages, read.message);
      if (said === undefined) continue;
      unsaid = unsaid.filter((other) => other !== read);
      next(`keep what was said about ${read.source.name}`, () => keeper.keep(read, said));
    }
  }
}

/** The message at this place, and the user's last one before it. */
function readAsked(messages: readonly Message[], at: number): Pick<Read, "asked" | "message"> {
  const user = messages.slice(0, at).findLast(({ info }) => info.role === "user");
  const asked = cut(readOwnTexts(user?.parts ?? []).join("\n"), LONGEST_ASKED);
  return { message: messages[at]?.info.id ?? "", asked };
}

/** Characters kept of an answer. */
const LONGEST_SAID = 380;

/** What the agent said next; `undefined` if nothing yet. */
function findSaid(messages: readonly Message[], messageID: string): string | undefined {
  const at = messages.findIndex(({ info }) => info.id === messageID);
  if (at === -1) return undefined;
  const rest = messages.slice(at + 1);
  const end = rest.findIndex(({ info }) => info.role === "user");
  const answers = rest.slice(0, end === -1 ? undefined : end);
  const text = answers.flatMap(({ parts }) => readOwnTexts(parts)).join(" ");
  const words = text.replace(/\s+/g, " ").trim();
  if (words.length <= LONGEST_SAID) return words === "" ? undefined : words;
  const head = words.slice(0, LONGEST_SAID);
  return /^.{40,}[.!?。](?=\s|$)/u.exec(head)?.[0] ?? head;
}

/** Was a result with the finding's source cleared? */
function isSourceCleared(request: ContextRequest, memory: Memory, project: string): boolean {
  const { find, history, shownFrom } = request;
  const [name = memory.title] = memory.entities;
  const cleared = history.results(shownFrom()).filter(({ key }) => find(key)?.cleared !== undefined);
  return cleared.some((result) => readSource(result, project)?.name === name);
}

/* Text about findings after the newest results: findings whose source has come up, and one reminder. */

/** First line of a reminder, which identifies it. */
export const REMINDER_HEAD = "[Strata] What was just read leaves the context later. A reminder, no request:";
const REMINDER = `${REMINDER_HEAD} say in a sentence what you take from it and where it says so; quotes that answer the request are kept privately by themselves, and memory_remember keeps a fact for later sessions.`;

/** Characters of a call's input and result list that are searched for sources. */
const LOOKED_AT = 20_000;
/** Shorter names are parts of other words. */
const SHORTEST_NAME = 6;

/** The findings that have come up and are not in the context yet, as text; `undefined` if there are none. */
function planMentioned(
  { clock, folders, memories }: LayerContext,
  request: ContextRequest,
  { fresh, isUnseen, said }: NewestResults,
): string | undefined {
  const mentioned = findMentioned(memories.known(), fresh, folders.project).filter(isUnseen);
  const known = mentioned.length > 0 ? readShown(request).ids : [];
  const nowMs = clock.now();
  const due = findNewMatches(mentioned, { nowMs, shown: new Set([...known, ...said]) });
  return planMatches(due, { nowMs, roomBytes: MATCH_BYTES, gone: new Map() });
}

/** Findings whose source a call names or a search lists. */
function findMentioned(memories: readonly Memory[], fresh: readonly Result[], project: string): Memory[] {
  const findings = memories.filter((memory) => isFinding(memory) && !memory.isForeign);
  if (findings.length === 0) return [];
  const subjects = fresh.map((result) => {
    const given = Object.values(readInput(result.part)).filter((value) => typeof value === "string");
    const listed = readSource(result, project)?.isSearch ? result.text : "";
    return cut([...given, listed].join("\n"), LOOKED_AT);
  });
  return findings.filter(({ entities: [name] }) => {
    const bare = name?.replace(/^https?:\/\//, "");
    return bare !== undefined && bare.length >= SHORTEST_NAME && subjects.some((text) => names(text, bare));
  });
}

/** The reminder, if the newest results read a source and the context has no reminder; else `undefined`. */
function planReminder(
  { find, history, shownFrom }: ContextRequest,
  fresh: readonly Result[],
  project: string,
): string | undefined {
  if (!fresh.some((result) => readSource(result, project) !== undefined)) return undefined;
  const isShown = history
    .results(shownFrom())
    .some(({ key }) => findOwnText(find(key))?.includes(REMINDER_HEAD));
  return isShown ? undefined : REMINDER;
}

/** Does the text contain the name, other than as part of a longer one? */
function names(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!/[\w.-]/.test(text[at - 1] ?? "") && !/^(\/?[\w-]|\?)/.test(after)) return true;
  }
  return false;
}
