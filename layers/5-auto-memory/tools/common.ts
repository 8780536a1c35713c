/** Shared parts of the memory tools: their context and the format of their answers. */
import { relative } from "node:path";
import { StrataError } from "../../../src/base/error.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import type { Provenance } from "../../../src/memory/memory.js";
import type { MemorySearch } from "../../../src/memory/search/search.js";
import type { Memories, Written } from "../../../src/memory/store.js";
import type { AgentChanges } from "../changed-by-agent.js";
import type { Conflicts } from "../conflicts.js";
import type { FindDoubts } from "../injection/doubted-facts.js";
import type { Said } from "../said/said.js";
import type { UsersMessage } from "../words/own-words.js";
import type { Keeper } from "./keep.js";

export interface MemoryToolsContext
  extends Pick<LayerContext, "clock" | "entities" | "files" | "folders" | "log"> {
  memories: Memories;
  gate: Gate;
  conflicts: Pick<Conflicts, "see" | "update">;
  changes: Pick<AgentChanges, "note">;
  search: Pick<MemorySearch, "find">;
  findDoubts: FindDoubts;
  /** Absent where the agent is not asked what to keep. */
  agentJudge?: Keeper | undefined;
  /** The user's messages in the session; empty for a subagent's session, where another agent writes. */
  readUsersMessages(sessionID: string): Promise<UsersMessage[]>;
}

/** The provenance of what the user has said or confirmed. */
export function provenanceOf({ evidence, how, messageID }: Said, session: string): Provenance {
  return { by: "user", session, message: messageID, evidence, how };
}

/** Formats one line that names the file. Throws if the store refused. */
export function formatWritten(
  { folders }: Pick<LayerContext, "folders">,
  written: Written,
  what: string,
): string {
  if (written.kind !== "refused")
    return `${what}: ${written.memory.id} in ${formatPath(written.path, folders.project)}`;
  const { existing, why } = written;
  const known = existing ? ` It is known as ${existing.id}; memory_update changes that one.` : "";
  throw new StrataError("EMEMORYREFUSED", `Nothing was changed. ${why}${known}`);
}

/** The path relative to the project if it is inside. */
export function formatPath(path: string, project: string): string {
  const inside = relative(project, path);
  return inside.startsWith("..") ? path : inside.replaceAll("\\", "/");
}

export function refuseUnsaid(type: string, why: string): StrataError {
  return new StrataError(
    "EMEMORYUNSAID",
    `Nothing was changed. A ${type} holds what the user said, and ${why}. Repeat the user's own sentence as content, ask the user ("Shall I always …?") and try again after a yes, or keep a fact as knowledge.`,
  );
}
