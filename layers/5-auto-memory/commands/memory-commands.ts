import { randomUUID } from "node:crypto";
import { StrataError } from "../../../src/base/error.js";
import type { Clock } from "../../../src/io/clock.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { SlashCommand } from "../../../src/kernel/slash-command.js";
import type { Candidates } from "../../../src/memory/candidates/candidates.js";
import { formatContradicted, type Gate } from "../../../src/memory/gate/gate.js";
import { findMemories } from "../../../src/memory/search/find.js";
import { formatFound, listShownWhole } from "../../../src/memory/search/found.js";
import type { Found, MemorySearch } from "../../../src/memory/search/search.js";
import type { Memories, Written } from "../../../src/memory/store.js";
import type { Conflicts } from "../conflicts.js";
import { describeEntities } from "../injection/named-entities.js";
import { createCandidateCommands } from "./candidate-commands.js";
import { createTrustAnswers } from "./trust-answers.js";

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
