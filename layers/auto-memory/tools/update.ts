/** `memory_update`: the agent changes a memory. Nothing is deleted, and what the user said stays what the user said. */
import * as z from "zod";
import { StrataError } from "../../../src/error.js";
import { checkDraft } from "../../../src/memory/check-draft.js";
import { refuseConflict } from "../../../src/memory/conflicts.js";
import { type Memory, type Provenance, usersTypes } from "../../../src/memory/memory.js";
import { redactSecrets } from "../../../src/memory/secrets.js";
import type { Cause, Written } from "../../../src/memory/store.js";
import { defineTool, type Tool } from "../../../src/tool.js";
import { findSaid, type UsersMessage } from "../said.js";
import { formatWritten, type MemoryToolsContext, refuseUnsaid } from "./common.js";

const actions = [
  "edit",
  "archive",
  "restore",
  "resolve",
  "reopen",
  "link",
  "unlink",
  "pin",
  "unpin",
] as const;
type Action = (typeof actions)[number];

const parameters = z.object({
  id: z.string().trim().min(3),
  action: z.enum(actions).describe("resolve, reopen: a blocker"),
  content: z.string().trim().min(3).max(10_000).optional().describe("edit"),
  title: z.string().trim().min(3).max(120).optional().describe("edit"),
  to: z.string().trim().min(3).optional().describe("link: other id"),
  reason: z.string().trim().max(300).optional(),
});
type Arguments = z.output<typeof parameters>;

const DONE: Readonly<Record<Action, string>> = {
  edit: "Changed",
  archive: "Archived",
  restore: "Restored",
  resolve: "Resolved",
  reopen: "Open again",
  link: "Linked",
  unlink: "No longer linked",
  pin: "Pinned",
  unpin: "No longer pinned",
};

export function createUpdateTool(context: MemoryToolsContext): Tool {
  const { conflicts, memories, readUsersMessages } = context;
  return defineTool({
    name: "memory_update",
    description: "Change a memory. Nothing is deleted: archive what no longer holds.",
    parameters,
    async execute(args, { messageID, sessionID }) {
      const cause: Cause = {
        operation: args.action,
        session: sessionID,
        // It stands in the ledger for ever.
        ...(args.reason && { reason: redactSecrets(args.reason).text }),
      };
      const written = await change(args, cause, { session: sessionID, message: messageID });
      const what = written.kind === "unchanged" ? "Nothing to change" : DONE[args.action];
      return formatWritten(context, written, what);
    },
  });

  async function change(args: Arguments, cause: Cause, by: Ground["by"]): Promise<Written> {
    const { action, id } = args;
    if (action === "archive") return memories.archive(id, cause);
    if (action === "restore") return memories.restore(id, cause);
    const other = args.to === undefined ? undefined : await memories.read(args.to);
    const said = action === "edit" ? await readUsersMessages(by.session) : [];
    const change = (current: Memory) => planChange(current, args, { other, said, by });
    const written = await conflicts.update(id, change, cause);
    return written.kind === "conflict" ? refuseConflict(written) : written;
  }
}

interface Ground {
  /** The memory to link with. */
  other: Memory | undefined;
  said: readonly UsersMessage[];
  /** Where the change was asked for. */
  by: { session: string; message: string };
}

/** The memory as it is to be; `undefined` where it is so. Throws what cannot be done. Pure. */
export function planChange(current: Memory, args: Arguments, ground: Ground): Memory | undefined {
  switch (args.action) {
    case "edit":
      return planEdit(current, args, ground);
    case "resolve":
    case "reopen":
      return planBlocker(current, args.action === "resolve" ? "resolved" : "active");
    case "pin":
    case "unpin":
      return current.pinned === (args.action === "pin") ? undefined : { ...current, pinned: !current.pinned };
    default:
      return planLink(current, args, ground.other);
  }
}

/** What nobody but the agent says is from then on the agent's, and no rule. */
function planEdit(current: Memory, args: Arguments, { by, said }: Ground): Memory | undefined {
  if (args.content === undefined && args.title === undefined)
    throw refuse("edit: expected content or title, neither came.");
  const { content = current.content, title = current.title } = args;
  const isReworded = content !== current.content;
  if (!isReworded && title === current.title) return undefined;
  const found = findSaid(content, said);
  const isTitleSaid = title === current.title || findSaid(title, said) !== undefined;
  const isUsers = usersTypes.has(current.type);
  if (isUsers && !(isTitleSaid && (found || !isReworded))) throw refuseUnsaid(current.type);
  const provenance: Provenance = found
    ? { by: "user", session: by.session, message: found.messageID, evidence: found.evidence, how: "tool" }
    : { by: "agent", ...by, how: "tool" };
  const edited = { ...current, content, title, ...(isReworded && { provenance }) };
  const checked = checkDraft(edited);
  if (checked.kind === "refused") throw refuse(checked.why);
  return edited;
}

function planBlocker(current: Memory, status: "resolved" | "active"): Memory | undefined {
  if (current.type !== "blocker")
    throw refuse(`Expected a blocker, ${current.id} is a ${current.type}; archive what no longer holds.`);
  return current.status === status ? undefined : { ...current, status };
}

function planLink(current: Memory, { action, to }: Arguments, other: Memory | undefined): Memory | undefined {
  if (to === undefined) throw refuse(`${action}: expected the other memory's id in "to", none came.`);
  const isLinked = current.links.includes(to);
  if (action === "unlink")
    return isLinked ? { ...current, links: current.links.filter((id) => id !== to) } : undefined;
  if (!other) throw refuse(`There is no memory ${to}; memory_recall finds ids.`);
  if (other.id === current.id) throw refuse("A memory cannot be linked with itself.");
  if (other.sensitivity === "private" && current.sensitivity !== "private")
    throw refuse(`${to} is private, and ${current.id} may be committed: link the private one to the other.`);
  return isLinked ? undefined : { ...current, links: [...current.links, to] };
}

const refuse = (why: string): StrataError => new StrataError("EMEMORYUPDATE", `Nothing was changed. ${why}`);
