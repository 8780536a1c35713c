/**
 * The session's prompt as a door: `/remember`, `/recall` and others run the operations that every door has, on what the
 * plugin has open. Answers are shown and never sent. Code is loaded with the first command.
 */
import { StrataError } from "../base/error.js";
import type { SlashCommand } from "../kernel/layer.js";
import type { KernelContext, Stack } from "../kernel/layer-context.js";
import { createGate } from "../memory/gate/gate.js";
import { formatAccepted, formatRevoked, formatTeamQuestion, formatWaiting } from "../memory/in-words.js";
import { type Memory, type MemoryType, readTypeName } from "../memory/memory.js";
import { createConflictLog } from "../memory/store/conflict-log.js";
import type { Memories } from "../memory/store/store.js";
import { ACTIONS, type Action } from "../status/context-items.js";
import { plainStyle } from "./command.js";
import type { Core, WrittenData } from "./operation.js";
import { operations } from "./table.js";

/** A stack whose sessions have the commands; those about memory only if that is on. */
export const withSlashCommands = (stack: Stack): Stack => ({
  ...stack,
  always: (context) => [
    ...stack.always(context),
    { name: "slash-commands", phase: "after", handlers: {}, commands: createSlashCommands(context) },
  ],
});

interface Row extends Pick<SlashCommand, "name" | "description" | "deadlineMs"> {
  operation: keyof typeof operations | ((words: string) => keyof typeof operations);
  /** What was typed, as the operation's input; by default as the field that takes the words. */
  read?(words: string, session: string): object;
}

/** The first search in a session reads and indexes all memories. */
const RECALL_DEADLINE_MS = 15_000;

const SHOWN_ITEMS = 15;

const contextRow: Row = {
  name: "context",
  description: "Strata: see what is in the context; drop, pin or bring back parts of it",
  operation: (words) => (words === "" ? "context" : `context ${readAction(words).action}`),
  read: (words, session) =>
    words === "" ? { session, limit: SHOWN_ITEMS } : { session, ids: readAction(words).ids },
};

function readAction(words: string): { action: Action; ids: string[] } {
  const [first, ...ids] = readIDs(words);
  const action = ACTIONS.find((one) => one === first);
  if (action) return { action, ids };
  const why = `expected nothing, or one of ${ACTIONS.join(", ")} and an id, got "${words}". /context lists the ids`;
  throw new StrataError("WRONG_WORDS", why);
}

const memoryRows: readonly Row[] = [
  {
    name: "remember",
    description: "Strata: remember these words, e.g. /remember decision: we use port 8080",
    operation: "remember",
  },
  {
    name: "keep",
    description:
      "Strata: list sentences that may become memories; /keep 3fa2b1 keeps one, /keep 3fa2b1 decision as this type",
    // What waits is listed, too.
    operation: (words) => (words === "" ? "candidates" : "keep"),
    read: (words) => (words === "" ? {} : readKept(words)),
  },
  {
    name: "drop",
    description: "Strata: forget such sentences, e.g. /drop 3fa2b1, or /drop all",
    operation: "drop",
    read: (words) => (words === "all" ? { all: true } : { ids: readIDs(words) }),
  },
  {
    name: "why",
    description: "Strata: why what you said was kept or not, e.g. /why invoice numbers",
    operation: "why",
  },
  {
    name: "recall",
    description: "Strata: search memories and what was said in earlier sessions, e.g. /recall which port",
    deadlineMs: RECALL_DEADLINE_MS,
    operation: "recall",
  },
  {
    name: "forget",
    description: "Strata: move the memory that matches these words to the archive",
    operation: "archive",
    read: (name) => ({ ...(name !== "" && { name }), reason: "/forget" }),
  },
  { name: "memory-undo", description: "Strata: undo the last change of memory", operation: "undo" },
];

/** "3fa2b1 decision": ids, and the type that they get if it is not their own. */
function readKept(words: string): { ids: string[]; type?: MemoryType } {
  const all = readIDs(words);
  const types = all.flatMap((word) => readTypeName(word) ?? []);
  if (types.length > 1) throw new StrataError("TYPES", `expected one type, got ${types.join(" and ")}`);
  return { ids: all.filter((word) => readTypeName(word) === undefined), ...(types[0] && { type: types[0] }) };
}

const readIDs = (words: string): string[] => words.split(/[\s,]+/).filter((word) => word !== "");

export function createSlashCommands(context: KernelContext): SlashCommand[] {
  const trust = createTrustAnswers(context.memories);
  const toCommand = ({ operation, read, ...row }: Row): SlashCommand => ({
    ...row,
    async execute({ sessionID, words: typed }) {
      const words = typed.trim();
      const { perform } = await import("./operation.js");
      const entry = operations[typeof operation === "string" ? operation : operation(words)];
      const typedAs = (): object => (words === "" ? {} : { [entry.takes ?? "words"]: words });
      const given = read?.(words, sessionID) ?? typedAs();
      // What the last request has left to write is listed with the rest.
      if (row.name === contextRow.name) await context.deferred.settle();
      const core = await createCore(context, sessionID);
      const { data, notes = [], text } = await perform(core, entry, given, () => `/${row.name}`);
      return [wrapPath(text, data), ...notes].join("\n");
    },
  });
  if (!context.config.autoMemory.enabled) return [toCommand(contextRow)];
  const trusting: SlashCommand = {
    name: "memory-trust",
    description:
      "Strata: list memories that came with this repository; yes accepts them, undo revokes that, team yes or team no says whether they are your team's",
    execute: ({ words }) => trust(words.trim().toLowerCase()),
  };
  return [...[contextRow, ...memoryRows].map(toCommand), trusting];
}

/** A session's window is narrow: the path stands on a line of its own. */
function wrapPath(text: string, data: unknown): string {
  const { path } = (data ?? {}) as Partial<WrittenData>;
  return path === undefined ? text : text.replace(`  ${path}`, `\n${path}`);
}

/** What the slash command is called that runs this operation. */
const nameOf = (operation: string): string =>
  `/${{ candidates: "keep", trust: "memory-trust", undo: "memory-undo" }[operation] ?? operation}`;

/** What the plugin has open, for the user of this session. */
async function createCore(context: KernelContext, session: string): Promise<Core> {
  const { createContextRequests } = await import("../status/context-requests.js");
  const { recordConflicts } = await import("./record-rivals.js");
  const { clock, files, folders, log, locateRecord, memories, search } = context;
  return {
    ...{ caller: "person", nameOf, session, clock, files, folders, log, memories },
    root: context.host.project,
    style: plainStyle,
    candidates: async () => context.candidates,
    gate: async () => createGate({ memories, search }),
    quotes: async () => (await import("../conversations/quotes.js")).openQuotes(context),
    search: async () => ({ ...search, waitForMeaning: async () => {}, onIdle: async () => {} }),
    contextRequests: async () =>
      createContextRequests({ clock, files, locate: async () => (await locateRecord()).contextRequests }),
    noteConflicts: (changed) =>
      recordConflicts(changed, {
        ...{ memories, style: plainStyle },
        openLog: async () => createConflictLog({ ...context, folder: folders.memory }),
      }),
  };
}

/* `/memory-trust`: shows memories that wait for acceptance, and accepts them. A yes is only to what was shown before. */

const YES = "/memory-trust yes";
const TEAM = "/memory-trust team";

/** Answers the command's arguments. Rejects with StrataError WORDS, and with the system's error. */
export function createTrustAnswers(memories: Memories): (words: string) => Promise<string> {
  const shown = new Set<string>();
  let asked: string | undefined;

  function show(waiting: readonly Memory[]): string {
    for (const memory of waiting) shown.add(describe(memory));
    const question = memories.team?.question();
    asked = question?.address ?? asked;
    const all = formatWaiting(waiting, YES);
    return question ? `${all}\n${formatTeamQuestion(question)} ${TEAM} yes or ${TEAM} no` : all;
  }

  return async (words) => {
    await memories.list();
    const waiting = memories.foreign();
    if (words === "undo") return formatRevoked(await memories.revoke());
    const [, answer] = /^team (yes|no)$/.exec(words) ?? [];
    if (answer && asked && memories.team) return memories.team.answer(asked, answer === "yes");
    if (words === "" || answer) return show(waiting);
    if (words !== "yes")
      throw new StrataError("WORDS", `expected yes, undo, team yes, team no or nothing, got "${words}"`);
    const unseen = waiting.filter((memory) => !shown.has(describe(memory)));
    if (unseen.length === 0) return formatAccepted(await memories.accept(undefined, YES));
    const seen = waiting.filter((memory) => !unseen.includes(memory)).map(({ id }) => id);
    const accepted = seen.length > 0 ? [formatAccepted(await memories.accept(seen, YES))] : [];
    return [...accepted, show(unseen)].join("\n");
  };
}

const describe = ({ content, id, title, type }: Memory): string => JSON.stringify([id, type, title, content]);
