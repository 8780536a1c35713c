/** When two memories are one, because they say the same sentence. Pure. */
import { foldSentence } from "../text.js";
import { type Memory, usersTypes } from "./memory.js";
import { withSession } from "./sessions.js";

/** The memory that says what this one would. What came with the repository is nobody's word and does not count. */
export function findSameSentence(said: Memory, memories: readonly Memory[]): Memory | undefined {
  const sentence = readSentence(said);
  // A number, a mark or a piece of data is no sentence: what it means stands in its title.
  if (!/\p{L}/u.test(sentence)) return undefined;
  return memories.find(
    (memory) =>
      memory.status === "active" &&
      memory.isForeign !== true &&
      memory.scope === said.scope &&
      memory.sensitivity === said.sensitivity &&
      // What is kept as a rule is known as a fact too; a rule is not known because somebody has noted a fact.
      (memory.type === said.type || (usersTypes.has(memory.type) && !usersTypes.has(said.type))) &&
      readSentence(memory) === sentence,
  );
}

/** What is known, said again: the user's word stands over an agent's, and in which sessions it was said is kept. */
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

/** A memory that has a title only says that. */
function readSentence({ content, title }: Pick<Memory, "content" | "title">): string {
  return foldSentence(content.trim() === "" ? title : content);
}
