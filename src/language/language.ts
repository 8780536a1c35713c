/**
 * The format of a language's data file: the words that show whether a user's sentence is worth keeping. A further
 * language needs another such file, split if it is long, and a row in `languages.ts`.
 *
 * All patterns are tried on one sentence, in which a single private-use character replaces each quotation and each
 * piece of inline code: quoted words are someone else's and cannot make a signal.
 */

/** Why a sentence is not worth keeping, whatever else its words say. */
export type Doubt =
  | "question"
  /** Reports what someone else, a document or an error says. */
  | "reported"
  | "hypothetical"
  | "sarcasm"
  /** Applies only to the current task. */
  | "once"
  /** Asks for something to be done. */
  | "task"
  /** Specifies the thing being built: "the menu must never overlap". */
  | "spec"
  /** Describes the current state: "the build is broken". */
  | "state"
  /** Withdraws or denies a rule: "no need to always ask". */
  | "denied"
  /** "thanks, looks good" */
  | "chat";

/** For session notes, which accept more than memory does: a rule for this session is enough. */
export interface SessionRuleRow {
  kind: "rule" | "correction";
  pattern: RegExp;
  /** Also in a question: "could you always …?" is a rule, "does it only …?" is not. */
  alsoInQuestions: boolean;
}

export interface Language {
  name: string;
  /** Matches sentences in this language. The first matching language applies. */
  isIn: RegExp;
  doubts: readonly { doubt: Doubt; patterns: readonly RegExp[] }[];
  /** Says that something was wrong, but not what is right: the next sentence does. */
  bareCorrection: RegExp;
  /** States a fact, rather than asking for something. */
  states: RegExp;
  /** A sentence that gives the reason for the previous one. */
  continues: RegExp;
  /** Where a sentence's reason begins: reported speech or a broken state there raises no doubt about the rest. */
  reasonClause: RegExp;
  /** Says that the rest of the line is only being considered. */
  musing: RegExp;
  /** A line, ending in a colon, that introduces someone else's words: a document, a log, a message. */
  introducesOthers: RegExp;
  /** The same without a colon: "here is the page I found". */
  presentsOthers: RegExp;
  /**
   * A colon within a sentence that introduces someone else's words to the end of the line: "the customer writes: …".
   */
  quotesOthers: RegExp;
  /** A line, ending in a colon, that introduces a list of rules. */
  introducesRules: RegExp;
  /** Opening words without content. Rows are tried with and without them. */
  opening: RegExp;
  /** Patterns that name a command in a sentence, and the words that identify that command. */
  triggers: readonly { pattern: RegExp; when: readonly string[] }[];
  sessionRules: readonly SessionRuleRow[];
  /** Phrases with which an agent gives its reasons. */
  reasons: RegExp;
}
