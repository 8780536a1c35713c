/**
 * MemoryBank (Zhong and others, AAAI 2024; zhongwanjun/MemoryBank-SiliconFriend, eval_data/en): ten days of chats of a
 * user with an assistant, and questions about them. Not in this repository: STRATA_MEMORY_BANK names the folder with
 * memory_bank_en.json and probing_questions_en.jsonl. Nothing was tuned on it. The evidence is labelled for the first
 * four users.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecallEntry } from "../../../src/recall/recall.js";
import type { Chats, Question } from "./chats.js";

interface User {
  history: Record<string, { query: string; response: string }[]>;
}

/** The folder with the set, or why there is none. */
export function findMemoryBank(): { folder: string } | { why: string } {
  const folder = process.env.STRATA_MEMORY_BANK;
  if (folder === undefined) return { why: "STRATA_MEMORY_BANK is not set" };
  return existsSync(join(folder, "memory_bank_en.json"))
    ? { folder }
    : { why: `${folder} has no memory_bank_en.json` };
}

/** Each user's chats apart: a memory is one user's. */
export function readMemoryBank(folder: string): Chats[] {
  const users: Record<string, User> = JSON.parse(readFileSync(join(folder, "memory_bank_en.json"), "utf8"));
  const asked: Record<string, string[]> = Object.assign(
    {},
    ...readLines(join(folder, "probing_questions_en.jsonl")).map((line) => JSON.parse(line)),
  );
  const labels = readLines(new URL("memory-bank.txt", import.meta.url)).filter(
    (line) => !line.startsWith("#"),
  );
  return Object.entries(users).flatMap(([name, user]) => {
    const questions = labels.flatMap((line): Question[] => {
      const [, of, number, evidence = ""] = /^(\w+) (\d+) \| (.+)$/.exec(line) ?? [];
      const text = asked[name]?.[Number(number) - 1];
      return of === name.trim() && text !== undefined ? [{ text, answers: evidence.split(" ") }] : [];
    });
    return questions.length > 0 ? [{ entries: readEntries(user), questions }] : [];
  });
}

function readEntries({ history }: User): RecallEntry[] {
  return Object.entries(history).flatMap(([date, exchanges]) =>
    exchanges.flatMap(({ query, response }, n): RecallEntry[] => {
      const id = `${date.slice(5)}.${n + 1}`;
      return [
        { id: `${id}q`, text: query, role: "user", group: date, date, order: 2 * n },
        { id: `${id}a`, text: response, role: "assistant", group: date, date, order: 2 * n + 1 },
      ];
    }),
  );
}

const readLines = (path: string | URL): string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
