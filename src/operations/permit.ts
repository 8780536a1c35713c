/**
 * What a client may do. It is another program's agent and cannot prove that the user said something, so its rules wait for
 * the user as candidates, its facts count as an agent's, and it changes no words of the user's, nor does the shell of a
 * session's agent, whose tool asks for the user's order. Private memories do not exist for a client, unless the user has
 * started the server with them.
 */

import { findWhen, formatTitle } from "../../layers/5-auto-memory/words/describe.js";
import { StrataError } from "../base/error.js";
import { shortenPath, toLine } from "../base/text.js";
import { refuseWords } from "../memory/draft.js";
import { TAKES_OVER } from "../memory/gate/gate.js";
import { isConfidential, type Memory, type MemoryDraft, parseID, usersTypes } from "../memory/memory.js";
import type { OpenMemories, Written } from "../memory/store/store.js";
import { createComparison } from "../text/compare.js";
import { type Answer, type Caller, type Core, REFUSED } from "./operation.js";

type Act = "archive" | "delete" | "edit" | "restore";

/** Why this caller may not do this to a memory; `undefined` if it may. Pure. */
export function findRefusal(
  caller: Caller,
  act: Act,
  { id, pinned, provenance: { by }, type }: Memory,
): string | undefined {
  if (caller === "person") return undefined;
  const isRule = pinned || usersTypes.has(type);
  if (isRule || (act === "edit" && (by === "user" || by === "person")))
    return `${id} ${pinned ? "was pinned by the user" : "records what the user said"}, so only the user can change it, in a terminal: strata memory ${act === "delete" ? "archive" : act} ${id}`;
  if (act === "delete" && by !== "agent" && by !== "tool")
    return `${id} was not noted by an agent; use archive_memory instead.`;
  return undefined;
}

/** @throws StrataError REFUSED */
export function requirePermit({ caller }: Core, act: Act, memory: Memory): void {
  const why = findRefusal(caller, act, memory);
  if (why !== undefined) throw new StrataError(REFUSED, `Nothing was changed. ${why}`);
}

/* Private memories. */

const NO_PRIVATE =
  "This server has no access to private memories; the user can start it with strata mcp --private.";

/** The same store without private memories. */
export function hidePrivate(store: OpenMemories): OpenMemories {
  const ifShown =
    (call: (id: string, ...rest: never[]) => Promise<Written>) =>
    async (id: string, ...rest: unknown[]): Promise<Written> =>
      (await mayShow(id)) ? call(id, ...(rest as never[])) : refuse(formatUnknown(id));

  return {
    ...store,
    async read(id) {
      const memory = await store.read(id);
      return memory && isShown(memory) ? memory : undefined;
    },
    list: async (options) => (await store.list(options)).filter(isShown),
    known: () => store.known().filter(isShown),
    foreign: () => store.foreign().filter(isShown),
    problems: () => store.problems().filter(({ path }) => isShownPath(path)),
    locate: async (id) => ((await mayShow(id)) ? store.locate(id) : undefined),
    history: async (id) => ((await mayShow(id)) ? store.history(id) : []),
    remember: async (draft, cause) =>
      draft.sensitivity === "private" ? refuse(NO_PRIVATE) : store.remember(draft, cause),
    update: ifShown(store.update) as OpenMemories["update"],
    archive: ifShown(store.archive),
    restore: ifShown(store.restore),
    discard: ifShown(store.discard),
    publish: ifShown(store.publish),
  };

  /** Of a memory in `private/` only its file says whether it may be shown. */
  async function mayShow(id: string): Promise<boolean> {
    const memory = isShownID(id) ? undefined : await store.read(id);
    return memory ? isShown(memory) : isShownID(id);
  }
}

/** The same sentence for a missing memory and for a hidden one. */
export const formatUnknown = (id: string): string => `There is no memory ${id}; find ids with recall.`;

const refuse = (why: string): Written => ({ kind: "refused", why });
const isShown = (memory: Memory): boolean => !isConfidential(memory);

/** Also hides what is not an id. */
export const isShownID = (id: string): boolean => parseID(id)?.sensitivity === "internal";

/** May this memory file be shown? By its absolute path, since the project itself may be in a folder named private. */
export const isShownPath = (path: string): boolean => !/[\\/]memory[\\/]private[\\/]/.test(path);

/* What a client adds. */

/** A user could not confirm a longer rule at a glance. */
const LONGEST_RULE = 1_000;

/** `waiting`: a rule, for the user to confirm. */
export type Added = Written | { kind: "waiting"; candidate: string; text: string };

/** Adds a client's fact to the memories, and its rule to the candidates. @throws StrataError REFUSED for a rule */
export async function addForClient(
  core: Core,
  { pinned: _, provenance, ...draft }: MemoryDraft,
  cause: { operation: string; run: string; session?: string },
): Promise<Added> {
  if (usersTypes.has(draft.type)) return offerRule(core, draft, cause.run);
  const own = { ...draft, provenance: { ...provenance, by: "agent" as const } };
  return (await core.gate()).save(own, core.clock.now(), cause);
}

async function offerRule(
  core: Core,
  { content, title = "", type }: Pick<MemoryDraft, "content" | "title" | "type">,
  message: string,
): Promise<Added> {
  const { clock, memories } = core;
  const text = toLine(content === "" ? title : content, LONGEST_RULE + 1);
  const why =
    text.length > LONGEST_RULE
      ? `A rule is one sentence of at most ${LONGEST_RULE} characters.`
      : TAKES_OVER.test(text)
        ? "Text that gives the model orders about itself is not a memory."
        : refuseWords(text);
  if (why !== undefined) throw new StrataError(REFUSED, `Nothing was kept. ${why}`);
  const compare = createComparison();
  const isSame = (other: string): boolean => compare(text, other) === "same";
  const known = (await memories.list()).find(
    (one) => usersTypes.has(one.type) && !one.isForeign && one.status === "active" && isSame(one.content),
  );
  if (known) return { kind: "unchanged", memory: known, path: (await memories.locate(known.id)) ?? "" };
  const candidates = await core.candidates();
  const said = {
    ...{ session: core.session ?? core.caller, message, saidMs: clock.now() },
    ...{ title: formatTitle(text), text, isHandedOver: true as const },
  };
  await candidates.offer([{ type, when: findWhen(text), worth: 0, said: [said] }]);
  const waiting = (await candidates.list()).find((one) => one.said.some((saying) => isSame(saying.text)));
  const none = "Nothing was kept: the user dropped this sentence before, or no candidate can wait here.";
  if (!waiting) throw new StrataError(REFUSED, none);
  const { id } = waiting;
  const told = `Waits as candidate ${id}: a ${type} records what the user said, so only the user can confirm it: in a terminal with strata candidates keep ${id}, or in OpenCode with /keep ${id}. Ask the user if it matters now.`;
  return { kind: "waiting", candidate: id, text: told };
}

/** What was added, for a client. @throws StrataError REFUSED */
export function answerAdded({ root }: Core, added: Added, run: string): Answer {
  if (added.kind === "waiting") return { text: added.text, data: { candidate: added.candidate } };
  if (added.kind === "refused") {
    const known = added.existing ? ` It is known as ${added.existing.id}; edit_memory changes that one.` : "";
    throw new StrataError(REFUSED, `Nothing was changed. ${added.why}${known}`);
  }
  const { isKnown, kind, memory, path } = added;
  const done = isKnown || kind === "unchanged" ? "Known already" : "Kept";
  return { text: `${done}: ${memory.id} in ${shortenPath(path, root)}`, data: { done, memory, path }, run };
}
