/** What a replay keeps of a request: its counts and blocks, without its text. */
import type { SavingsRecord } from "../../src/costs/savings.js";
import type { Block } from "./blocks.js";
import type { Leaning } from "./identifiers.js";

/**
 * Bytes of a request that count as one token. Anthropic's glossary gives 3.5 characters of English; with OpenAI's
 * o200k_base the recorded sessions take 4.2 to 4.8.
 */
export const BYTES_PER_TOKEN = 3.5;

export interface RequestRecord {
  /** A request of the session's agent, the host's for a summary, or one of another session. */
  kind: "agent" | "summary" | "other";
  /** When it arrived, in milliseconds by the replay's clock. */
  at: number;
  sent: number;
  cached: number;
  answered: number;
  blocks: Block[];
  /** Characters that were read again for the edits of this answer. */
  readAgain: number[];
  /** What the answer leans on; absent where the agent only looked again. */
  leaning?: Leaning;
}

/** What the agent of a replay saw. */
export interface Played {
  records: RequestRecord[];
  /** Number of edits, and of those that changed lines which nothing showed any more. */
  edits: number;
  blindEdits: number;
}

/** One session played once. */
export interface Replay extends Played {
  id: string;
  /** From before the start of the host to the last answer. */
  seconds: number;
  /** How long the host waited for hooks. */
  hookSeconds: number;
  /** Saving that the plugin's own ledger claims, in tokens of input. */
  claimed: number;
  /** The records of the ledger. */
  ledger: readonly SavingsRecord[];
}
