import type { OpenMemories } from "../../memory/store/store.js";

/** What is wrong, and what can be done about it. */
export interface Issue {
  /** `problem`: does not work. `warning`: needs attention. `note`: worth knowing, and nothing is wrong. */
  level: "problem" | "warning" | "note";
  /** Absolute path. */
  file: string;
  what: string;
  /** What the user can do. */
  todo: string;
  /** What `--fix` does about it; absent if only the user can decide. */
  fix?: Fix;
}

export interface Fix {
  /** In the imperative. */
  says: string;
  /** It removes or archives what only the user can judge, so he is asked first. */
  isAsked?: true;
  /** Before the store is opened, which itself finishes, records and rebuilds whatever is due. */
  prepare?(): Promise<void>;
  /** Throws if it could not be done. */
  run?(memories: OpenMemories): Promise<void>;
}

export interface CheckOptions {
  /** Files that are no longer needed count from this age. */
  days: number;
  /** Do archived memories of that age count as well? */
  isArchiveDue: boolean;
}
