/** Briefs a subagent when it begins, and notes the files it touched for its parent when it has ended. */
import { formatError } from "../../src/base/error.js";
import { cut, toLine } from "../../src/base/text.js";
import { type Addition, isExtendedBy } from "../../src/context/additions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { ToolPart } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { findOpenTodos } from "../../src/notes/ledger.js";
import type { FileTouch, Ledger } from "../../src/notes/stored.js";

/** Layer name in the decision on a subagent's first message, which messages may extend too under theirs. */
export const DELEGATION_LAYER = "across-agents/delegation";

export function createSubagents(context: LayerContext) {
  const { background, config, family, host, log, notes } = context;

  return {
    /** The brief after a subagent's first message; empty for any other request. */
    async brief({ find, history, sessionID }: ContextRequest): Promise<Addition[]> {
      const key = history.messages.length === 1 ? history.keyOf(0) : undefined;
      if (!key || isExtendedBy(DELEGATION_LAYER, find(key.key))) return [];
      const ancestors = await family.findAncestors(sessionID);
      const root = ancestors.at(-1);
      if (root === undefined) return [];
      const known = await Promise.all(ancestors.map(learn));
      const facts = known.filter((one) => one !== undefined);
      const text = formatBrief(facts, notes.pathOf(root));
      return text === undefined ? [] : [{ behind: key, text }];
    },

    /** Notes the files touched by the subagents whose results are new in this request. */
    async noteEnded({ history, sessionID }: ContextRequest): Promise<void> {
      const fresh = history.results(Math.max(0, history.lastAnswer)).map(({ part }) => part);
      const ended = fresh.flatMap((part) => {
        const childID = part.tool === "task" ? part.state.metadata?.sessionId : undefined;
        return typeof childID === "string" ? { part, childID } : [];
      });
      if (ended.length === 0) return;
      for (const { childID, part } of ended) await noteTouched(sessionID, part, childID);
      if (config.sessionMemory.enabled && (await family.findParent(sessionID)) === undefined)
        void background
          .add(() => notes.write(sessionID))
          .catch((thrown) => log.error(DELEGATION_LAYER, `cannot write the notes: ${formatError(thrown)}`));
    },
  };

  async function noteTouched(sessionID: string, part: ToolPart, childID: string): Promise<void> {
    await notes.learn(childID, (await host.readMessages(childID)) ?? []);
    const facts = notes.facts(childID);
    if (facts) await notes.noteTouched(sessionID, part, listTouched(facts));
  }

  /** Asks the host if the notes lack the session: notes are not stored for subagents, or when they are disabled. */
  async function learn(sessionID: string): Promise<Ledger | undefined> {
    if (host.isFork(sessionID)) return undefined;
    await notes.learn(sessionID, []);
    if (!notes.facts(sessionID)) await notes.learn(sessionID, (await host.readMessages(sessionID)) ?? []);
    return notes.facts(sessionID);
  }
}

/** The session's files and those of its subagents, the changed ones first. Pure. */
export function listTouched({ files, subagents }: Pick<Ledger, "files" | "subagents">): FileTouch[] {
  const touched = new Map<string, boolean>();
  const own = files.map(({ isEdited, key }) => ({ isEdited, name: key }));
  const all = [...own, ...subagents.flatMap((run) => run.files ?? [])];
  for (const { isEdited, name } of all) touched.set(name, isEdited || touched.get(name) === true);
  const list = [...touched].map(([name, isEdited]) => ({ name, isEdited }));
  return [...list.filter((file) => file.isEdited), ...list.filter((file) => !file.isEdited)];
}

/*
 * The brief that a subagent gets about the session that started it: the request, the user's rules, open todos, findings,
 * decisions, and the path of the notes. Memories are not part of it: a subagent gets them as every session does. Pure, and
 * bounded, because ten subagents cost it ten times.
 */

export const MOST_CHARACTERS = 6_000;

const LONGEST_REQUEST = 800;
const LONGEST_LINE = 240;
const MOST = { rules: 16, reasons: 6, todos: 8, files: 20, findings: 4 };

const INTRODUCTION =
  "[Strata] Background from the session that started you. Your task is the message above, and only that; what the user has laid down holds for you too.";

/**
 * `ancestors` has the facts of the session that started the subagent, then of its ancestors, as far as known. `undefined`
 * if nothing useful is known.
 */
export function formatBrief(ancestors: readonly Ledger[], notesPath: string): string | undefined {
  const root = ancestors.at(-1);
  if (!root) return undefined;
  const { files, reasons, requests, subagents } = root;
  const [first] = requests.length > 1 ? requests : [];
  // The task of the parent, if that is a subagent too.
  const task = ancestors.length > 1 ? ancestors[0]?.requests.at(-1) : undefined;
  const rules = ancestors.flatMap((facts) => facts.rules).sort((a, b) => a.at - b.at);
  const edited = files.filter(({ isEdited }) => isEdited).slice(-MOST.files);
  const lists: Readonly<Record<string, readonly string[]>> = {
    "The user asked for:": [
      ...requests.slice(-1).map(({ text }) => toLine(text, LONGEST_REQUEST)),
      ...(first ? [`at first: ${short(first.text)}`] : []),
    ],
    "You work for a subagent with this task:": task ? [toLine(task.text, LONGEST_REQUEST / 2)] : [],
    "The user's rules:": [...new Set(rules.map(({ text }) => short(text)))].slice(-MOST.rules),
    "Decided so far:": reasons.slice(-MOST.reasons).map(({ text }) => short(text)),
    "Open todos:": findOpenTodos(root)
      .slice(0, MOST.todos)
      .map(({ content, status }) => `${short(content)}${status === "in_progress" ? " (in progress)" : ""}`),
    "Other subagents found:": subagents
      .slice(-MOST.findings)
      .map(({ description, result }) => `${toLine(description, 80)}: ${JSON.stringify(short(result))}`),
    "Changed so far:":
      edited.length === 0 ? [] : [cut(edited.map(({ key }) => key).join(", "), 2 * LONGEST_LINE)],
  };
  const sections = Object.entries(lists).flatMap(([heading, lines]) =>
    lines.length === 0 ? [] : [heading, ...lines.map((line) => `- ${line}`)],
  );
  if (sections.length === 0) return undefined;
  const end = `The notes on that session: ${notesPath}`;
  return [fit([INTRODUCTION, ...sections], MOST_CHARACTERS - end.length - 1), end].join("\n");
}

/** Keeps as many whole lines as fit; the most important come first. */
function fit(lines: readonly string[], room: number): string {
  const kept: string[] = [];
  let left = room;
  for (const line of lines) {
    if (line.length + 1 > left) break;
    kept.push(line);
    left -= line.length + 1;
  }
  const withoutEmptyHeading = kept.at(-1)?.endsWith(":") ? kept.slice(0, -1) : kept;
  return withoutEmptyHeading.join("\n");
}

const short = (text: string): string => toLine(text, LONGEST_LINE);
