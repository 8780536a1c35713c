/** Words of the user's that a memory is made of. */
export interface Said {
  messageID: string;
  /** When, if the host tells. */
  atMs?: number;
  /** What is kept: the user's sentences as they were written, or the question that they said yes to. */
  text: string;
  /** The user's words that show it. */
  evidence: string;
  /** `confirmed`: the agent's question, and the user's plain yes to it. */
  how: "tool" | "confirmed";
}
