/** Memory drafts and candidates from what the user said, in the user's own words. Pure. */
import type { Candidate } from "../../../src/candidates/candidate.js";
import type { MemoryDraft } from "../../../src/memory/memory.js";
import type { Signal } from "../signals/find-signals.js";
import { formatTitle } from "../signals/title.js";
import type { SaidTurn } from "./extract-turns.js";

export interface SaidDraft {
  draft: MemoryDraft;
  saidMs: number;
}

export function keepAsSaid(
  { text, type, when }: Signal,
  { messageID, saidMs }: SaidTurn,
  sessionID: string,
): SaidDraft {
  const draft: MemoryDraft = {
    type,
    title: formatTitle(text),
    content: text,
    aliases: [],
    when: [...new Set(when)],
    provenance: { by: "user", session: sessionID, message: messageID, evidence: text, how: "signal" },
  };
  return { draft, saidMs };
}

export function toCandidate(
  { chance, text, type, when }: Signal,
  { messageID, saidMs }: SaidTurn,
  sessionID: string,
): Candidate {
  const saying = { session: sessionID, message: messageID, saidMs, title: formatTitle(text), text };
  return { type, when: [...new Set(when)], chance, said: [saying] };
}
