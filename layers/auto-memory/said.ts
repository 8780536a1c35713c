/**
 * Did the user say this? A directive, preference, feedback or pattern is the user's word, so what an agent hands over
 * as one has to stand in the user's own messages, outside of what they quote or paste. An agent that repeats what a web
 * page told it finds nothing there. Pure.
 */
import { readOwnSentences } from "../../src/signals/find-signals.js";

/** A message of the user's in this session, without what others put into it. */
export interface UsersMessage {
  id: string;
  text: string;
}

export interface Said {
  messageID: string;
  /** The sentences, as they were written. */
  evidence: string;
}

/** So much of the wording has to be the user's. */
const LEAST_SHARE = 0.6;
const LEAST_WORDS = 2;
/** A rule and its reason are seldom spread wider. */
const MOST_SENTENCES = 3;
const MOST_WORDS = 120;

/** Where a word turns a sentence into its opposite, or into a rule without exceptions, both must have it or neither. */
const DECISIVE: readonly RegExp[] = [
  /\b(not|never|no|don'?t|doesn'?t|cannot|can'?t|won'?t|mustn'?t|shouldn'?t|without|avoid|stop|forbid(den)?)\b|不|别|勿|禁|没|无/iu,
  /\b(always|every|all|must|only)\b|总是|必须|务必|只|都|永远/iu,
];
/** "No, use tabs" forbids nothing. */
const INTERJECTION = /^(no|nope|nah|wait|stop)\s*[,.!:;–—-]+\s*/i;

/** The newest of the user's sentences that say what `text` says; `undefined` where there are none. */
export function findSaid(text: string, messages: readonly UsersMessage[]): Said | undefined {
  const wanted = readWords(text);
  const least = Math.min(LEAST_WORDS, wanted.size);
  if (wanted.size === 0 || wanted.size > MOST_WORDS) return undefined;
  for (const { id, text: said } of [...messages].reverse()) {
    const sentences = readOwnSentences(said);
    for (let count = 1; count <= MOST_SENTENCES; count++) {
      for (let at = 0; at + count <= sentences.length; at++) {
        const evidence = sentences.slice(at, at + count).join(" ");
        const shared = countShared(wanted, readWords(evidence));
        if (shared < least || shared / wanted.size < LEAST_SHARE) continue;
        if (isDecidedAlike(text, evidence)) return { messageID: id, evidence };
      }
    }
  }
  return undefined;
}

/** What is ruled out in one must be ruled out in the other; what the text makes absolute the user must have. */
function isDecidedAlike(text: string, evidence: string): boolean {
  const [negation, absolute] = DECISIVE.map((pattern) => [
    pattern.test(text.replace(INTERJECTION, "")),
    pattern.test(evidence.replace(INTERJECTION, "")),
  ]);
  return negation?.[0] === negation?.[1] && (!absolute?.[0] || absolute[1] === true);
}

/** Words and numbers, and of scripts without spaces each character; in one form where only the ending differs. */
function readWords(text: string): Set<string> {
  const found = text.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(
    found
      .filter((word) => !FILLERS.has(word))
      .map((word) => word.replace(/(?<=\p{L}{3})(s|es|ed|ing)$/u, "")),
  );
}

const FILLERS: ReadonlySet<string> = new Set(
  "a an the to of in on at is are be was were it this that these those and or for with as by i we you he she they user users".split(
    " ",
  ),
);

function countShared(wanted: ReadonlySet<string>, given: ReadonlySet<string>): number {
  return [...wanted].filter((word) => given.has(word)).length;
}
