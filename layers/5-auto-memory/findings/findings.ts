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
import { inSlices } from "../../../src/base/slices.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { isFinding } from "../../../src/memory/finding.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import type { Memory } from "../../../src/memory/memory.js";
import { readInput, readOwnTexts } from "../../../src/messages/call.js";
import type { Result } from "../../../src/messages/history.js";
import { cut } from "../../../src/text/text.js";
import type { ShownFindings } from "../conversation.js";
import { findLineIDs, findNewMatches, MATCH_BYTES, planMatches } from "../injection/line.js";
import { findOwnText, LAYER, readShown } from "../injection/shown.js";
import { findAged, findKnown, mergeFinding, planFinding } from "./plan-finding.js";
import { createQuoteChooser, type KeptFinding, type QuoteChooserOptions } from "./quote-chooser.js";
import { findQuotes } from "./quotes.js";
import { readSource, type Source } from "./source.js";

export interface Findings extends ShownFindings {
  /** Keeps what the newest results contain; returns at once. Never throws. */
  take(request: ContextRequest): void;
  /** Call when the agent's turn has ended: keeps what it said about pictures and documents. */
  settle(sessionID: string): void;
  /** Never rejects. */
  onIdle(): Promise<void>;
}

export interface FindingsOptions
  extends FindingKeeperOptions,
    QuoteChooserOptions,
    Pick<LayerContext, "background" | "folders" | "host"> {}

/** Number of messages whose results are read: an aborted turn ends after its last results. */
const LOOKED_BACK = 3;
/** Number of results remembered as read. */
const MOST_SEEN = 500;
/** Number of reads that wait for the agent's words. */
const MOST_WAITING = 20;
/** Number of messages read at the end of a turn. */
const LAST_MESSAGES = 10;
const LONGEST_ASKED = 4_000;
/** Characters kept of an answer. */
const LONGEST_SAID = 380;

export function createFindings(options: FindingsOptions): Findings {
  const { background, clock, config, folders, host, log, memories } = options;
  const keeper = createFindingKeeper(options);
  const chooser = createQuoteChooser(options);
  const seen = new Set<string>();
  let waiting: readonly Read[] = [];
  /** Sequential, so that two reads of one page become one finding. */
  let work: Promise<void> = later("archive old findings", keeper.archiveAged);
  /** Questions to a model. Apart from `work`, so that a slow answer delays no finding. */
  let asking: Promise<void> = Promise.resolve();

  return {
    take({ history, sessionID }) {
      const { messages } = history;
      for (const result of history.results(Math.max(0, messages.length - LOOKED_BACK))) {
        if (seen.has(result.key)) continue;
        const [oldest = ""] = seen.add(result.key);
        if (seen.size > MOST_SEEN) seen.delete(oldest);
        const source = readSource(result, folders.project);
        if (!source) continue;
        const read: Read = {
          source,
          session: sessionID,
          message: messages[result.index]?.info.id ?? "",
          asked: readAsked(messages, result.index),
          atMs: result.part.state.time?.start ?? clock.now(),
        };
        if (source.text === undefined) waiting = [...waiting, read].slice(-MOST_WAITING);
        else work = work.then(() => later(`keep what ${source.name} says`, () => keep(read)));
      }
      keepSaid(sessionID, messages);
    },

    plan(request, { fresh, isUnseen, said }) {
      const { project } = folders;
      const mentioned = findMentioned(memories.known(), fresh, project).filter(isUnseen);
      const known = mentioned.length > 0 ? readShown(request).ids : [];
      const nowMs = clock.now();
      const due = findNewMatches(mentioned, { nowMs, shown: new Set([...known, ...said]) });
      const text = planMatches(due, { nowMs, roomBytes: MATCH_BYTES, gone: new Map() });
      memories.noteUse(findLineIDs(text ?? ""));
      const reminder = config.findings.remind ? planReminder(request, fresh, project) : undefined;
      const texts = [text, reminder].filter((one) => one !== undefined);
      return texts.length === 0 ? undefined : texts.join("\n\n");
    },

    isGone: (request, memory) => isFinding(memory) && isSourceCleared(request, memory, folders.project),

    settle(sessionID) {
      asking = Promise.all([asking, work]).then(() =>
        later("choose the sentences of findings", () => chooser.choose(sessionID)),
      );
      if (!waiting.some(({ session }) => session === sessionID)) return;
      work = work.then(() =>
        later("keep what was said about a document", async () => {
          const messages = (await host.readMessages(sessionID, LAST_MESSAGES)) ?? [];
          keepSaid(sessionID, messages);
          waiting = waiting.filter(({ session }) => session !== sessionID);
        }),
      );
    },

    async onIdle() {
      for (let last: unknown[] = []; last[0] !== work || last[1] !== asking; ) {
        last = [work, asking];
        await Promise.all(last);
      }
    },
  };

  function later(what: string, run: () => Promise<void>): Promise<void> {
    const complain = (thrown: unknown): void => log.error(LAYER, `cannot ${what}: ${formatError(thrown)}`);
    return background.add(run).catch(complain);
  }

  async function keep(read: Read): Promise<void> {
    const written = await keeper.keep(read);
    const { text } = read.source;
    if (written && text !== undefined) await chooser.note(written, text, read.asked);
  }

  /** Keeps the reads that the agent has commented on since. */
  function keepSaid(sessionID: string, messages: readonly Message[]): void {
    const own = waiting.filter(({ session }) => session === sessionID);
    for (const read of own) {
      const said = findSaid(messages, read.message);
      if (said === undefined) continue;
      waiting = waiting.filter((other) => other !== read);
      work = work.then(() =>
        later(`keep what was said about ${read.source.name}`, async () => {
          await keeper.keep(read, said);
        }),
      );
    }
  }
}

/** The user's last message before this one. */
function readAsked(messages: readonly Message[], before: number): string {
  const message = messages.slice(0, before).findLast(({ info }) => info.role === "user");
  return readOwnTexts(message?.parts ?? [])
    .join("\n")
    .slice(0, LONGEST_ASKED);
}

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
  const cut = words.slice(0, LONGEST_SAID);
  return /^.{40,}[.!?。](?=\s|$)/u.exec(cut)?.[0] ?? cut;
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

/** Findings whose source a call names or a search lists. Pure. */
export function findMentioned(
  memories: readonly Memory[],
  fresh: readonly Result[],
  project: string,
): Memory[] {
  const findings = memories.filter((memory) => isFinding(memory) && !memory.isForeign);
  if (findings.length === 0) return [];
  const subjects = fresh.map((result) => {
    const listed = readSource(result, project)?.isSearch ? result.text : "";
    return cut(`${formatValues(result)}\n${listed}`, LOOKED_AT);
  });
  return findings.filter(({ entities: [name] }) => {
    const bare = name?.replace(/^https?:\/\//, "");
    return bare !== undefined && bare.length >= SHORTEST_NAME && subjects.some((text) => names(text, bare));
  });
}

/** The reminder, if the newest results read a source and the context has no reminder; else `undefined`. */
export function planReminder(
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

const formatValues = ({ part }: Result): string =>
  Object.values(readInput(part))
    .filter((value) => typeof value === "string")
    .join("\n");

/** Does the text contain the name, other than as part of a longer one? */
function names(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!/[\w.-]/.test(text[at - 1] ?? "") && !/^(\/?[\w-]|\?)/.test(after)) return true;
  }
  return false;
}

/* Writes findings: one memory for each source. */

/** A source as read by one call. */
export interface Read {
  source: Source;
  session: string;
  /** Id of the message with the call. */
  message: string;
  /** The user's request. */
  asked: string;
  atMs: number;
}

/** Calls reject with the system's error; refusals are logged. */
export interface FindingKeeper {
  /**
   * `said`: what the agent said about a source that only it has seen. Returns the finding with this reading, if
   * any.
   */
  keep(this: void, read: Read, said?: string): Promise<KeptFinding | undefined>;
  /** Archives findings unused for `findings.maxAgeDays`. Deletes nothing. */
  archiveAged(this: void): Promise<void>;
}

export type FindingKeeperOptions = Pick<LayerContext, "clock" | "config" | "log" | "memories">;

export function createFindingKeeper(options: FindingKeeperOptions): FindingKeeper {
  const { clock, config, log, memories } = options;

  return {
    async keep({ source, ...read }, said) {
      const { text } = source;
      const asked = source.isSearch ? `${read.asked}\n${source.title}` : read.asked;
      const quotes = text === undefined ? [] : await inSlices(clock, findQuotes(text, asked));
      const input = { ...read, source: withoutText(source), quotes, said };
      const planned = planFinding(input);
      const checked = planned && checkDraft(planned);
      if (!checked) return undefined;
      if (checked.kind === "refused") {
        log.info(LAYER, `finding not kept: ${checked.why}`);
        return undefined;
      }
      const { draft } = checked;
      const cause = { operation: "extract", session: read.session, reason: `read ${source.name}` };
      const known = findKnown(await memories.list(), draft);
      // Not compared with other memories: a page changes none of them, and each quote belongs to one page.
      const written = known
        ? await memories.update(known.id, (current) => mergeFinding(current, draft), cause)
        : await memories.remember(draft, cause);
      // Reading an unchanged page again counts as use.
      if (known) memories.noteUse([known.id]);
      if (written.kind === "refused") {
        log.info(LAYER, `finding not kept: ${written.why}`);
        return undefined;
      }
      log.debug(LAYER, `${written.memory.id}: ${written.kind}`);
      return { id: written.memory.id, draft, input };
    },

    async archiveAged() {
      const days = config.findings.maxAgeDays;
      const aged = findAged(await memories.list(), { days, nowMs: clock.now(), useOf: memories.useOf });
      const cause = { operation: "archive", reason: `not used for ${days} days` };
      for (const { id } of aged) await memories.archive(id, cause);
      if (aged.length > 0) log.info(LAYER, `${aged.length} findings archived: unused for ${days} days`);
    },
  };
}

const withoutText = ({ text: _, ...source }: Source): Source => source;
