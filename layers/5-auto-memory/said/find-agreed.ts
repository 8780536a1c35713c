/**
 * A question of the agent's that the user has said yes to.
 *
 *     agent   … Shall I always run the tests before pushing?
 *     user    yes, please
 *     kept    Agreed: "Shall I always run the tests before pushing?" — "yes, please"
 *
 * The question is the end of what the agent said last before the answer, and the only one in it; the answer is a yes and
 * nothing else. A yes with a "but" is the user's own sentence, and counts as that only. Pure.
 */

import type { Sliced } from "../../../src/base/slices.js";
import { findUnsupported, isDecidedAlike } from "../../../src/text/support.js";
import { countShared, readStems } from "../../../src/text/words.js";
import type { UsersMessage } from "../words/own-words.js";
import type { Said } from "./said.js";

/** Of the agent's words, so many have to stand in the question. */
const LEAST_SHARE = 0.6;
const SHORTEST_QUESTION = 6;
const LONGEST_QUESTION = 300;
const LONGEST_ANSWER = 40;

const YES =
  "yes|yep|yeah|yup|ya|sure|sure thing|ok|okay|k|please|please do|do (?:that|it|so)|go ahead|sounds good|agreed|correct|right|exactly|absolutely|definitely|certainly|of course|indeed|always|make it so|fine|perfect|good|great|thanks|thank you|ja|jawohl|klar|genau|gerne|bitte|mach das|oui|d'accord|sí|si|claro|vale|sim|da|да|はい|うん|お願いします|네|예|好的?|好啊|好呀|可以|行|是的?|对的?|嗯+|没问题|当然|同意|谢谢|请|就这样";
const PLAIN_YES = new RegExp(`^(?:${YES})(?:[\\s,.!。，！、~👍]+(?:${YES}))*[\\s.!。！~👍]*$`, "iu");

/** Asks for what is to last. A go-ahead for one thing is no rule. */
const LASTING =
  /\b(always|never|from now on|every(thing|where)?|each|in (the )?future|going forward|as a rule|by default|default to|whenever|any ?time|remember|prefer|keep (it )?in mind|convention|permanently|only ever|immer|nie(mals)?|jede[snmr]?|künftig|merken|toujours|jamais|siempre|nunca|sempre)\b|总是|永远|每次|以后|今后|默认|所有|记住|都要|必ず|いつも|常に|всегда|никогда/iu;
/** To which a yes may mean either; or what nobody can see, or that leads elsewhere. */
const UNCLEAR =
  /\bor\b|\bmind if\b|\b(should|shall|do|does|is|are|can|could|would|will)(n['’]t| not)\b|还是|或者|\boder\b|\bou\b|[<>\p{Cf}\p{Cc}\u2028\u2029]|\]\(/iu;

/** Said right behind something, it has not been meant. */
export const TAKES_BACK =
  /^(ok(ay)?,? |no,? |oh,? |haha,? )*(just kidding|i('m| am|'m only| was) (just )?(kidding|joking)|kidding|jk\b|never ?mind|scratch that|strike that|forget (that|it|what i)|ignore (that|this|what i)|disregard that|wait,? no|no,? wait|actually,? no\b|i take (that|it) back|算了|开玩笑|当我没说|收回)/i;

/** The newest question that says what `text` says and has a plain yes. */
export function* findAgreed(
  text: string,
  wanted: ReadonlySet<string>,
  messages: readonly UsersMessage[],
): Sliced<Said | undefined> {
  for (const [index, message] of [...messages.entries()].reverse()) {
    yield;
    const question = readAgreed(message);
    if (question === undefined || !LASTING.test(question)) continue;
    const share = countShared(wanted, readStems(question)) / wanted.size;
    if (share < LEAST_SHARE || !isDecidedAlike(text, question)) continue;
    if (findUnsupported(text, question) !== undefined) continue;
    if (TAKES_BACK.test(messages[index + 1]?.text.trim() ?? "")) return undefined;
    const { atMs, id } = message;
    const answer = message.text.trim();
    return {
      messageID: id,
      text: `Agreed: "${question}" — "${answer}"`,
      evidence: answer,
      how: "confirmed",
      ...(atMs !== undefined && { atMs }),
    };
  }
  return undefined;
}

/** The question that this message says yes to. */
export function readAgreed({ asked, text }: UsersMessage): string | undefined {
  const answer = text.trim();
  if (asked === undefined || answer.length > LONGEST_ANSWER || !PLAIN_YES.test(answer)) return undefined;
  return readQuestion(asked);
}

/** The one question of a text, at its end. */
function readQuestion(asked: string): string | undefined {
  const end = asked.trim().slice(-2 * LONGEST_QUESTION);
  const line = end.slice(end.lastIndexOf("\n") + 1).trim();
  const isOnly = (asked.match(/[?？]/g) ?? []).length === 1;
  if (!isOnly || !/[?？]$/.test(line)) return undefined;
  const question = line.replace(/^.*(?:[.!:] |[。！：])/, "").trim();
  const isFit = question.length >= SHORTEST_QUESTION && question.length <= LONGEST_QUESTION;
  return isFit && !UNCLEAR.test(question) ? question : undefined;
}
