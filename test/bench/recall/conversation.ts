/**
 * Two friends over a year, and sixty questions with the turns that answer them: what a memory of conversations is asked. Written
 * for this repository in the manner of published long-conversation sets, and far smaller; good for telling a change for
 * the worse, not for comparing with anybody.
 */
import { readFileSync } from "node:fs";
import MiniSearch from "minisearch";
import { createRecall, type RecallEntry, type RecallOptions } from "../../../src/recall/recall.js";

interface Question {
  text: string;
  /** Ids of the turns that answer it. */
  answers: readonly string[];
}

export interface Conversation {
  turns: readonly RecallEntry[];
  questions: readonly Question[];
}

export function readConversation(): Conversation {
  const turns: RecallEntry[] = [];
  const questions: Question[] = [];
  let group = "";
  let date = "";
  let order = 0;
  for (const line of readFileSync(new URL("conversation.txt", import.meta.url), "utf8").split("\n")) {
    const session = /^# (\d+) \| (\S+)$/.exec(line);
    const question = /^\? (.*) \| ([\d: ]+)$/.exec(line);
    if (session) [, group = "", date = ""] = session;
    if (session) order = 0;
    else if (question) questions.push({ text: question[1] ?? "", answers: (question[2] ?? "").split(" ") });
    else if (line !== "") turns.push({ id: `${group}:${++order}`, text: line, group, order, date });
  }
  return { turns, questions };
}

type FindTurns = (question: string) => string[];

export const methods: Record<string, (turns: readonly RecallEntry[]) => FindTurns> = {
  "plain BM25": (turns) => {
    const index = new MiniSearch({ fields: ["text"] });
    index.addAll(turns);
    return (question) => index.search(question).map(({ id }) => id);
  },
  "recall, words as written": (turns) => recalling(turns.map(bare), { wordVectors: false }),
  "recall, words and meaning": (turns) => recalling(turns.map(bare)),
  "recall, words, dates and groups": (turns) => recalling(turns, { wordVectors: false }),
  recall: (turns) => recalling(turns),
};

const bare = ({ id, text }: RecallEntry): RecallEntry => ({ id, text });

function recalling(turns: readonly RecallEntry[], options: RecallOptions = {}): FindTurns {
  const recall = createRecall({ now: () => 0, ...options });
  for (const turn of turns) recall.add(turn);
  return (question) => recall.search(question, { limit: 10 }).map(({ id }) => id);
}

/** Mean share of the answering turns among the first `k`. */
export function measure({ questions }: Conversation, find: FindTurns, k: number): number {
  const shares = questions.map(({ text, answers }) => {
    const found = new Set(find(text).slice(0, k));
    return answers.filter((id) => found.has(id)).length / answers.length;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
