/**
 * Which of the user's own words say what an agent hands over. A directive, preference, feedback or pattern is the user's
 * word: what is kept is their sentence, letter by letter, and the agent's text only serves to find it.
 *
 *     kept       the sentence, with those that limit it, and the line that announces it
 *     not kept   a question, a quotation, what is pasted, mused about, said in jest, asked for once, or taken back
 *
 * An agent that repeats what a web page told it finds nothing here, and one that twists a sentence finds it untwisted.
 */
import type { Sliced } from "../../../src/base/slices.js";
import { compareStatements } from "../../../src/text/compare.js";
import { findUnsupported, isDecidedAlike, isDecisive } from "../../../src/text/support.js";
import { foldSentence } from "../../../src/text/text.js";
import { countShared, overlapOf, readStems } from "../../../src/text/words.js";
import { announcesOthers, createHiding, SPEECH } from "../words/own-lines.js";
import { type Group, readGroups, type UsersMessage } from "../words/own-words.js";

/** What was found, or why nothing was: the rest of a sentence that begins with what was not done. */
export type SaidSearch = { kind: "said"; said: Said } | { kind: "unsaid"; why: string };

/** So much of the agent's wording has to be the user's … */
const LEAST_SHARE = 0.6;
/** … and so much of both has to be common to both, or it may be about something else; less where every word is there. */
const LEAST_LIKENESS = 0.25;
const LEAST_LIKENESS_OF_ALL = 1 / 9;
const LEAST_WORDS = 2;
/** A rule and its reason are seldom spread wider. */
const MOST_SENTENCES = 3;
/** With what limits them. */
export const MOST_KEPT = 6;
export const MOST_KEPT_CHARACTERS = 1_200;
const MOST_WORDS = 120;
const MOST_COMPARED = 20;

export function* findSaid(text: string, messages: readonly UsersMessage[]): Sliced<SaidSearch> {
  const wanted = readStems(text);
  if (wanted.size === 0 || wanted.size > MOST_WORDS)
    return {
      kind: "unsaid",
      why: `expected one sentence of the user's, ${wanted.size} different words came`,
    };
  const groups = yield* readGroups(messages);
  const places: Place[] = [];
  for (const group of groups) places.push(...(yield* findPlaces(text, wanted, group)));
  const [best, ...others] = sortPlaces(places, messages);
  const found = best === undefined ? unsaid() : yield* keep(best, others, groups);
  if (found.kind === "said") return found;
  const said = yield* findAgreed(text, wanted, messages);
  return said === undefined ? found : { kind: "said", said };
}

const unsaid = (): SaidSearch => ({
  kind: "unsaid",
  why: "no message of the user's in this session says this",
});

/** Sentences of a group, from one to another, that have the agent's words. */
interface Place {
  group: Group;
  from: number;
  to: number;
  words: ReadonlySet<string>;
  share: number;
  likeness: number;
}

interface Visible {
  /** Outside of what is quoted; names in quotation marks and code count. */
  text: string;
  words: ReadonlySet<string>;
  /** Outside of code as well. */
  bare: ReadonlySet<string>;
  isSpeech: boolean;
}

function* findPlaces(text: string, wanted: ReadonlySet<string>, group: Group): Sliced<Place[]> {
  const { header = "", sentences } = group;
  const visible: Visible[] = [];
  for (const sentence of sentences) {
    yield;
    visible.push(readVisible(sentence));
  }
  const headed = readStems(header);
  const places: Place[] = [];
  for (const from of sentences.keys()) {
    yield;
    const words = new Set([...headed].filter((word) => wanted.has(word)));
    let evidence = header;
    let shared = 0;
    for (let to = from; to < Math.min(from + MOST_SENTENCES, sentences.length); to++) {
      const one = visible[to];
      if (!one || one.isSpeech) break;
      for (const word of one.words) words.add(word);
      evidence += ` ${one.text}`;
      shared += countShared(wanted, one.bare);
      const common = countShared(wanted, words);
      const share = common / wanted.size;
      const likeness = overlapOf(wanted, words);
      const least = share === 1 ? LEAST_LIKENESS_OF_ALL : LEAST_LIKENESS;
      const isEnough =
        shared > 0 &&
        common >= Math.min(LEAST_WORDS, wanted.size) &&
        share >= LEAST_SHARE &&
        likeness >= least;
      if (!isEnough || !isDecidedAlike(text, evidence.trim())) continue;
      if (findUnsupported(text, evidence) !== undefined) continue;
      places.push({ group, from, to, words: new Set(words), share, likeness });
    }
  }
  return places;
}

/** A longer quotation, or one that rules something out, is what somebody else says. */
const LONGEST_NAME = 26;

function readVisible(sentence: string): Visible {
  const { hide, restore } = createHiding();
  const hidden = hide(sentence);
  let isSpeech = SPEECH.test(hidden) || /~~/.test(sentence);
  const text = hidden.replace(/[\uE000-\uF7FF]/g, (place) => {
    const quoted = restore(place);
    if (quoted.startsWith("`")) return quoted;
    if (isDecisive(quoted)) isSpeech = true;
    return quoted.length <= LONGEST_NAME ? quoted : " ";
  });
  return { text, words: readStems(text), bare: readStems(text.replace(/`[^`]*`/g, " ")), isSpeech };
}

/** Those with most of the words first, of these the newest, then those that say the least beside. */
function sortPlaces(places: readonly Place[], messages: readonly UsersMessage[]): Place[] {
  const ages = new Map(messages.map(({ id }, index) => [id, index]));
  const ageOf = ({ group }: Place): number => ages.get(group.message.id) ?? 0;
  return [...places].sort((a, b) => b.share - a.share || ageOf(b) - ageOf(a) || b.likeness - a.likeness);
}

/** What is kept of a place, or why it is none. */
function* keep(place: Place, others: readonly Place[], groups: readonly Group[]): Sliced<SaidSearch> {
  const { group, from, to } = place;
  const sentences = group.sentences.slice(from, to + 1);
  const fault = findFault(group, sentences);
  if (fault !== undefined)
    return { kind: "unsaid", why: `the user's sentence ${JSON.stringify(sentences.join(" "))} ${fault}` };
  yield;
  const rival = others.find((other) => isRival(place, other));
  if (rival) {
    const both = [place, rival].map((one) =>
      JSON.stringify(one.group.sentences.slice(one.from, one.to + 1).join(" ")),
    );
    return { kind: "unsaid", why: `it may mean two sentences of the user's: ${both.join(" and ")}` };
  }
  const text = widen(group, from, to);
  if (text === undefined)
    return { kind: "unsaid", why: "the user's sentence hangs together with too many others" };
  if (yield* isTakenBack(place, text, groups))
    return { kind: "unsaid", why: "the user has taken that back, or said otherwise later" };
  const { atMs, id } = group.message;
  const said = { messageID: id, text, evidence: text, how: "tool" as const };
  return { kind: "said", said: { ...said, ...(atMs !== undefined && { atMs }) } };
}

export const ASKS = /[?？؟]["”'」)\]\s]*$/;
/** "…, ok?" */
const ASKS_FOR_NOD =
  /[,，] ?(ok|okay|k|alright|please|pls|deal|got it|understood|clear|thanks|yes|yeah|agreed|好吗|行吗)[?？]\s*$/i;

/** Why these sentences are no rule of the user's. What they mean is for the agent to know; this is what can be seen. */
function findFault({ header }: Group, sentences: readonly string[]): string | undefined {
  if (sentences.some((sentence) => ASKS.test(sentence) && !ASKS_FOR_NOD.test(sentence)))
    return "is a question";
  if (header !== undefined && announcesOthers(header))
    return "stands below a line that gives it to somebody else";
  return undefined;
}

/** Another sentence that fits as well and says something else. */
function isRival(place: Place, other: Place): boolean {
  if (other.share < place.share) return false;
  if (other.group === place.group && other.from <= place.to && place.from <= other.to) return false;
  const isWithin = (one: Place, two: Place): boolean => countShared(one.words, two.words) === one.words.size;
  return !isWithin(place, other) && !isWithin(other, place);
}

/** Limits what was said before it. */
const LIMITS =
  /^(and )?(but|except|unless|only (if|when|on|for|in|to|after|before|with)|however|though|although|apart from|other than|otherwise|with the exception|just not|not (on|in|for|when|if|to)|if|when|as long as|until|that said|(this|that|it) (only|does|doesn|is only|applies)|aber|außer|nur|es sei denn|sauf|mais|pero|salvo)\b|^(但|不过|除非|除了|只是|仅|如果|只有|直到|当)/i;
/** Says nothing without what was said before it. */
const LEANS =
  /^(but|except|unless|however|though|although|otherwise|and|or|nor)\b|^(that|this|these|those|it|they)('s| (is|was|are|does|do|should|must|can|may|will|only|never|also|includes?|applies)\b)|^(但|不过|除非|否则|而且)/i;
const ENDED = /[.!?。！？;；:：…]["”'」)\]`]*\s*$/;

/** Does the sentence before this place go on in it, over a line end? */
function goesOn({ items, sentences }: Group, at: number): boolean {
  const [before, here] = [sentences[at - 1], sentences[at]];
  if (before === undefined || here === undefined || items.has(at)) return false;
  return !ENDED.test(before) && /^[\p{Ll}(]/u.test(here);
}

/** The sentences with those around them without which they would say more, or something else. */
function widen(group: Group, first: number, last: number): string | undefined {
  const { header, sentences } = group;
  let [from, to] = [first, last];
  const more = (): boolean => LIMITS.test(sentences[to + 1] ?? "") || goesOn(group, to + 1);
  while (to + 1 < sentences.length && more()) to++;
  while (from > 0 && (LEANS.test(sentences[from] ?? "") || goesOn(group, from))) from--;
  if (to - from + 1 > MOST_KEPT) return undefined;
  const text = [...(header === undefined ? [] : [header]), ...sentences.slice(from, to + 1)].join(" ");
  return text.length > MOST_KEPT_CHARACTERS ? undefined : text;
}

/** Did the user go back on it, right behind it or in later words? */
function* isTakenBack({ group, to, words }: Place, text: string, groups: readonly Group[]): Sliced<boolean> {
  const at = groups.indexOf(group);
  const behind = [
    ...group.sentences.slice(to + 1),
    ...groups.slice(at + 1).flatMap(({ sentences }) => sentences),
  ];
  if (behind.slice(0, 3).some((sentence) => TAKES_BACK.test(sentence))) return true;
  const about: string[] = [];
  for (const sentence of behind) {
    yield;
    if (countShared(words, readStems(sentence)) > 0) about.push(sentence);
  }
  for (const later of about.slice(-MOST_COMPARED)) {
    yield;
    if (compareStatements(later, text) === "contradicts") return true;
  }
  return false;
}

/*
 * A question of the agent's that the user has said yes to.
 *
 *     agent   … Shall I always run the tests before pushing?
 *     user    yes, please
 *     kept    Agreed: "Shall I always run the tests before pushing?" — "yes, please"
 *
 * The question is the end of what the agent said last before the answer, and the only one in it; the answer is a yes and
 * nothing else. A yes with a "but" is the user's own sentence, and counts as that only. Pure.
 */

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

/** Words of the user's that a memory is made of. */
export interface Said {
  messageID: string;
  /** When, if the host tells. */
  atMs?: number;
  /** What is kept: the user's sentences as they were written, or the question that they said yes to. */
  text: string;
  /** The user's words that show it. */
  evidence: string;
  /** `confirmed`: the agent's question, and the user's plain yes to it. */
  how: "tool" | "confirmed";
}
