/** What a person asks to be remembered, with its type. Pure, in slices. */
import { readTypeName } from "../../../src/memory/id.js";
import type { MemoryDraft, MemoryType } from "../../../src/memory/memory.js";
import type { Sliced } from "../../../src/slices.js";
import { readMessage, type WeighedSentence } from "../signals/read-message.js";

/** The first words of a standing rule. */
const RULE = /^(always|never|don['’]?t|do not|use|prefer|avoid|please|make sure|remember to)\b/i;

/**
 * `decision: we use port 8080` names its type. Otherwise the first sentence that has a form decides,
 * as in the chat; a rule is a directive, anything else knowledge.
 */
export function* planRemembered(words: string): Sliced<Pick<MemoryDraft, "type" | "content">> {
  const content = words.trim();
  const [, named, rest = ""] = /^([a-z]+):\s*(.*)$/s.exec(content) ?? [];
  const type = readTypeName(named);
  if (type !== undefined) return { type, content: rest.trim() };
  const { sentences } = yield* readMessage(content);
  const found = sentences.map(typeOf).find((one) => one !== undefined);
  return { type: found ?? (RULE.test(content) ? "directive" : "knowledge"), content };
}

/** `undefined` if the sentence shows no type but knowledge. */
function typeOf({ forms }: WeighedSentence): MemoryType | undefined {
  return forms.map(({ type }) => type).find((type) => type !== "knowledge");
}
