/** Input and output of a recall index. */

/** Something worth finding again. Only `id` and `text` are required; every other field makes it easier to find. */
export interface RecallEntry {
  /** Adding another entry under the same id replaces this one. */
  readonly id: string;
  /** The first 20,000 characters are indexed. */
  readonly text: string;
  /** Counts twice as much as the text. */
  readonly title?: string;
  /** Other words people would search for. */
  readonly aliases?: readonly string[];
  /** Files it is about. Entries with paths describe work, which ages: older ones score lower. */
  readonly paths?: readonly string[];
  /** When it was said or done: an ISO date, milliseconds since 1970, or words such as "1:56 pm on 8 May, 2023". */
  readonly date?: string | number | Date;
  /** The conversation or session it belongs to. A query that matches the group as a whole raises its entries. */
  readonly group?: string;
  /** Its position in the group; defaults to the order of adding. The neighbours of a hit are raised. */
  readonly order?: number;
  /**
   * Whose words they are, for entries of a chat. The assistant says more and repeats what the user said, so its entries
   * count less, except for a query such as "what did you recommend".
   */
  readonly role?: "user" | "assistant";
  /** Ids of related entries. */
  readonly links?: readonly string[];
  /** Never given to an embedder. */
  readonly isPrivate?: boolean;
}

/** An entry that matches a query. */
export interface RecallHit {
  readonly id: string;
  /** Above 0; comparable only within one query. */
  readonly score: number;
  /** For people, for example `port, 8080; near turn-12; link #34`. */
  readonly why: string;
}

export interface SearchOptions {
  /** Default 10, at most 1,000. */
  readonly limit?: number;
}
