/**
 * `memory_update`: the agent changes a memory. Nothing is deleted, and the user's words stay the user's words.
 *
 * A directive, preference, feedback or pattern changes only if the user's words in this session ask for it: an order, its
 * opposite, or a yes to the agent's question. Such a change gives a toast, and a line in the next session. Pinning, which
 * puts a memory before all others for good, needs such words for any memory.
 */
import * as z from "zod";
import { StrataError } from "../../../src/base/error.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import { type Memory, type Provenance, usersTypes } from "../../../src/memory/memory.js";
import type { Cause } from "../../../src/memory/store/ledger.js";
import type { Written } from "../../../src/memory/store/store.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";
import { refuseConflict } from "../injection/conflicts.js";
import { findOrder } from "../said/find-order.js";
import { findSaid, findVerbatim } from "../said/find-said.js";
import { findWhen, formatTitle } from "../words/describe.js";
import type { UsersMessage } from "../words/statements.js";
import { type Call, formatWritten, type MemoryToolsContext, provenanceOf, refuseUnsaid } from "./remember.js";

export const updateArguments = z.object({
  id: z.string().trim().min(3),
  action: z.enum(["edit", "archive", "restore", "resolve", "reopen", "link", "unlink", "pin", "unpin"]),
  content: z.string().trim().min(3).max(10_000).optional(),
  title: z.string().trim().min(3).max(120).optional(),
  to: z.string().trim().min(3).optional(),
  reason: z.string().trim().max(300).optional(),
});
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
/** Actions that need the user's words for any memory, since they change its rank for good. */
const PINS: ReadonlySet<Action> = new Set(["pin", "unpin"]);

export async function update(context: MemoryToolsContext, args: Arguments, { messageID, sessionID }: Call) {
  const { memories, readUsersMessages, tellUser } = context;
  const { action, id } = args;
  const current = await memories.read(id);
  const isUsers = current !== undefined && usersTypes.has(current.type);
  const needsWords = isUsers || PINS.has(action);
  const messages = action === "edit" || needsWords ? await readUsersMessages(sessionID) : [];
  const words = current && needsWords ? await readOrder(context, current, args, messages) : undefined;
  const reason = words === undefined ? args.reason : `the user said ${JSON.stringify(words)}`;
  const cause: Cause = {
    operation: action,
    session: sessionID,
    // The ledger keeps it for ever.
    ...(reason && { reason: redactSecrets(reason).text }),
  };
  const by = { session: sessionID, message: messageID };
  const written = await change(context, args, cause, { by, messages });
  const [answer, told] = DONE[action];
  if (isUsers && words !== undefined && written.kind === "written") tellUser({ id, what: told, words });
  return formatWritten(context, written, written.kind === "unchanged" ? "Nothing to change" : answer);
}

/** The user's words that ask for the change. Throws if there are none. */
async function readOrder(
  { memories }: MemoryToolsContext,
  memory: Memory,
  { action }: Arguments,
  messages: readonly UsersMessage[],
): Promise<string> {
  const all = await memories.list({ archived: action === "restore" });
  const others = all.filter(({ type }) => PINS.has(action) || usersTypes.has(type));
  const ordered = action === "resolve" || action === "reopen" ? "archive" : action;
  const words = findOrder({ action: ordered, memory, messages, others });
  if (words !== undefined) return words;
  const why = PINS.has(action)
    ? "What is pinned stands before all else"
    : `${memory.id} holds what the user said`;
  throw refuse(
    `${why}, and no message of the user's in this session asks for this. Ask the user, naming it: "Shall I ${action} the memory ${memory.id}?"; after a yes, call this again.`,
  );
}

async function change(
  { conflicts, memories }: MemoryToolsContext,
  args: Arguments,
  cause: Cause,
  evidence: Omit<Evidence, "other">,
): Promise<Written> {
  const { action, id } = args;
  if (action === "archive") return memories.archive(id, cause);
  if (action === "restore") return memories.restore(id, cause);
  const other = args.to === undefined ? undefined : await memories.read(args.to);
  const plan = (current: Memory) => planChange(current, args, { ...evidence, other });
  const written = await conflicts.update(id, plan, cause);
  return written.kind === "conflict" ? refuseConflict(written) : written;
}

interface Evidence {
  other: Memory | undefined;
  /** In which the user's words for an edit are looked for. */
  messages: readonly UsersMessage[];
  by: { session: string; message: string };
}

/** The changed memory; `undefined` if nothing changes. Throws if the change is not possible. Pure. */
function planChange(current: Memory, args: Arguments, evidence: Evidence): Memory | undefined {
  const { action } = args;
  if (action === "edit") return planEdit(current, args, evidence);
  if (PINS.has(action)) {
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
function planEdit(current: Memory, { content, title }: Arguments, { by, messages }: Evidence) {
  if (content === undefined && title === undefined)
    throw refuse("edit: expected content or title, neither came.");
  let edited: Memory;
  if (usersTypes.has(current.type)) {
    if (content === undefined)
      throw refuse(
        `edit: the title of a ${current.type} is made of the user's sentence; expected content, a title came.`,
      );
    const said = findSaid(content, messages);
    if (typeof said === "string") throw refuseUnsaid(current.type, said);
    const { text } = said;
    const provenance = provenanceOf(said, by.session);
    edited = { ...current, content: text, title: formatTitle(text), when: findWhen(text), provenance };
    if (text === current.content) return undefined;
  } else {
    // With a title of its own it is not only the user's.
    const verbatim = title === undefined ? findVerbatim(content ?? "", messages) : undefined;
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
