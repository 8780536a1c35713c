/**
 * The session's prompt as a door: `/remember`, `/recall` and others run the operations that every door has, on what the
 * plugin has open. Answers are shown and never sent. Code is loaded with the first command.
 */
import { StrataError } from "./base/error.js";
import type { Layer, SlashCommand } from "./kernel/layer.js";
import type { KernelContext, Stack } from "./kernel/layer-context.js";
import { formatAccepted, formatRevoked, formatWaiting } from "./memory/format-foreign.js";
import { createGate } from "./memory/gate/gate.js";
import { type Memory, type MemoryType, readTypeName } from "./memory/memory.js";
import { createConflictLog } from "./memory/store/conflict-log.js";
import type { Memories } from "./memory/store/store.js";
import { plainStyle } from "./operations/command.js";
import type { Core } from "./operations/core.js";
import type { WrittenData } from "./operations/operation.js";
import { operations } from "./operations/table.js";

/** A stack whose sessions have the commands, if memory is on. */
export const withSlashCommands = (stack: Stack): Stack => ({
  ...stack,
  always: (context) => [
    ...stack.always(context),
    ...(context.config.autoMemory.enabled ? [createSlashLayer(context)] : []),
  ],
});

const createSlashLayer = (context: KernelContext): Layer => ({
  name: "slash-commands",
  phase: "after",
  handlers: {},
  commands: createSlashCommands(context),
});

interface Translation {
  operation: keyof typeof operations;
  input: object;
}

interface Row extends Pick<SlashCommand, "name" | "description" | "deadlineMs"> {
  /** @throws StrataError EMPTY */
  translate(words: string): Translation;
}

/** The first search in a session reads and indexes all memories. */
const RECALL_DEADLINE_MS = 15_000;

const rows: readonly Row[] = [
  {
    name: "remember",
    description: "Strata: remember these words, e.g. /remember decision: we use port 8080",
    translate: (words) => ({
      operation: "remember",
      input: { content: requireWords(words, "say what to remember: /remember we deploy on Fridays") },
    }),
  },
  {
    name: "keep",
    description:
      "Strata: list likely sentences that wait; /keep 3fa2b1 makes one a memory, /keep 3fa2b1 decision of this type",
    translate: (words) =>
      words === "" ? { operation: "candidates", input: {} } : { operation: "keep", input: readKept(words) },
  },
  {
    name: "drop",
    description: "Strata: forget sentences that wait, e.g. /drop 3fa2b1, or /drop all",
    translate(words) {
      const ids = readIDs(
        requireWords(words, "say which to drop: /drop 3fa2b1, or /drop all; /keep lists them"),
      );
      return { operation: "drop", input: ids.join() === "all" ? { all: true } : { ids } };
    },
  },
  {
    name: "why",
    description: "Strata: why what you said was kept or not, e.g. /why invoice numbers",
    translate: (words) => ({
      operation: "why",
      input: { words: requireWords(words, "say about what: /why invoice numbers") },
    }),
  },
  {
    name: "recall",
    description: "Strata: search memories and notes of earlier sessions, e.g. /recall which port",
    deadlineMs: RECALL_DEADLINE_MS,
    translate: (words) => ({
      operation: "recall",
      input: { words: requireWords(words, "say what to find: /recall which port does the server use") },
    }),
  },
  {
    name: "forget",
    description: "Strata: move the memory that matches these words to the archive",
    translate: (words) => ({
      operation: "archive",
      input: { name: requireWords(words, "say which memory: /forget the port"), reason: "/forget" },
    }),
  },
  {
    name: "memory-undo",
    description: "Strata: undo the last change of memory",
    translate: () => ({ operation: "undo", input: {} }),
  },
];

function requireWords(words: string, what: string): string {
  if (words === "") throw new StrataError("EMPTY", what);
  return words;
}

/** "3fa2b1 decision": ids, and the type that they get if it is not their own. */
function readKept(words: string): { ids: string[]; type?: MemoryType } {
  const all = readIDs(words);
  const types = all.flatMap((word) => readTypeName(word) ?? []);
  if (types.length > 1)
    throw new StrataError("TYPES", `expected one type for what is kept, ${types.join(" and ")} came`);
  const ids = all.filter((word) => readTypeName(word) === undefined);
  if (ids.length === 0) throw new StrataError("EMPTY", "say which to keep: /keep 3fa2b1; /keep lists them");
  return { ids, ...(types[0] && { type: types[0] }) };
}

const readIDs = (words: string): string[] => words.split(/[\s,]+/).filter((word) => word !== "");

export function createSlashCommands(context: KernelContext): SlashCommand[] {
  const trust = createTrustAnswers(context.memories);
  return [
    ...rows.map(
      ({ translate, ...row }): SlashCommand => ({
        ...row,
        async execute({ sessionID, words }) {
          const { input, operation } = translate(words.trim());
          const { perform } = await import("./operations/operation.js");
          const core = await createCore(context, sessionID);
          const { data, notes = [], text } = await perform(core, operations[operation], input);
          return [wrapPath(text, data), ...notes].join("\n");
        },
      }),
    ),
    {
      name: "memory-trust",
      description:
        "Strata: list memories that came with this repository; yes accepts them, undo revokes that",
      execute: ({ words }) => trust(words.trim().toLowerCase()),
    },
  ];
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
  const { createContextRequests } = await import("./status/context-requests.js");
  const { recordConflicts } = await import("./operations/record-rivals.js");
  const { clock, files, folders, log, locateRecord, memories, search } = context;
  return {
    ...{ caller: "person", nameOf, session, clock, files, folders, log, memories },
    root: context.host.project,
    style: plainStyle,
    candidates: async () => context.candidates,
    gate: async () => createGate({ memories, search }),
    search: async () => ({ ...search, waitForMeaning: async () => {}, onIdle: async () => {} }),
    entities: async () => context.entities,
    contextRequests: async () =>
      createContextRequests({ clock, files, locate: async () => (await locateRecord()).contextRequests }),
    noteConflicts: (changed) =>
      recordConflicts(changed, {
        ...{ memories, style: plainStyle },
        openLog: async () => createConflictLog({ ...context, folder: folders.memory }),
      }),
  };
}

/* `/memory-trust`: shows memories that wait for acceptance, and accepts them. A yes accepts only what was shown before. */

const YES = "/memory-trust yes";

/** Answers the command's arguments. Rejects with StrataError WORDS, and with the system's error. */
export function createTrustAnswers(memories: Memories): (words: string) => Promise<string> {
  const shown = new Set<string>();

  function show(waiting: readonly Memory[]): string {
    for (const memory of waiting) shown.add(describe(memory));
    return formatWaiting(waiting, YES);
  }

  return async (words) => {
    await memories.list();
    const waiting = memories.foreign();
    if (words === "undo") return formatRevoked(await memories.revoke());
    if (words === "") return show(waiting);
    if (words !== "yes")
      throw new StrataError("WORDS", `expected yes, undo or nothing (to list them), got "${words}"`);
    const unseen = waiting.filter((memory) => !shown.has(describe(memory)));
    if (unseen.length === 0) return formatAccepted(await memories.accept(undefined, YES));
    const seen = waiting.filter((memory) => !unseen.includes(memory)).map(({ id }) => id);
    const accepted = seen.length > 0 ? [formatAccepted(await memories.accept(seen, YES))] : [];
    return [...accepted, show(unseen)].join("\n");
  };
}

const describe = ({ content, id, title, type }: Memory): string => JSON.stringify([id, type, title, content]);
