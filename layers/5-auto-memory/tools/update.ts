/**
 * `memory_update`: the agent changes a memory. Nothing is deleted, and the user's words stay the user's words.
 *
 * A directive, preference, feedback or pattern changes only if the user's words in this session ask for it: an order, its
 * opposite, or a yes to the agent's question. Such a change gives a toast, and a line in the next session. Pinning, which
 * puts a memory before all others for good, needs such words for any memory.
 */
import type { z } from "zod";
import { StrataError } from "../../../src/base/error.js";
import { defineTool, type Tool, type ToolParameters } from "../../../src/kernel/layer.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import { type Memory, type Provenance, usersTypes } from "../../../src/memory/memory.js";
import type { Cause } from "../../../src/memory/store/ledger-line.js";
import type { Written } from "../../../src/memory/store/store.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";
import { refuseConflict } from "../injection/conflicts.js";
import type { Said, SaidSearch } from "../said/find-said.js";
import type { UsersMessage } from "../words/statements.js";
import { formatTitle } from "../words/title.js";
import { findWhen } from "../words/when.js";
import { type Action, actions } from "./actions.js";
import type { updateArguments } from "./arguments.js";
import { formatWritten, type MemoryToolsContext, provenanceOf, refuseUnsaid } from "./remember.js";

const parameters: ToolParameters = {
  properties: {
    id: { type: "string" },
    action: { type: "string", enum: actions },
    content: { type: "string" },
  },
  required: ["id", "action"],
};
type Arguments = z.output<typeof updateArguments>;

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
  const { changes, conflicts, memories, readUsersMessages } = context;
  return defineTool<typeof updateArguments>({
    name: "memory_update",
    description: "Change a memory; archive what no longer holds. Also: title, to (link), reason.",
    parameters,
    loadCheck: async () => (await import("./arguments.js")).updateArguments,
    async execute(args, { messageID, sessionID }) {
      const cause: Cause = {
        operation: args.action,
        session: sessionID,
        // The ledger keeps it for ever.
        ...(args.reason && { reason: redactSecrets(args.reason).text }),
      };
      const written = await change(args, cause, { session: sessionID, message: messageID });
      const what = written.kind === "unchanged" ? "Nothing to change" : DONE[args.action];
      return formatWritten(context, written, what);
    },
  });

  async function change(args: Arguments, cause: Cause, by: Ground["by"]): Promise<Written> {
    const { action, id } = args;
    const current = await memories.read(id);
    const isUsers = current !== undefined && usersTypes.has(current.type);
    const messages =
      action === "edit" || isUsers || PINS.has(action) ? await readUsersMessages(by.session) : [];
    const words =
      current && (isUsers || PINS.has(action)) ? await readOrder(current, args, messages) : undefined;
    const reason = words === undefined ? cause.reason : `the user said ${JSON.stringify(words)}`;
    const explained = { ...cause, ...(reason !== undefined && { reason: redactSecrets(reason).text }) };
    const said = await readSaid(current, args, messages);
    const written = await carryOut(args, explained, { ...said, by });
    if (isUsers && words !== undefined && written.kind === "written")
      await changes.note({ id: current.id, what: WHAT[action], words, session: by.session });
    return written;
  }

  /** The user's words that ask for the change. Throws if there are none. */
  async function readOrder(
    memory: Memory,
    { action }: Arguments,
    messages: readonly UsersMessage[],
  ): Promise<string> {
    const all = await memories.list({ archived: action === "restore" });
    const others = all.filter(({ type }) => PINS.has(action) || usersTypes.has(type));
    const ordered = action === "resolve" || action === "reopen" ? "archive" : action;
    const { findOrder } = await import("../said/find-order.js");
    const words = findOrder({ action: ordered, memory, messages, others });
    if (words !== undefined) return words;
    throw refuse(
      `${PINS.has(action) ? "What is pinned stands before all else" : `${memory.id} holds what the user said`}, and no message of the user's in this session asks for this. Ask the user, naming it: "Shall I ${action} the memory ${memory.id}?"; after a yes, call this again.`,
    );
  }

  /** The user's words that support an edit's content. */
  async function readSaid(
    current: Memory | undefined,
    { action, content, title }: Arguments,
    messages: readonly UsersMessage[],
  ): Promise<Pick<Ground, "search" | "verbatim">> {
    if (action !== "edit" || !current || content === undefined) return {};
    if (usersTypes.has(current.type)) {
      const { findSaid } = await import("../said/find-said.js");
      return { search: findSaid(content, messages) };
    }
    if (title !== undefined) return {};
    const { findVerbatim } = await import("../said/find-said.js");
    return { verbatim: findVerbatim(content, messages) };
  }

  async function carryOut(args: Arguments, cause: Cause, ground: Omit<Ground, "other">): Promise<Written> {
    const { action, id } = args;
    if (action === "archive") return memories.archive(id, cause);
    if (action === "restore") return memories.restore(id, cause);
    const other = args.to === undefined ? undefined : await memories.read(args.to);
    const change = (current: Memory) => planChange(current, args, { ...ground, other });
    const written = await conflicts.update(id, change, cause);
    return written.kind === "conflict" ? refuseConflict(written) : written;
  }
}

/** Actions that need the user's words for any memory, since they change its rank for good. */
const PINS: ReadonlySet<Action> = new Set(["pin", "unpin"]);

const WHAT: Readonly<Record<Action, string>> = {
  edit: "changed",
  archive: "archived",
  restore: "restored",
  resolve: "resolved",
  reopen: "opened again",
  link: "linked",
  unlink: "unlinked",
  pin: "pinned",
  unpin: "unpinned",
};

interface Ground {
  /** The memory to link with. */
  other: Memory | undefined;
  /** The user's words for this content, if the memory holds what the user said. */
  search?: SaidSearch;
  /** The user's words if the content of any other memory is exactly these. */
  verbatim?: Said | undefined;
  /** The session and message that ask for the change. */
  by: { session: string; message: string };
}

/** The changed memory; `undefined` if nothing changes. Throws if the change is not possible. Pure. */
function planChange(current: Memory, args: Arguments, ground: Ground): Memory | undefined {
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

/** Content that only the agent says becomes the agent's, and is not a rule. */
function planEdit(
  current: Memory,
  args: Arguments,
  { by, search, verbatim: found }: Ground,
): Memory | undefined {
  if (args.content === undefined && args.title === undefined)
    throw refuse("edit: expected content or title, neither came.");
  if (usersTypes.has(current.type)) return planSaid(current, args, search, by.session);
  const { content = current.content, title = current.title } = args;
  if (content === current.content && title === current.title) return undefined;
  const provenance: Provenance = found
    ? provenanceOf(found, by.session)
    : { by: "agent", ...by, how: "tool" };
  return check({ ...current, content: found?.text ?? content, title, provenance });
}

/** Replaces the content by the user's new sentence, from which the title is made too. */
function planSaid(
  current: Memory,
  { content }: Arguments,
  search: SaidSearch | undefined,
  session: string,
): Memory | undefined {
  if (content === undefined || search === undefined)
    throw refuse(
      `edit: the title of a ${current.type} is made of the user's sentence; expected content, a title came.`,
    );
  if (search.kind === "unsaid") throw refuseUnsaid(current.type, search.why);
  const { text } = search.said;
  if (text === current.content) return undefined;
  return check({
    ...current,
    content: text,
    title: formatTitle(text),
    when: findWhen(text),
    provenance: provenanceOf(search.said, session),
  });
}

function check(edited: Memory): Memory {
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
