/**
 * The format of a language's data file: by which words somebody else's text is told from the user's own, and a command
 * or a session's rule from other sentences. A further language needs another such file and a row in `languages.ts`.
 *
 * All patterns are tried on one sentence, in which a single private-use character replaces each quotation and each
 * piece of inline code: quoted words are someone else's.
 */

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
  /** Opening words without content: in no title, and of no weight where statements are compared. */
  opening: RegExp;
  /** Patterns that name a command in a sentence, and the words that identify that command. */
  triggers: readonly { pattern: RegExp; when: readonly string[] }[];
  sessionRules: readonly SessionRuleRow[];
  /** Phrases with which an agent gives its reasons. */
  reasons: RegExp;
}
