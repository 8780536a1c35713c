/** Decides whether two memories are one because they say the same sentence. Pure. */
import { foldSentence } from "../text/text.js";
import { type Memory, usersTypes } from "./memory.js";
import { withSession } from "./sessions.js";

/** The memory that says the same sentence as `said`. Foreign memories do not count. */
export function findSameSentence(said: Memory, memories: readonly Memory[]): Memory | undefined {
  const sentence = readSentence(said);
  // A number, a mark or a piece of data is not a sentence: the title says what it means.
  if (!/\p{L}/u.test(sentence)) return undefined;
  return memories.find(
    (memory) =>
      memory.status === "active" &&
      memory.isForeign !== true &&
      memory.scope === said.scope &&
      memory.sensitivity === said.sensitivity &&
      // A rule also covers a fact with its words; a fact does not cover a rule.
      (memory.type === said.type || (usersTypes.has(memory.type) && !usersTypes.has(said.type))) &&
      readSentence(memory) === sentence,
  );
}

/** Merges a restatement into the known memory: the user's provenance replaces an agent's, and the session is added. */
export function takeInAgain(known: Memory, said: Memory): Memory {
  const memory = withSession(known, said.provenance.session) ?? known;
  const isConfirmed = isUsers(said) && !isUsers(known);
  return {
    ...memory,
    pinned: known.pinned || said.pinned,
    ...(isConfirmed && { provenance: said.provenance }),
  };
}

const isUsers = ({ provenance: { by } }: Memory): boolean => by === "user" || by === "person";

/** A memory without content says its title. */
function readSentence({ content, title }: Pick<Memory, "content" | "title">): string {
  return foldSentence(content.trim() === "" ? title : content);
}
