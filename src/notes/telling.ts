/**
 * Tells what an answer says from what it merely utters: thanks, acknowledgements, questions, offers, and words on what
 * will be looked at next are no state of a session. Pure.
 */

/** A sentence of nothing else. */
const UTTERED =
  /^(?:(?:ok(?:ay)?|yes|no|sure|right|great|perfect|good|nice|excellent|done|understood|noted|got it|will do|agreed|exactly|of course|certainly|absolutely|thanks?|thank you|you(?:'|’)?re (?:very )?welcome|welcome|no problem|my pleasure|any ?time|sorry|hello|hi|hey|glad|happy|ready|waiting|standing by|sounds good|let me know|feel free|good luck|have (?:a|fun)|enjoy|cheers|bye)\b[^\n]{0,60}|(?:verstanden|danke|bitte|gern|klar|erledigt|alles klar|in ordnung)\b[^\n]{0,40}|(?:好的?|谢谢|不客气|明白|收到|了解)[^\n]{0,20})$/i;
const TELLS = /\d|[a-z][A-Z]|_|`|\/|→/;
const QUESTION = /[?？]["')\]*_]*$/;
const OFFER =
  /\b(?:let me know|if you(?:'d)? (?:want|like|wish|prefer)|feel free|shall i|should i|would you|do you want|ready when you are|anything else)\b/i;
/** What the agent is about to do. */
const INTENDED =
  /^(?:(?:now|next|first|then|so|ok(?:ay)?|good|great|perfect|alright)[,.!:]?\s+)*(?:let(?:'|’)?s|let me|i(?:'|’)?ll|i will|i(?:'|’)?m (?:going|about) to|i need to|i should|i(?:'|’)?m (?:checking|looking|reading|running|waiting|now))\b/i;
/** What it does, without a result. */
const ANNOUNCED = /^(?:now|next|first|then|step \d+|checking|looking|reading|running|waiting)\b/i;

/** Sentences, those of a list or a table included. */
function splitSentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+(?=[\p{L}\d"'`*(])/u)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

const says = (sentence: string): boolean =>
  !QUESTION.test(sentence) &&
  !OFFER.test(sentence) &&
  !INTENDED.test(sentence) &&
  (!UTTERED.test(sentence) || TELLS.test(sentence));

/** Characters looked at: what an answer says first. */
const LOOKED_AT = 8_000;

/** Is this answer a state to go on from? */
export function isTelling(text: string): boolean {
  return splitSentences(text.slice(0, LOOKED_AT)).some(says);
}

/** What an agent has found while it works, with names or numbers; `""` if it only says what comes next. */
export function findFindings(text: string): string {
  return splitSentences(text.slice(0, LOOKED_AT))
    .filter((sentence) => says(sentence) && TELLS.test(sentence) && !ANNOUNCED.test(sentence))
    .join(" ");
}
