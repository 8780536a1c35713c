/** What the benches on chats with both sides share: the methods that are compared, and the measure. */
import { createRecall, type RecallEntry, type RecallOptions } from "../../../src/recall/recall.js";

export interface Question {
  text: string;
  /** Ids of the entries that answer it. */
  answers: readonly string[];
}

export interface Chats {
  entries: readonly RecallEntry[];
  questions: readonly Question[];
}

export type Find = (question: string) => string[];

export const methods: Record<string, (entries: readonly RecallEntry[]) => Find> = {
  "recall, roles unknown": (entries) => recalling(entries.map(({ role: _, ...entry }) => entry)),
  "recall, the user's side alone": (entries) => recalling(entries.filter(({ role }) => role === "user")),
  recall: (entries) => recalling(entries),
};

function recalling(entries: readonly RecallEntry[], options: RecallOptions = {}): Find {
  const recall = createRecall({ now: () => 0, ...options });
  for (const entry of entries) recall.add(entry);
  return (question) => recall.search(question, { limit: 10 }).map(({ id }) => id);
}

export interface MeasureOptions {
  k: number;
  /** Counts only evidence whose id fits. */
  only?: RegExp;
}

/** For each question with evidence, its share among the first `k`. */
export function measure({ questions }: Chats, find: Find, { k, only = /./ }: MeasureOptions): number[] {
  return questions.flatMap(({ answers, text }) => {
    const wanted = answers.filter((id) => only.test(id));
    if (wanted.length === 0) return [];
    const found = new Set(find(text).slice(0, k));
    return [wanted.filter((id) => found.has(id)).length / wanted.length];
  });
}
