/**
 * The session's prompt as a door: `/remember`, `/recall` and others run the operations that every door has, on what the
 * plugin has open. Answers are shown and never sent. Code is loaded with the first command.
 */
import { StrataError } from "../base/error.js";
import type { Layer, SlashCommand } from "../kernel/layer.js";
import type { KernelContext, Stack } from "../kernel/layer-context.js";
import { createGate } from "../memory/gate/gate.js";
import { formatAccepted, formatRevoked, formatWaiting } from "../memory/in-words.js";
import { type Memory, type MemoryType, readTypeName } from "../memory/memory.js";
import { createConflictLog } from "../memory/store/conflict-log.js";
import type { Memories } from "../memory/store/store.js";
import { plainStyle } from "./command.js";
import type { Core } from "./core.js";
import type { WrittenData } from "./operation.js";
import { operations } from "./table.js";

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

interface Row extends Pick<SlashCommand, "name" | "description" | "deadlineMs"> {
  operation: keyof typeof operations;
  /** What was typed, as the operation's input; by default as the field that takes the words. */
  read?(words: string): object;
}

/** The first search in a session reads and indexes all memories. */
const RECALL_DEADLINE_MS = 15_000;

const rows: readonly Row[] = [
  {
    name: "remember",
    description: "Strata: remember these words, e.g. /remember decision: we use port 8080",
    operation: "remember",
  },
  {
    name: "keep",
    description:
      "Strata: list likely sentences that wait; /keep 3fa2b1 makes one a memory, /keep 3fa2b1 decision of this type",
    operation: "keep",
    read: readKept,
  },
  {
    name: "drop",
    description: "Strata: forget sentences that wait, e.g. /drop 3fa2b1, or /drop all",
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
    description: "Strata: search memories and notes of earlier sessions, e.g. /recall which port",
    deadlineMs: RECALL_DEADLINE_MS,
    operation: "recall",
  },
  {
    name: "forget",
    description: "Strata: move the memory that matches these words to the archive",
    operation: "archive",
    read: (words) => ({ name: words, reason: "/forget" }),
  },
  { name: "memory-undo", description: "Strata: undo the last change of memory", operation: "undo" },
];

/** "3fa2b1 decision": ids, and the type that they get if it is not their own. */
function readKept(words: string): { ids: string[]; type?: MemoryType } {
  const all = readIDs(words);
  const types = all.flatMap((word) => readTypeName(word) ?? []);
  if (types.length > 1)
    throw new StrataError("TYPES", `expected one type for what is kept, ${types.join(" and ")} came`);
  return { ids: all.filter((word) => readTypeName(word) === undefined), ...(types[0] && { type: types[0] }) };
}

const readIDs = (words: string): string[] => words.split(/[\s,]+/).filter((word) => word !== "");

export function createSlashCommands(context: KernelContext): SlashCommand[] {
  const trust = createTrustAnswers(context.memories);
  return [
    ...rows.map(
      ({ operation, read, ...row }): SlashCommand => ({
        ...row,
        async execute({ sessionID, words: typed }) {
          const words = typed.trim();
          const { perform } = await import("./operation.js");
          // What waits is listed, too.
          const entry = operations[row.name === "keep" && words === "" ? "candidates" : operation];
          const given = words === "" ? {} : (read?.(words) ?? { [entry.takes ?? "words"]: words });
          const core = await createCore(context, sessionID);
          const { data, notes = [], text } = await perform(core, entry, given, () => `/${row.name}`);
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
  const { createContextRequests } = await import("../status/context-requests.js");
  const { recordConflicts } = await import("./record-rivals.js");
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
