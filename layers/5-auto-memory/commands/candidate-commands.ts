/** `/keep`, `/drop` and `/why`: the user decides about candidates. Their answers are shown and never sent. */
import { randomUUID } from "node:crypto";
import { StrataError } from "../../../src/base/error.js";
import type { Clock } from "../../../src/io/clock.js";
import type { SlashCommand } from "../../../src/kernel/slash-command.js";
import type { WaitingCandidate } from "../../../src/memory/candidates/candidate.js";
import type { Candidates } from "../../../src/memory/candidates/candidates.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import { readTypeName } from "../../../src/memory/id.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import type { Memories } from "../../../src/memory/store.js";

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
    const { formatCandidates } = await import("../../../src/memory/candidates/format-candidates.js");
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
