/**
 * Validates what the dream's model has staged before it is swapped in.
 *
 *     [{ "keep": "knowledge/db-port", "supersede": ["knowledge/db"], "content": "…", "reason": "…" }]
 *
 * Each entry merges several memories of one cluster. Nothing may be lost: each superseded memory has a living successor,
 * whose text keeps every number, name, path and negation and most other words, and adds no such fact of its own.
 */

import { z } from "zod";
import { formatError } from "../../src/error.js";
import { type Memory, usersTypes } from "../../src/memory/memory.js";
import type { Sliced } from "../../src/slices.js";
import { findStrayPivot } from "../../src/statement/support.js";
import { coverageOf, readWords } from "../../src/statement/words.js";
import { type Change, isProtected } from "./change.js";
import { takeIn } from "./take-in.js";

export interface StagedCheck {
  /** Why the text must not be stored (it holds a secret, or gives orders); `undefined` if it may. */
  findFault(content: string): Sliced<string | undefined>;
}

/** The valid staged changes, and the reasons for each refusal. */
export interface Staged {
  changes: readonly Change[];
  refused: readonly string[];
}

const LONGEST_FILE = 200_000;
const LONGEST_CONTENT = 4_000;
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

/** Parses and checks the changes staged for these clusters. A malformed file gives no changes and one refusal. */
export function* readStaged(
  text: string,
  clusters: readonly (readonly Memory[])[],
  { findFault }: StagedCheck,
): Sliced<Staged> {
  const entries = parseEntries(text);
  if ("problem" in entries) return { changes: [], refused: [entries.problem] };
  const taken = new Set<string>();
  const changes: Change[] = [];
  const refused: string[] = [];
  for (const [index, given] of entries.list.entries()) {
    yield;
    const parsed = entrySchema.safeParse(given);
    const why = parsed.success
      ? (findRefusal(parsed.data, clusters, taken) ?? (yield* findFault(parsed.data.content)))
      : parsed.error.issues.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ");
    if (!parsed.success || why !== undefined) {
      refused.push(`entry ${index + 1}: ${why}`);
      continue;
    }
    for (const id of [parsed.data.keep, ...parsed.data.supersede]) taken.add(id);
    changes.push(...planEntry(parsed.data, clusters.flat()));
  }
  return { changes, refused };
}

function parseEntries(text: string): { list: unknown[] } | { problem: string } {
  if (text.length > LONGEST_FILE)
    return { problem: `the staged file has ${text.length} characters, ${LONGEST_FILE} are allowed` };
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return { problem: "the staged file is not a list" };
    return list.length > MOST_ENTRIES
      ? { problem: `more than ${MOST_ENTRIES} entries are staged` }
      : { list };
  } catch (thrown) {
    return { problem: `the staged file is not JSON: ${formatError(thrown)}` };
  }
}

function findRefusal(
  { content, keep, supersede }: Entry,
  clusters: readonly (readonly Memory[])[],
  taken: ReadonlySet<string>,
): string | undefined {
  const ids = [keep, ...supersede];
  if (new Set(ids).size < ids.length) return "a memory is named twice";
  const again = ids.find((id) => taken.has(id));
  if (again !== undefined) return `${again} is in an earlier entry`;
  const cluster = clusters.find((members) => members.some(({ id }) => id === keep)) ?? [];
  const members = ids.map((id) => cluster.find((memory) => memory.id === id));
  const foreign = ids.find((_, index) => members[index] === undefined);
  if (foreign !== undefined) return `${foreign} is not of the cluster of ${keep}`;
  const fixed = members.find((memory) => memory && isProtected(memory));
  if (fixed) return `${fixed.id} is pinned, or was ordered, decided or corrected: it stays as it is`;
  const said = members.find((memory) => memory && usersTypes.has(memory.type));
  if (said) return `${said.id} holds what the user said, in the user's words`;
  const texts = members.map((memory) => memory?.content ?? "");
  const stray = findStrayPivot(texts, content);
  if (stray) return "lost" in stray ? `"${stray.lost}" would be lost` : `"${stray.added}" is in none of them`;
  const words = readWords(content);
  const short = members.find((memory) => coverageOf(readWords(memory?.content ?? ""), words) < LEAST_SAID);
  return short && `most of what ${short.id} says would be lost`;
}

function planEntry({ content, keep, reason, supersede }: Entry, memories: readonly Memory[]): Change[] {
  const going = memories.filter(({ id }) => supersede.includes(id));
  return [keep, ...supersede].flatMap((id): Change[] => {
    const before = memories.find((memory) => memory.id === id);
    if (!before) return [];
    const said = reason.replace(/\s+/g, " ").trim() || "the model put them together";
    if (id === keep) {
      return [
        {
          before,
          after: { ...takeIn(before, going), content },
          kind: "merged",
          reason: `takes in ${supersede.join(", ")}: ${said}`,
        },
      ];
    }
    const after: Memory = { ...before, status: "archived", supersededBy: keep };
    return [{ before, after, kind: "superseded", reason: `${keep} says it: ${said}` }];
  });
}
