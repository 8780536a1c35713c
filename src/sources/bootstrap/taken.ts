/**
 * The fact that a memory was taken from, as a field of its frontmatter:
 *
 *     taken-from: { file: package.json, as: commands, hash: 1f0c… }
 *
 * `hash` covers title and text as taken: if the memory differs, a person has changed it. `gone` marks one that
 * was archived because its file no longer states it.
 */
import { hashOf } from "../../base/hash.js";
import { isRecord } from "../../base/shape.js";
import type { Memory, MemoryDraft } from "../../memory/memory.js";

export interface Fact extends Pick<Memory, "type" | "title" | "content" | "importance"> {
  /** Unique within its file, and stable across versions of the file. */
  key: string;
  aliases?: readonly string[];
  /** Globs of the paths that it applies to. */
  when?: readonly string[];
}

/** Returns the facts of a file. Throws if the file does not have the format that its name implies. */
export type Reader = (text: string, path: string) => readonly Fact[] | Promise<readonly Fact[]>;

/** A fact with its file, relative to the project. */
export interface TakenFact extends Fact {
  file: string;
}

export interface Taken {
  file: string;
  as: string;
  hash: string;
  gone?: true;
}

/** The "file" of facts from commits, which 0.1.0 took. */
export const GIT_HISTORY = "git history";
const FIELD = "taken-from";

/** `undefined` if the memory was not taken from a file. */
export function readTaken({ extra }: Pick<Memory, "extra">): Taken | undefined {
  const given = extra[FIELD];
  if (!isRecord(given)) return undefined;
  const { as, file, gone, hash } = given;
  if (typeof as !== "string" || typeof file !== "string" || typeof hash !== "string") return undefined;
  return { as, file, hash, ...(gone === true && { gone }) };
}

export function isChangedByHand(memory: Memory, { hash }: Taken): boolean {
  return hashWords(memory) !== hash;
}

const wordsOf = ({ aliases = [], content, file, title, when = [] }: TakenFact) => {
  return { aliases, content, title, when, entities: [file] };
};

const markOf = (fact: TakenFact): Record<string, Taken> => {
  return { [FIELD]: { file: fact.file, as: fact.key, hash: hashWords(fact) } };
};

export function toDraft(fact: TakenFact): MemoryDraft {
  const { importance, type } = fact;
  const provenance = { by: "tool", how: "imported" } as const;
  return { ...wordsOf(fact), importance, type, provenance, extra: markOf(fact) };
}

export function renew(memory: Memory, fact: TakenFact, nowMs: number): Memory {
  const extra = { ...memory.extra, ...markOf(fact) };
  return { ...memory, ...wordsOf(fact), updated: new Date(nowMs).toISOString(), extra };
}

/** The memory as archived when its file no longer states it. */
export function drop(memory: Memory, taken: Taken): Memory {
  return { ...memory, status: "archived", extra: { ...memory.extra, [FIELD]: { ...taken, gone: true } } };
}

export function saysSame(memory: Memory, { hash }: Taken, fact: TakenFact): boolean {
  const namesOf = ({ aliases, when }: Pick<Memory, "aliases" | "when">): string =>
    JSON.stringify([aliases, when]);
  return hash === hashWords(fact) && namesOf(memory) === namesOf(wordsOf(fact));
}

/** Equal for two versions of one fact. */
export const nameFact = ({ as, file }: Pick<Taken, "as" | "file">): string => `${file}#${as}`;

/** Hash of title and text as stored in a memory file. */
const hashWords = ({ content, title }: Pick<Memory, "content" | "title">): string =>
  hashOf(`${title}\n${content.trim()}`).slice(0, 16);

export function toValues(values: unknown): string[] {
  const isValue = (value: unknown) =>
    (typeof value === "string" && value.trim() !== "") || typeof value === "number";
  return [values].flat().filter(isValue).map(String);
}
