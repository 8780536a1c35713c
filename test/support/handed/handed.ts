/** The user's words and an agent's memory of them. */
export interface Handed {
  /** How the memory changes the words, or why it is right. */
  what: string;
  said: readonly (string | { text: string; asked?: string })[];
  content: string;
  type?: string;
  /** The kept memory; without it the agent's is refused. */
  kept?: string;
}
