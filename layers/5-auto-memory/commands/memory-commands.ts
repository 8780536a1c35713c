import { randomUUID } from "node:crypto";
import { StrataError } from "../../../src/base/error.js";
import type { Clock } from "../../../src/io/clock.js";
import type { SlashCommand } from "../../../src/kernel/layer.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { WaitingCandidate } from "../../../src/memory/candidates/candidate.js";
import type { Candidates } from "../../../src/memory/candidates/candidates.js";
import { formatAccepted, formatRevoked, formatWaiting } from "../../../src/memory/format-foreign.js";
import { formatContradicted, type Gate } from "../../../src/memory/gate/gate.js";
import { findMemories, type Memory, type MemoryType, readTypeName } from "../../../src/memory/memory.js";
import {
  type Found,
  formatFound,
  listShownWhole,
  type MemorySearch,
} from "../../../src/memory/search/search.js";
import type { Memories, Written } from "../../../src/memory/store/store.js";
import type { Conflicts } from "../injection/conflicts.js";
import { describeEntities } from "../injection/named-entities.js";

export interface MemoryCommandsOptions extends Pick<LayerContext, "entities"> {
  candidates: Candidates;
  conflicts: Pick<Conflicts, "compare">;
  gate: Gate;
  memories: Memories;
  search: Pick<MemorySearch, "find">;
  clock: Clock;
}

const MOST_HITS = 10;
/** The first search in a session reads and indexes all memories. */
const RECALL_DEADLINE_MS = 15_000;

/** `/remember`, `/keep`, `/drop`, `/why`, `/memory-trust`, `/recall` and `/forget`. */
export function createMemoryCommands(options: MemoryCommandsOptions): SlashCommand[] {
  const { clock, conflicts, gate, memories, search } = options;
  const answerTrust = createTrustAnswers(memories);
  return [
    {
      name: "remember",
      description: "Strata: remember these words, e.g. /remember decision: we use port 8080",
      async execute({ sessionID, words }) {
        if (words.trim() === "")
          throw new StrataError("EMPTY", "say what to remember: /remember we deploy on Fridays");
        const { planRemembered } = await import("./remembered.js");
        const said = planRemembered(words);
        const provenance = { by: "user" as const, session: sessionID, evidence: firstLine(words) };
        const cause = { operation: "remember", session: sessionID, run: randomUUID().slice(0, 8) };
        const { contradicted, written } = await gate.keep({ ...said, provenance }, cause);
        const isNew = written.kind === "written" && !written.isKnown;
        const rival = isNew ? await conflicts.compare(written.memory) : undefined;
        const more = [...formatContradicted(contradicted), ...(rival === undefined ? [] : [rival])];
        return [describe(written, "Remembered"), ...more].join("\n");
      },
    },
    ...createCandidateCommands(options),
    {
      name: "memory-trust",
      description:
        "Strata: list memories that came with this repository; yes accepts them, undo revokes that",
      execute: ({ words }) => answerTrust(words.trim().toLowerCase()),
    },
    {
      name: "recall",
      description: "Strata: search memories and notes of earlier sessions, e.g. /recall which port",
      deadlineMs: RECALL_DEADLINE_MS,
      async execute({ sessionID, words }) {
        const text = words.trim();
        if (text === "")
          throw new StrataError("EMPTY", "say what to find: /recall which port does the server use");
        const found = await search.find({ text, limit: MOST_HITS, exceptSession: sessionID });
        const about = await describeEntities(options, text);
        if (found.length + about.length === 0) return `Nothing found for "${text}".`;
        const lineOf = (one: Found): string => formatFound(one, clock.now());
        memories.noteUse(listShownWhole(found, lineOf));
        return [...about, ...found.map(lineOf)].join("\n");
      },
    },
    {
      name: "forget",
      description: "Strata: move the memory that matches these words to the archive",
      async execute({ sessionID, words }) {
        const found = findMemories(await memories.list(), words);
        const [only] = found;
        if (!only) return `No memory matches "${words.trim()}".`;
        if (found.length > 1) {
          const lines = found.slice(0, 10).map(({ id, title }) => `${id}  ${title}`);
          return [`${found.length} memories match; say which one:`, ...lines].join("\n");
        }
        const cause = { operation: "archive", session: sessionID, reason: "/forget" };
        return describe(await memories.archive(only.id, cause), "Moved to the archive");
      },
    },
  ];
}

function describe(written: Written, done: string): string {
  if (written.kind === "refused") return `Not done: ${written.why}`;
  return `${written.isKnown ? "Already known" : done}: ${written.memory.id}\n${written.path}`;
}

const firstLine = (words: string): string => words.trim().split("\n")[0] ?? "";

/* `/memory-trust`: shows memories that wait for acceptance, and accepts them. A yes accepts only what was shown before. */

const YES = "/memory-trust yes";

/** Answers the command's arguments. Rejects with StrataError WORDS, and with the system's error. */
export function createTrustAnswers(memories: Memories): (words: string) => Promise<string> {
  const shown = new Set<string>();

  function show(waiting: readonly Memory[]): string {
    for (const memory of waiting) shown.add(nameOf(memory));
    return formatWaiting(waiting, YES);
  }

  return async (words) => {
    await memories.list();
    const waiting = memories.foreign();
    if (words === "undo") return formatRevoked(await memories.revoke());
    if (words === "") return show(waiting);
    if (words !== "yes")
      throw new StrataError("WORDS", `expected yes, undo or nothing (to list them), got "${words}"`);
    const unseen = waiting.filter((memory) => !shown.has(nameOf(memory)));
    if (unseen.length === 0) return formatAccepted(await memories.accept(undefined, YES));
    const seen = waiting.filter((memory) => !unseen.includes(memory)).map(({ id }) => id);
    const accepted = seen.length > 0 ? [formatAccepted(await memories.accept(seen, YES))] : [];
    return [...accepted, show(unseen)].join("\n");
  };
}

const nameOf = ({ content, id, title, type }: Memory): string => JSON.stringify([id, type, title, content]);

/* `/keep`, `/drop` and `/why`: the user decides about candidates. Their answers are shown and never sent. */

export interface CandidateCommandsOptions {
  candidates: Candidates;
  clock: Clock;
  gate: Gate;
  memories: Memories;
}

const NONE = "No candidates wait.";

export function createCandidateCommands(options: CandidateCommandsOptions): readonly SlashCommand[] {
  const { candidates, clock, gate, memories } = options;

  return [
    {
      name: "keep",
      description:
        "Strata: list likely sentences that wait; /keep 3fa2b1 makes one a memory, /keep 3fa2b1 decision of this type",
      async execute({ sessionID, words }) {
        const all = await candidates.list();
        if (words.trim() === "") return formatList(all);
        const { findCandidates, keepCandidate } = await loadChoosing();
        const { ids, type } = readKept(words);
        const chosen = findCandidates(all, ids, "/keep");
        const cause = { operation: "keep", session: sessionID, run: randomUUID().slice(0, 8) };
        const lines: string[] = [];
        for (const one of chosen) {
          const nowMs = clock.now();
          const kept = await keepCandidate(one, { candidates, cause, gate, memories, nowMs, type });
          const { contradicted, written } = kept;
          lines.push(
            written.kind === "refused"
              ? `${one.id} still waits: ${written.why}`
              : `${written.isKnown ? "Already known" : "Remembered"}: ${written.memory.id}\n${written.path}`,
            ...contradicted,
          );
        }
        return lines.join("\n");
      },
    },
    {
      name: "drop",
      description: "Strata: forget sentences that wait, e.g. /drop 3fa2b1, or /drop all",
      async execute({ words }) {
        const all = await candidates.list();
        const ids = readIDs(words);
        if (ids.length === 0)
          throw new StrataError("EMPTY", "say which to drop: /drop 3fa2b1, or /drop all; /keep lists them");
        const { findCandidates } = await loadChoosing();
        const chosen = ids.length === 1 && ids[0] === "all" ? all : findCandidates(all, ids, "/keep");
        if (chosen.length === 0) return NONE;
        await candidates.drop(chosen.map(({ id }) => id));
        return `Dropped: ${chosen.map(({ id }) => id).join(", ")}`;
      },
    },
    {
      name: "why",
      description: "Strata: why what you said was kept or not, e.g. /why invoice numbers",
      async execute({ words }) {
        if (words.trim() === "") throw new StrataError("EMPTY", "say about what: /why invoice numbers");
        const { findReasons, formatReasons } = await import("../../../src/memory/candidates/why.js");
        return formatReasons(await findReasons(words.trim(), { candidates, memories }), "session");
      },
    },
  ];

  async function formatList(all: readonly WaitingCandidate[]): Promise<string> {
    if (all.length === 0) return NONE;
    const { formatCandidates } = await import("../../../src/memory/candidates/why.js");
    const how = "/keep and the first column make one a memory, /drop forgets it.";
    return [...formatCandidates(all, clock.now()), how].join("\n");
  }
}

const loadChoosing = () => import("../../../src/memory/candidates/choose-candidates.js");

/** "3fa2b1 decision": ids, and the type that they get if it is not their own. */
function readKept(words: string): { ids: string[]; type: MemoryType | undefined } {
  const all = readIDs(words);
  const types = all.flatMap((word) => readTypeName(word) ?? []);
  if (types.length > 1)
    throw new StrataError("TYPES", `expected one type for what is kept, ${types.join(" and ")} came`);
  const ids = all.filter((word) => readTypeName(word) === undefined);
  if (ids.length === 0) throw new StrataError("EMPTY", "say which to keep: /keep 3fa2b1; /keep lists them");
  return { ids, type: types[0] };
}

const readIDs = (words: string): string[] => words.split(/[\s,]+/).filter((word) => word !== "");
