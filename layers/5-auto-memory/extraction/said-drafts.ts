/** Memory drafts from what the user said. Pure. */
import { type MemoryDraft, usersTypes } from "../../../src/memory/memory.js";
import type { Signal } from "../signals/find-signals.js";
import { formatTitle } from "../signals/title.js";
import type { Worded } from "./extract-answer.js";
import type { SaidTurn } from "./extract-turns.js";

export interface SaidDraft {
  draft: MemoryDraft;
  saidMs: number;
}

/** In the user's own words. */
export function keepAsSaid(signal: Signal, turn: SaidTurn, sessionID: string): SaidDraft {
  const { text, type } = signal;
  const worded = { type, title: formatTitle(text), content: text, aliases: [], when: [] };
  return { draft: draftOf({ worded, signal, turn, sessionID, how: "signal" }), saidMs: turn.saidMs };
}

interface DraftParts {
  worded: Omit<Worded, "evidence">;
  signal: Signal;
  turn: SaidTurn;
  sessionID: string;
  how: "model" | "signal";
}

export function draftOf({ how, sessionID, signal, turn, worded }: DraftParts): MemoryDraft {
  if ([worded.type, signal.type].some((type) => usersTypes.has(type)) && how === "model")
    return draftOf({ how: "signal", sessionID, signal, turn, worded: keepWords(worded, signal) });
  const { aliases, content, title, type, when } = worded;
  return {
    type,
    title,
    content,
    aliases,
    when: [...new Set([...signal.when, ...when])],
    // Always the whole sentence, even if a model quoted only a part: repeats are recognized by it.
    provenance: { by: "user", session: sessionID, message: turn.messageID, evidence: signal.text, how },
  };
}

/** For a user's rule, a model may choose only the type and the aliases. */
function keepWords({ aliases, type }: Omit<Worded, "evidence">, { text }: Signal) {
  return { type, title: formatTitle(text), content: text, aliases, when: [] };
}
