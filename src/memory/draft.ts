/** Makes a memory from a draft, and finds reasons to refuse it. Pure. */
import { findSecrets } from "../text/secrets/secrets.js";
import { clamp, joinLines, shortenTitle, USUAL_IMPORTANCE } from "./fields.js";
import {
  isType,
  type Memory,
  type MemoryDraft,
  type MemoryType,
  memoryTypes,
  privateTypes,
} from "./memory.js";

/** A longer text is a document and belongs in a file that the memory names. */
const MOST_CONTENT_CHARACTERS = 32_000;
const LONGEST_TITLE = 120;

/** The memory without its id, which comes from a free name. `types` go to `private/` unless the draft says otherwise. */
export function planMemory(
  draft: MemoryDraft,
  titleOf: (content: string) => string,
  nowMs: number,
  types: readonly MemoryType[] = privateTypes,
): Memory {
  const now = new Date(nowMs).toISOString();
  const content = draft.content.replace(/\r\n/g, "\n").trim();
  const { created = now, expires, scope = "project", supersededBy } = draft;
  const isPersonal = draft.sensitivity === undefined && scope === "project" && types.includes(draft.type);
  return {
    id: "",
    scope,
    sensitivity: draft.sensitivity ?? (isPersonal ? "private" : "internal"),
    ...(isPersonal && { isPersonal }),
    type: draft.type,
    title: shortenTitle(joinLines(draft.title ?? "") || titleOf(content), LONGEST_TITLE),
    content,
    status: "active",
    aliases: draft.aliases ?? [],
    tags: draft.tags ?? [],
    entities: draft.entities ?? [],
    links: draft.links ?? [],
    importance: clamp(draft.importance ?? USUAL_IMPORTANCE),
    pinned: draft.pinned ?? false,
    when: draft.when ?? [],
    created,
    updated: draft.updated ?? created,
    ...(expires !== undefined && { expires }),
    ...(supersededBy !== undefined && { supersededBy }),
    provenance: draft.provenance,
    extra: draft.extra ?? {},
  };
}

/** Why this memory may not be written: a sentence for its author; `undefined` if it may. */
export function findRefusal(memory: Memory): string | undefined {
  const { type, title, content, expires, importance } = memory;
  if (!isType(type)) return `type must be one of ${memoryTypes.join(", ")}, and is "${type}"`;
  if (content === "" && title === "") return "content must say something, and is empty";
  if (content.length > MOST_CONTENT_CHARACTERS)
    return `content may have ${MOST_CONTENT_CHARACTERS} characters, and has ${content.length}; keep it in a file of its own and remember its path`;
  if (/\0/.test(`${title}${content}`)) return "title and content must be text, and hold NUL";
  if (expires !== undefined && Number.isNaN(Date.parse(expires)))
    return `expires must be a date such as 2026-12-31, and is "${expires}"`;
  if (Number.isNaN(importance)) return "importance must be a number from 0 to 1";
  return findHint(memory);
}

/** Committed files never hint at private memories: the refusal of a memory that does. */
export function findHint(memory: Memory): string | undefined {
  if (memory.sensitivity === "private") return undefined;
  const named = [...memory.links, memory.supersededBy ?? ""];
  const id = named.find(isPrivateID) ?? findPrivateID([readWords(memory), ...named].join("\n"));
  return id === undefined
    ? undefined
    : `it names the private memory ${id}, and this one may be committed; leave the name out, or publish that one with strata memory publish`;
}

/** The memory without links to memories that its file may not name. */
export function withoutHints(memory: Memory): Memory {
  const { supersededBy = "", ...rest } = memory;
  const links = memory.links.filter((id) => !isPrivateID(id));
  if (memory.sensitivity === "private") return memory;
  if (isPrivateID(supersededBy)) return { ...rest, links };
  return links.length === memory.links.length ? memory : { ...memory, links };
}

const isPrivateID = (id: string): boolean => /^(global\/)?private\//.test(id);

/** Id of the first private memory that a text names. */
export function findPrivateID(text: string): string | undefined {
  return new RegExp(`\\bprivate/(${memoryTypes.join("|")})/[^\\s\`"')\\]]+`).exec(text)?.[0];
}

/** Why a change cannot be made in place; `undefined` if it can. */
export function findMove(current: Memory, next: Memory): string | undefined {
  for (const field of ["id", "scope", "sensitivity", "type"] as const) {
    if (current[field] !== next[field])
      return `${field} of ${current.id} cannot be changed, its file lies where that says; remember it anew and archive this one`;
  }
  if ((current.status === "archived") !== (next.status === "archived"))
    return `${current.id} is moved to the archive with archive, and back with restore`;
  return undefined;
}

/** All that a memory says, without the ids of others. */
function readWords({ aliases, content, entities, extra, provenance, tags, title, when }: Memory): string {
  const words = [title, content, ...aliases, ...tags, ...entities, ...when, provenance.evidence ?? ""];
  return [...words, JSON.stringify(extra)].join("\n");
}

/** Why a memory that holds a secret is neither written nor used; `undefined` if it holds none. Pure. */
export const refuseSecrets = (memory: Memory): string | undefined => refuseWords(readWords(memory));

/** The same for a text alone. Pure. */
export function refuseWords(text: string): string | undefined {
  const fault = findSecretIn(text);
  return (
    fault &&
    `${fault}, and memories are read by others and may be committed; say where the secret is kept instead`
  );
}

/** Names the secret in a text: "it holds a secret (GitHub token)". Pure. */
export function findSecretIn(text: string): string | undefined {
  const [found] = findSecrets(text);
  return found && `it holds a secret (${found.name})`;
}
