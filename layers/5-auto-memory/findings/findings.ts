/**
 * Keeps what an agent has read outside the project before the result is shortened or cleared. Needs no model.
 *
 *     a read with text        keeps its quotes in the background
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
import { LAYER, readShown } from "../injection/boot.js";
import { findLineIDs, findNewMatches, MATCH_BYTES, planMatches } from "../injection/line.js";
import { createFindingKeeper, type Read, readSource } from "./finding.js";

interface NewestResults {
  fresh: readonly Result[];
  /** Ids of memories in other texts after them. */
  said: readonly string[];
  isUnseen(memory: Memory): boolean;
}

export type Findings = ReturnType<typeof createFindings>;

/** Number of messages whose results are read: an aborted turn ends after its last results. */
const LOOKED_BACK = 3;
const MOST_SEEN = 500;
const LONGEST_ASKED = 4_000;

export function createFindings(options: LayerContext) {
  const { background, clock, folders, log, memories } = options;
  const keeper = createFindingKeeper(options);
  const seen = new Set<string>();
  /** Sequential, so that two reads of one page become one finding. */
  let work: Promise<void> = Promise.resolve();
  next("archive old findings", keeper.archiveAged);

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
        next(`keep what ${source.name} says`, () => keeper.keep(read));
      }
    },

    /** The text after the newest results, if any. Call it before background work changes the findings. */
    plan(request: ContextRequest, newest: NewestResults): string | undefined {
      const text = planMentioned(options, request, newest);
      memories.noteUse(findLineIDs(text ?? ""));
      return text;
    },

    /** Has this session read the memory's source, and is the result no longer in its context? */
    isGone: (request: ContextRequest, memory: Memory): boolean =>
      isFinding(memory) && isSourceCleared(request, memory, folders.project),

    async onIdle(): Promise<void> {
      for (let last: unknown; last !== work; await last) last = work;
    },
  };

  function next(what: string, run: () => Promise<void>): void {
    const complain = (thrown: unknown): void => log.error(LAYER, `cannot ${what}: ${formatError(thrown)}`);
    work = work.then(() => background.add(run).catch(complain));
  }
}

/** The message at this place, and the user's last one before it. */
function readAsked(messages: readonly Message[], at: number): Pick<Read, "asked" | "message"> {
  const user = messages.slice(0, at).findLast(({ info }) => info.role === "user");
  const asked = cut(readOwnTexts(user?.parts ?? []).join("\n"), LONGEST_ASKED);
  return { message: messages[at]?.info.id ?? "", asked };
}

function isSourceCleared(request: ContextRequest, memory: Memory, project: string): boolean {
  const { find, history, shownFrom } = request;
  const [name = memory.title] = memory.entities;
  const cleared = history.results(shownFrom()).filter(({ key }) => find(key)?.cleared !== undefined);
  return cleared.some((result) => readSource(result, project)?.name === name);
}

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
  const shown = new Set(mentioned.length > 0 ? [...readShown(request).ids, ...said] : []);
  const nowMs = clock.now();
  const due = findNewMatches(
    mentioned.filter(({ id }) => !shown.has(id)),
    nowMs,
  );
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

/** Does the text contain the name, other than as part of a longer one? */
function names(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!/[\w.-]/.test(text[at - 1] ?? "") && !/^(\/?[\w-]|\?)/.test(after)) return true;
  }
  return false;
}
