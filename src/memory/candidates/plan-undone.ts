/** Plans which sayings count after the user has undone or redone messages. Pure. */
import type { Message } from "../../io/message.js";
import { nameMessage, readOwnTexts } from "../../messages/own-texts.js";
import { foldLetters } from "../../text/text.js";
import type { Saying, WaitingCandidate } from "./candidate.js";

/** In the place of a secret. */
const REMOVED = "[removed: ";

/** The candidates with the sayings of this session marked by all its messages; `undefined` if none changes. */
export function planUndone(
  candidates: readonly WaitingCandidate[],
  sessionID: string,
  messages: readonly Message[],
): WaitingCandidate[] | undefined {
  if (candidates.every(({ said }) => said.every(({ session }) => session !== sessionID))) return undefined;
  const texts = new Map<string, string>();
  for (const { info, parts } of messages)
    if (info.role === "user")
      texts.set(info.id ?? nameMessage(info), foldLetters(readOwnTexts(parts).join(" ")));
  let hasChanged = false;
  const mark = (saying: Saying): Saying => {
    if (saying.session !== sessionID) return saying;
    const isTakenBack = !isSaid(saying, texts);
    if (isTakenBack === (saying.isTakenBack ?? false)) return saying;
    hasChanged = true;
    const { isTakenBack: _, ...standing } = saying;
    return isTakenBack ? { ...standing, isTakenBack } : standing;
  };
  const marked = candidates.map((one) => ({ ...one, said: one.said.map(mark) }));
  return hasChanged ? marked : undefined;
}

function isSaid({ message, text }: Saying, texts: ReadonlyMap<string, string>): boolean {
  const whole = texts.get(message);
  if (whole === undefined) return false;
  // The message still has the secret that was removed here.
  return text.includes(REMOVED) || whole.includes(foldLetters(text));
}
