import type { Sliced } from "../../../src/base/slices.js";
import { foldSentence } from "../../../src/text/text.js";
import { readGroups, type UsersMessage } from "../words/own-words.js";
import { ASKS, MOST_KEPT, MOST_KEPT_CHARACTERS } from "./find-said.js";
import type { Said } from "./said.js";

/** The user's own sentences, where the text is nothing but these; a final point and capitals may differ. */
export function* findVerbatim(text: string, messages: readonly UsersMessage[]): Sliced<Said | undefined> {
  const wanted = foldSentence(text);
  if (wanted === "" || text.length > MOST_KEPT_CHARACTERS) return undefined;
  const groups = yield* readGroups(messages);
  for (const { header = "", message, sentences } of groups.reverse()) {
    for (const from of sentences.keys()) {
      yield;
      for (let to = from; to < Math.min(from + MOST_KEPT, sentences.length); to++) {
        const run = sentences.slice(from, to + 1).join(" ");
        const whole = header === "" ? run : `${header} ${run}`;
        if (foldSentence(whole) !== wanted || sentences.slice(from, to + 1).some((one) => ASKS.test(one)))
          continue;
        const said = { messageID: message.id, text: whole, evidence: whole, how: "tool" as const };
        return { ...said, ...(message.atMs !== undefined && { atMs: message.atMs }) };
      }
    }
  }
  return undefined;
}
