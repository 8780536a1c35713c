/**
 * The model's part of a dream: which memories it is asked about, the one prompt with them, and the check of its answer.
 *
 *     [{ "keep": "knowledge/db-port", "supersede": ["knowledge/db"], "content": "…", "reason": "…" }]
 *
 * Each entry merges several memories of one group. Nothing may be lost: each superseded memory has a living successor,
 * whose text keeps every number, name, path and negation and most other words, and adds no such fact of its own.
 */
import { z } from "zod";
import { parseJson } from "../../src/base/shape.js";
import type { Sliced } from "../../src/base/slices.js";
import type { Prompts } from "../../src/io/prompts.js";
import { findSecretIn } from "../../src/memory/draft.js";
import { type Memory, usersTypes } from "../../src/memory/memory.js";
import { countMostTokens } from "../../src/models/cost.js";
import type { Generation } from "../../src/models/generation.js";
import { coverageOf, findStrayPivot, readWords } from "../../src/text/words.js";
import { findContradictions, findNearPairs, isProtected, type Merge, nameWords } from "./plan.js";

/** Memories on one subject that no rule can merge. */
export type Group = readonly Memory[];

const MOST_MEMBERS = 8;
const MOST_GROUPS = 8;
const LONGEST_CONTENT = 4_000;

/**
 * Groups of similar memories of one kind; each memory is in at most one. Leaves out groups that a model has already seen
 * in their present wording, private memories and protected ones. Pure.
 */
export function planGroups(memories: readonly Memory[], seen: readonly string[]): readonly Group[] {
  const shown = memories.filter(mayBeShown);
  const alike = new Map(shown.map((memory): [Memory, Memory[]] => [memory, []]));
  for (const [one, other] of [...findContradictions(shown), ...findNearPairs(shown)]) {
    if (one.type !== other.type || one.scope !== other.scope) continue;
    alike.get(one)?.push(other);
    alike.get(other)?.push(one);
  }
  const groups: Group[] = [];
  for (const [memory, others] of alike) {
    if (groups.length === MOST_GROUPS) break;
    const free = [...new Set(others)].filter((other) => alike.has(other)).slice(0, MOST_MEMBERS - 1);
    const group = [memory, ...free];
    if (free.length === 0 || !alike.has(memory) || seen.includes(nameGroup(group))) continue;
    for (const member of group) alike.delete(member);
    groups.push(group);
  }
  return groups;
}

/** No model rewords what the user said. */
function mayBeShown(memory: Memory): boolean {
  const isFree = !isProtected(memory) && !usersTypes.has(memory.type);
  const isShort = memory.content.length <= LONGEST_CONTENT;
  return memory.sensitivity === "internal" && memory.status === "active" && isFree && isShort;
}

export const nameGroup = (group: Group): string => group.map(nameWords).sort().join(" ");

/** Asks a model about these groups. Rejects only if the prompt cannot be read. */
export type AskModel = (groups: readonly Group[], signal: AbortSignal) => Promise<ModelAnswer>;

export type ModelAnswer =
  /** `asked`: the groups that were in the prompt. */
  | { kind: "answered"; text: string; asked: readonly Group[] }
  /** `refused`: the model may not be asked now. */
  | { kind: "failed" | "refused"; why: string };

const LONGEST_ANSWER = 16_000;

interface AskOptions {
  generation: Pick<Generation, "generate">;
  prompts: Prompts;
  sessionID: string;
  maxTokens: number;
  deadlineMs: number;
}

export function createAskModel(options: AskOptions): AskModel {
  const { deadlineMs, generation, maxTokens, prompts, sessionID } = options;
  const maxCharacters = Math.min(LONGEST_ANSWER, Math.floor(maxTokens / 2));

  return async (groups, signal) => {
    const template = await prompts.read("dream");
    const plan = (asked: readonly Group[]): string =>
      template.replace("{{groups}}", () => formatGroups(asked));
    const asked: Group[] = [];
    for (const group of groups)
      if (countMostTokens({ prompt: plan([...asked, group]), maxCharacters }) <= maxTokens) asked.push(group);
    if (asked.length === 0) return { kind: "refused", why: `no group fits into ${maxTokens} tokens` };
    const generated = await generation.generate({
      ...{ purpose: "dream", sessionID, prompt: plan(asked), maxCharacters },
      long: { deadlineMs, signal },
    });
    if (generated.kind !== "text") return generated;
    const { text } = generated;
    const list = text.slice(text.indexOf("["), text.lastIndexOf("]") + 1);
    if (!list.startsWith("[")) return { kind: "failed", why: "the answer has no list" };
    return { kind: "answered", text: list, asked };
  };
}

function formatGroups(groups: readonly Group[]): string {
  const show = ({ content, created, id, title, updated }: Memory) => {
    return { id, title, content, created: created.slice(0, 10), updated: updated.slice(0, 10) };
  };
  return JSON.stringify(
    groups.map((group) => group.map(show)),
    null,
    1,
  );
}

const MOST_ENTRIES = 200;
/** Least share of each memory's words that the new text must contain. */
const LEAST_SAID = 0.6;

const entrySchema = z.strictObject({
  keep: z.string(),
  supersede: z.array(z.string()).min(1).max(50),
  content: z.string().min(1).max(LONGEST_CONTENT),
  reason: z.string().max(300),
});
type Entry = z.infer<typeof entrySchema>;

export function* checkAnswer(
  text: string,
  groups: readonly Group[],
): Sliced<{ merges: readonly Merge[]; refused: readonly string[] }> {
  const list = parseJson(text);
  if (!Array.isArray(list)) return { merges: [], refused: ["the answer is not a JSON list"] };
  if (list.length > MOST_ENTRIES)
    return { merges: [], refused: [`the answer has more than ${MOST_ENTRIES} entries`] };
  const taken = new Set<string>();
  const merges: Merge[] = [];
  const refused: string[] = [];
  for (const [index, given] of list.entries()) {
    yield;
    const parsed = entrySchema.safeParse(given);
    const why = parsed.success
      ? (findRefusal(parsed.data, groups, taken) ?? findSecretIn(parsed.data.content))
      : parsed.error.issues.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ");
    if (!parsed.success || why !== undefined) {
      refused.push(`entry ${index + 1}: ${why}`);
      continue;
    }
    const { keep, supersede } = parsed.data;
    for (const id of [keep, ...supersede]) taken.add(id);
    const reason = parsed.data.reason.replace(/\s+/g, " ").trim() || "the model put them together";
    merges.push({ ...parsed.data, reason });
  }
  return { merges, refused };
}

function findRefusal(
  { content, keep, supersede }: Entry,
  groups: readonly Group[],
  taken: ReadonlySet<string>,
): string | undefined {
  const ids = [keep, ...supersede];
  if (new Set(ids).size < ids.length) return "a memory is named twice";
  const again = ids.find((id) => taken.has(id));
  if (again !== undefined) return `${again} is in an earlier entry`;
  const group = groups.find((members) => members.some(({ id }) => id === keep)) ?? [];
  const other = ids.find((id) => !group.some((memory) => memory.id === id));
  if (other !== undefined) return `${other} is not of the group of ${keep}`;
  const members = group.filter(({ id }) => ids.includes(id));
  const fixed = members.find(isProtected);
  if (fixed) return `${fixed.id} is pinned, or was ordered, decided or corrected: it stays as it is`;
  const said = members.find(({ type }) => usersTypes.has(type));
  if (said) return `${said.id} holds what the user said, in the user's words`;
  const stray = findStrayPivot(
    members.map((memory) => memory.content),
    content,
  );
  if (stray) return "lost" in stray ? `"${stray.lost}" would be lost` : `"${stray.added}" is in none of them`;
  const words = readWords(content);
  const short = members.find((memory) => coverageOf(readWords(memory.content), words) < LEAST_SAID);
  return short && `most of what ${short.id} says would be lost`;
}
