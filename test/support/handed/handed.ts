/** What users said, and what an agent makes of it. */
export interface Handed {
  /** What is done to the words, or why it is right. */
  what: string;
  said: readonly (string | { text: string; asked?: string })[];
  content: string;
  type?: string;
  /** What is kept; without it the agent is refused. */
  kept?: string;
}
