/** What a sentence's words are about, one pattern each; on lower case. A language has those that its speakers use. */
export const conceptNames = [
  "always", "never", "must", "should", "dont", "no", "only", "each", "fromNow", "remember", "prefer", "want", "let",
  "weUse", "our", "my", "iHave", "iAmUser", "youDid", "told", "decided", "instead", "because", "plan", "isA", "thereIs",
  "means", "cannot", "can", "located", "env", "domain", "correction", "please", "canYou", "asks", "order", "rule", "state",
  "now", "here", "did", "hedge", "chat", "if", "anaphora", "anaphoraIn", "weSubject", "iSubject", "youSubject",
  "theSubject", "look", "process",
] as const;
export type Concept = (typeof conceptNames)[number];
export type Concepts = Readonly<Partial<Record<Concept, RegExp>>>;
