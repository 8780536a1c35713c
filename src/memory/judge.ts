/** Who judged that a memory is to be kept, and why, for people. Pure. */
import type { Memory, Provenance } from "./memory.js";

const NAMES: Readonly<Record<NonNullable<Provenance["how"]>, string>> = {
  marked: "you, who marked it as lasting",
  repeated: "you, who said it again and again",
  model: "a small model",
  agent: "the running agent, asked about your words",
  tool: "the agent, on its own",
  confirmed: "you, when asked",
  counted: "nobody: a command that was run repeatedly",
  imported: "nobody: it was imported",
  dream: "a dream",
};

/** "a small model"; `undefined` where nobody is named, as in a person's own file, or where nobody here judged. */
export function nameJudge({
  isForeign,
  provenance,
}: Pick<Memory, "isForeign" | "provenance">): string | undefined {
  const { by, how } = provenance;
  if (isForeign) return undefined;
  return how === undefined ? (by === "user" ? "you" : undefined) : NAMES[how];
}

/** "a small model (lab/small: a rule of the domain)" */
export function formatJudge(memory: Pick<Memory, "isForeign" | "provenance">): string | undefined {
  const { why } = memory.provenance;
  const name = nameJudge(memory);
  return name !== undefined && why !== undefined ? `${name} (${why})` : name;
}
