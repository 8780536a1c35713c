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
import { findWhen, formatTitle } from "../words/describe.js";
import type { UsersMessage } from "../words/statements.js";
import type { updateArguments } from "./arguments.js";
import { formatWritten, type MemoryToolsContext, provenanceOf, refuseUnsaid } from "./remember.js";

type Arguments = z.output<typeof updateArguments>;
type Action = Arguments["action"];

/** What was done, as the answer begins, and as the user is told of it later. */
const DONE: Readonly<Record<Action, readonly [answer: string, told: string]>> = {
  edit: ["Changed", "changed"],
  archive: ["Archived", "archived"],
  restore: ["Restored", "restored"],
  resolve: ["Resolved", "resolved"],
  reopen: ["Open again", "opened again"],
  link: ["Linked", "linked"],
  unlink: ["No longer linked", "unlinked"],
  pin: ["Pinned", "pinned"],
  unpin: ["No longer pinned", "unpinned"],
};
const parameters: ToolParameters = {
  properties: {
    id: { type: "string" },
    action: { type: "string", enum: Object.keys(DONE) },
    content: { type: "string" },
  },
  required: ["id", "action"],
};

/** Actions that need the user's words for any memory, since they change its rank for good. */
const PINS: ReadonlySet<Action> = new Set(["pin", "unpin"]);

export function createUpdateTool(context: MemoryToolsContext): Tool {
  const { changes, conflicts, memories, readUsersMessages } = context;
  return defineTool<typeof updateArguments>({
    name: "memory_update",
    description: "Change a memory; archive what no longer holds. Also: title, to (link), reason.",
    parameters,
    loadCheck: async () => (await import("./arguments.js")).updateArguments,
    async execute(args, { messageID, sessionID }) {
      const { action, id } = args;
      const current = await memories.read(id);
      const isUsers = current !== undefined && usersTypes.has(current.type);
      const needsWords = isUsers || PINS.has(action);
      const messages = action === "edit" || needsWords ? await readUsersMessages(sessionID) : [];
      const words = current && needsWords ? await readOrder(current, args, messages) : undefined;
      const reason = words === undefined ? args.reason : `the user said ${JSON.stringify(words)}`;
      const cause: Cause = {
        operation: action,
        session: sessionID,
        // The ledger keeps it for ever.
        ...(reason && { reason: redactSecrets(reason).text }),
      };
      const by = { session: sessionID, message: messageID };
      const written = await change(args, cause, { by, ...(await readSaid(current, args, messages)) });
      const [answer, told] = DONE[action];
      if (isUsers && words !== undefined && written.kind === "written")
        await changes.note({ id, what: told, words, session: sessionID });
      return formatWritten(context, written, written.kind === "unchanged" ? "Nothing to change" : answer);
    },
  });

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
    const why = PINS.has(action)
      ? "What is pinned stands before all else"
      : `${memory.id} holds what the user said`;
    throw refuse(
      `${why}, and no message of the user's in this session asks for this. Ask the user, naming it: "Shall I ${action} the memory ${memory.id}?"; after a yes, call this again.`,
    );
  }

  /** The user's words that support an edit's content. */
  async function readSaid(
    current: Memory | undefined,
    { action, content, title }: Arguments,
    messages: readonly UsersMessage[],
  ): Promise<Pick<Evidence, "search" | "verbatim">> {
    if (action !== "edit" || !current || content === undefined) return {};
    const { findSaid, findVerbatim } = await import("../said/find-said.js");
    if (usersTypes.has(current.type)) return { search: findSaid(content, messages) };
    return title === undefined ? { verbatim: findVerbatim(content, messages) } : {};
  }

  async function change(args: Arguments, cause: Cause, evidence: Omit<Evidence, "other">): Promise<Written> {
    const { action, id } = args;
    if (action === "archive") return memories.archive(id, cause);
    if (action === "restore") return memories.restore(id, cause);
    const other = args.to === undefined ? undefined : await memories.read(args.to);
    const plan = (current: Memory) => planChange(current, args, { ...evidence, other });
    const written = await conflicts.update(id, plan, cause);
    return written.kind === "conflict" ? refuseConflict(written) : written;
  }
}

interface Evidence {
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
function planChange(current: Memory, args: Arguments, evidence: Evidence): Memory | undefined {
  const { action } = args;
  if (action === "edit") return planEdit(current, args, evidence);
  if (action === "pin" || action === "unpin") {
    const pinned = action === "pin";
    return current.pinned === pinned ? undefined : { ...current, pinned };
  }
  if (action === "link" || action === "unlink") return planLink(current, args, evidence.other);
  if (current.type !== "blocker")
    throw refuse(`Expected a blocker, ${current.id} is a ${current.type}; archive what no longer holds.`);
  const status = action === "resolve" ? "resolved" : "active";
  return current.status === status ? undefined : { ...current, status };
}

/** Content that only the agent says becomes the agent's, and is not a rule. The title of a rule is made of its sentence. */
function planEdit(
  current: Memory,
  { content, title }: Arguments,
  { by, search, verbatim }: Evidence,
): Memory | undefined {
  if (content === undefined && title === undefined)
    throw refuse("edit: expected content or title, neither came.");
  let edited: Memory;
  if (usersTypes.has(current.type)) {
    if (search === undefined)
      throw refuse(
        `edit: the title of a ${current.type} is made of the user's sentence; expected content, a title came.`,
      );
    if (search.kind === "unsaid") throw refuseUnsaid(current.type, search.why);
    const { text } = search.said;
    const provenance = provenanceOf(search.said, by.session);
    edited = { ...current, content: text, title: formatTitle(text), when: findWhen(text), provenance };
    if (text === current.content) return undefined;
  } else {
    const provenance: Provenance = verbatim
      ? provenanceOf(verbatim, by.session)
      : { by: "agent", ...by, how: "tool" };
    const text = verbatim?.text ?? content ?? current.content;
    edited = { ...current, content: text, title: title ?? current.title, provenance };
    if ((content ?? current.content) === current.content && edited.title === current.title) return undefined;
  }
  const checked = checkDraft(edited);
  if (checked.kind === "refused") throw refuse(checked.why);
  return edited;
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
