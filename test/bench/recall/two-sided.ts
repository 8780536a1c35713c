/**
 * Long chats with both sides: nine published sessions of coding agents, in which the assistant says four times as much
 * as the user. The recordings are not in this repository: STRATA_REAL_SESSIONS names their folder, or it lies in
 * ../shared/bench/real-sessions. The questions are ours, written before anything was measured; the weights of
 * src/recall were chosen on the four development sessions, and the other five were held out.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RecallEntry } from "../../../src/recall/recall.js";
import type { Chats, Question } from "./chats.js";

interface Session {
  turns: { user: string; at?: number; steps: { say?: string; at?: number }[] }[];
}

export type Part = "development" | "held out";

/** The folder with the recordings, or why there is none. */
export function findSessions(repository: string): { folder: string } | { why: string } {
  const named = process.env.STRATA_REAL_SESSIONS;
  const folder = named ?? resolve(repository, "..", "shared", "bench", "real-sessions");
  if (existsSync(join(folder, "cli-2.json"))) return { folder };
  return {
    why: `${named === undefined ? "STRATA_REAL_SESSIONS is not set and " : ""}${folder} has no cli-2.json`,
  };
}

/** All sessions of a part in one collection, as a project has them. */
export function readChats(folder: string, part: Part): Chats {
  const questions: Question[] = [];
  const names = new Set<string>();
  let current = "";
  for (const line of readFileSync(new URL("two-sided.txt", import.meta.url), "utf8").split("\n")) {
    if (line.startsWith("= ")) current = line.slice(2);
    const [name = "", evidence, text] = line.split(" | ");
    if (current !== part || evidence === undefined || text === undefined) continue;
    names.add(name);
    questions.push({ text, answers: evidence.split(" ").map((id) => `${name}:${id}`) });
  }
  return { entries: [...names].flatMap((name) => readSession(folder, name)), questions };
}

function readSession(folder: string, name: string): RecallEntry[] {
  const { turns }: Session = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  let order = 0;
  return turns.flatMap(({ at, steps, user }, turn) => {
    const common = (atMs: number | undefined) => ({
      group: name,
      order: order++,
      ...(atMs !== undefined && { date: atMs }),
    });
    const asked: RecallEntry = { id: `${name}:u${turn}`, text: user, role: "user", ...common(at) };
    const said = steps.flatMap(({ at: saidAt, say }, step): RecallEntry[] =>
      say ? [{ id: `${name}:a${turn}.${step}`, text: say, role: "assistant", ...common(saidAt) }] : [],
    );
    return [asked, ...said];
  });
}
