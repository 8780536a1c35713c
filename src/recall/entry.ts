/** What is put in and what comes out of a recall index. */

/** Something worth finding again. Only `id` and `text` are needed; what else is known makes it easier to find. */
export interface RecallEntry {
  /** Adding another entry under the same id replaces this one. */
  readonly id: string;
  /** The first 20,000 characters are indexed. */
  readonly text: string;
  /** Counts twice as much as the text. */
  readonly title?: string;
  /** Other words under which one would look for it. */
  readonly aliases?: readonly string[];
  /** Files it is about. Entries with paths are of work, and work goes out of date: older ones count less. */
  readonly paths?: readonly string[];
  /** When it was said or done: an ISO date, milliseconds since 1970, or words such as "1:56 pm on 8 May, 2023". */
  readonly date?: string | number | Date;
  /** What it was said or done within: a conversation, a session. A query that fits the whole raises its entries. */
  readonly group?: string;
  /** Its place in the group. What stands directly before and after a hit is raised; without it the order of adding. */
  readonly order?: number;
  /** Ids of entries that belong to it. */
  readonly links?: readonly string[];
  /** Never given to an embedder. */
  readonly isPrivate?: boolean;
}

/** An entry that fits a query. */
export interface RecallHit {
  readonly id: string;
  /** Above 0; comparable with the other hits of the same query only. */
  readonly score: number;
  /** For people, for example `port, 8080; beside turn-12; link #34`. */
  readonly why: string;
}

export interface SearchOptions {
  /** 10 without it, at most 1,000. */
  readonly limit?: number;
}
