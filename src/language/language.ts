/**
 * What a language's data file says about signals: the words by which what a user writes is told to be worth keeping,
 * or not. Another language is another such file, in parts where it is
 * long, and a row in `languages.ts`.
 *
 * All patterns are tried on one sentence, in which every quotation and every piece of inline code is one character of
 * the private use area: what is quoted is somebody else's, and cannot make a signal.
 */
import type { MemoryType } from "../memory/memory.js";

/** Why a sentence is nothing to keep, whatever else its words say. */
export type Doubt =
  | "question"
  /** Told of somebody else, a document or an error. */
  | "reported"
  | "hypothetical"
  | "sarcasm"
  /** Holds for the task at hand only. */
  | "once"
  /** Asks for something to be done. */
  | "task"
  /** Says what a thing that is being built is to be like: "the menu must never overlap". */
  | "spec"
  /** How things stand at the moment: "the build is broken". */
  | "state"
  /** Takes a rule back, or says that there is none: "no need to always ask". */
  | "denied"
  /** "thanks, looks good" */
  | "chat";

export interface SignalRow {
  type: MemoryType;
  /** One of them is enough. */
  patterns: readonly RegExp[];
  /** Doubts that do not count against this row. */
  despite?: readonly Doubt[];
  /** Nobody can doubt that it is meant to last: "from now on". A model may not drop it. */
  isExplicit?: true;
}

/** For the session's own notes, which take more than memory does: what is a rule for this session is enough there. */
export interface SessionRuleRow {
  kind: "rule" | "correction";
  pattern: RegExp;
  /** Also in a question: "could you always …?" is a rule, "does it only …?" is not. */
  alsoInQuestions: boolean;
}

export interface Language {
  name: string;
  /** Is a sentence in this language? The first language that says so has it. */
  isIn: RegExp;
  /** The first row that fits, and that no doubt stands against, names the type. */
  signals: readonly SignalRow[];
  doubts: readonly { doubt: Doubt; patterns: readonly RegExp[] }[];
  /** Says that something was wrong and not yet what is right: the next sentence does. */
  bareCorrection: RegExp;
  /** Says how something is, rather than to do something. */
  states: RegExp;
  /** Says nothing but that the sentence before is meant: "Always." */
  emphasis: RegExp;
  /** A sentence that goes on with the reason for the one before. */
  continues: RegExp;
  /** Where a sentence begins to give its reason: what others say there, or what is broken, is no doubt about the rest. */
  reasonClause: RegExp;
  /** Says that what follows on the line is only thought about. */
  musing: RegExp;
  /** A line, ending in a colon, after which somebody else speaks: a document, a log, a message. */
  introducesOthers: RegExp;
  /** The same without a colon: "here is the page I found". */
  presentsOthers: RegExp;
  /** A colon in a sentence after which, to the end of the line, somebody else speaks: "the customer writes: …". */
  quotesOthers: RegExp;
  /** A line, ending in a colon, after which each item of a list is a rule. */
  introducesRules: RegExp;
  /** Words at the beginning of a sentence that say nothing. Rows are tried with and without them. */
  opening: RegExp;
  /** What in a sentence names a command, and the words by which that command is known. */
  triggers: readonly { pattern: RegExp; when: readonly string[] }[];
  sessionRules: readonly SessionRuleRow[];
  /** With these an agent says why it does what it does. */
  reasons: RegExp;
}
