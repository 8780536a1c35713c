/** What the user says in the first turns and nobody repeats: it must not be lost while the session goes on. */
import type { ModelRequest } from "../host/stage/model-request.js";

/** One of each kind of thing that a summary likes to drop. */
export const facts = {
  constraint: "Never touch package-lock.json by hand.",
  correction: "No, not the log: the decisions are what counts, the log is only for people.",
  decision: "We keep the threshold at 30,000 bytes, because with a smaller one the agent looks twice.",
  path: "Your notes go under scratch/notes, one file for each topic.",
  "exit code": "The release check ended with exit code 41 on Friday.",
  todo: "To do later: say in the CHANGELOG where the schema has moved.",
} as const;

/** What a new session is asked about, and searches the memory for, where it has one. */
export const topics = [
  "package-lock.json",
  "the log",
  "the threshold",
  "your notes",
  "the release check",
  "the CHANGELOG",
] as const;
export const question = `Before we go on: what did I say about ${topics.join(", ")}?`;

/** The facts that were sent, by their kinds. */
export function listFacts(request: ModelRequest | undefined): string[] {
  return Object.entries(facts).flatMap(([kind, fact]) => (request && holdsFact(request, fact) ? [kind] : []));
}

/** Does the fact stand word for word in what was sent? */
function holdsFact(request: ModelRequest, fact: string): boolean {
  return request.prompt.includes(JSON.stringify(fact).slice(1, -1));
}
