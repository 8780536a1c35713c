/** Texts for people: who judged that a memory is to be kept, and which memories are not theirs. Pure. */
import { countMemories, formatCounted } from "../base/format.js";
import { toLine } from "../base/text.js";
import type { Memory, Provenance } from "./memory.js";
import type { TeamQuestion } from "./trust/team.js";

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
export function nameJudge(given: Pick<Memory, "isForeign" | "provenance">): string | undefined {
  const { isForeign, provenance } = given;
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

const MOST_LINES = 20;
/** At least as many characters as a session shows of one memory. */
const LONGEST_WORDS = 600;

/** The waiting memories with their text: people should read what they accept. */
export function formatWaiting(foreign: readonly Memory[], accepting: string): string {
  if (foreign.length === 0) return "Every memory here is yours.";
  const lines = foreign.slice(0, MOST_LINES).map(formatOne);
  const more = foreign.length - lines.length;
  return [
    `${countMemories(foreign.length)} came with this repository, or changed while the agent worked. You did not state them here, so they are shown as the repository's, not as rules:`,
    ...lines,
    ...(more > 0 ? [`and ${more} more: strata list --foreign`] : []),
    `${accepting} makes all of them yours.`,
  ].join("\n");
}

/** What the user is asked once about a remote. */
export const formatTeamQuestion = ({ address, memories, people, remote }: TeamQuestion): string =>
  `${countMemories(memories)} here came from ${remote} (${address}), where git names ${formatCounted(people, "author")} of memories. Use what is pushed there as your team's? It is then shown with its author, never as your words or rules, also after the next pull.`;

export function formatAccepted(accepted: readonly Memory[]): string {
  if (accepted.length === 0) return "No memory is waiting to be accepted.";
  return `${countMemories(accepted.length)} ${accepted.length === 1 ? "counts" : "count"} as yours now. undo reverts this.`;
}

export function formatRevoked(files: number | undefined): string {
  if (files === undefined) return "There is no acceptance to undo.";
  return `Taken back: ${countMemories(files)} ${files === 1 ? "counts" : "count"} as the repository's again.`;
}

function formatOne({ content, id, title }: Memory): string {
  const words = toLine(content, LONGEST_WORDS);
  const all = toLine(content, Number.POSITIVE_INFINITY);
  const more =
    all.length > words.length ? ` (${all.length - words.length} characters more: strata show ${id})` : "";
  return `  ${id}  ${words === "" ? toLine(title, LONGEST_WORDS) : words}${more}`;
}
