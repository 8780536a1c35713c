/**
 * Which of the user's own words say what an agent hands over. A directive, preference, feedback or pattern is the user's
 * word: what is kept is their sentence, letter by letter, and the agent's text only serves to find it.
 *
 *     kept       the sentence, with those that limit it, and the line that announces it; or the agent's question and a yes
 *     not kept   a question, a quotation, what is pasted, said in jest, taken back, or may mean two sentences
 *
 * An agent that repeats what a web page told it finds nothing here, and one that twists a sentence finds it untwisted. Pure.
 */

import { foldSentence } from "../../../src/base/text.js";
import { compareStatements } from "../../../src/text/compare.js";
import { withAbsoluteDates } from "../../../src/text/dates.js";
import {
  countShared,
  findUnsupported,
  isDecidedAlike,
  isDecisive,
  overlapOf,
  readStems,
} from "../../../src/text/words.js";
import {
  announcesOthers,
  type Group,
  isSpeech,
  readGroups,
  readQuotations,
  type UsersMessage,
} from "../words/statements.js";

/** Words of the user's that a memory is made of. */
export interface Said {
  messageID: string;
  atMs?: number;
  /** What is kept: the user's sentences as they were written, or the question that they said yes to. */
  text: string;
  /** The user's words that show it. */
  evidence: string;
  /** `confirmed`: the agent's question, and the user's plain yes to it. */
  how: "tool" | "confirmed";
}

/** So much of the agent's wording has to be the user's … */
const LEAST_SHARE = 0.6;
/** … and so much of both has to be common to both, or it may be about something else; less where every word is there. */
const LEAST_LIKENESS = 0.25;
const LEAST_LIKENESS_OF_ALL = 1 / 9;
const LEAST_WORDS = 2;
/** A rule and its reason are seldom spread wider. */
const MOST_SENTENCES = 3;
/** With what limits them. */
const MOST_KEPT = 6;
const MOST_KEPT_CHARACTERS = 1_200;
const MOST_WORDS = 120;

/** What was found, or why nothing was: the rest of a sentence that begins with what was not done. */
export function findSaid(text: string, messages: readonly UsersMessage[]): Said | string {
  const wanted = readStems(text);
  if (wanted.size === 0 || wanted.size > MOST_WORDS)
    return `expected one sentence of the user's, ${wanted.size} different words came`;
  const groups = readGroups(messages);
  const ageOf = ({ group }: Place): number => messages.indexOf(group.message);
  const [best, ...others] = groups
    .flatMap((group) => findPlaces(text, wanted, group))
    .sort((a, b) => b.share - a.share || ageOf(b) - ageOf(a) || b.likeness - a.likeness);
  const found = best ? keep(best, others, groups) : "no message of the user's in this session says this";
  return typeof found === "string" ? (findAgreed(text, wanted, messages) ?? found) : found;
}

/** The user's own sentences, where the text is nothing but these; a final point and capitals may differ. */
export function findVerbatim(text: string, messages: readonly UsersMessage[]): Said | undefined {
  const wanted = foldSentence(text);
  if (wanted === "" || text.length > MOST_KEPT_CHARACTERS) return undefined;
  for (const group of readGroups(messages).reverse())
    for (const from of group.sentences.keys())
      for (let to = from; to < Math.min(from + MOST_KEPT, group.sentences.length); to++) {
        const whole = joinSentences(group, from, to);
        const asks = group.sentences.slice(from, to + 1).some((one) => ASKS.test(one));
        if (!asks && foldSentence(whole) === wanted) return toSaid(group, whole);
      }
  return undefined;
}

function joinSentences({ header, sentences }: Group, from: number, to: number): string {
  return [...(header === undefined ? [] : [header]), ...sentences.slice(from, to + 1)].join(" ");
}

function toSaid({ message: { atMs, id } }: Group, text: string): Said {
  return { messageID: id, text, evidence: text, how: "tool", ...(atMs !== undefined && { atMs }) };
}

/** Sentences of a group, from one to another, that have the agent's words. */
interface Place {
  group: Group;
  from: number;
  to: number;
  words: ReadonlySet<string>;
  share: number;
  likeness: number;
}

function findPlaces(text: string, wanted: ReadonlySet<string>, group: Group): Place[] {
  const { header = "", sentences } = group;
  const headed = [...readStems(header)].filter((word) => wanted.has(word));
  const stems = sentences.map(readStems);
  const places: Place[] = [];
  for (const from of sentences.keys()) {
    const words = new Set(headed);
    let [evidence, shared] = [header, 0];
    for (let to = from; to < Math.min(from + MOST_SENTENCES, sentences.length); to++) {
      const [sentence = "", own = new Set<string>()] = [sentences[to], stems[to]];
      if (quotesSpeech(sentence)) break;
      for (const word of own) words.add(word);
      evidence = `${evidence} ${sentence}`.trim();
      shared += countShared(wanted, own);
      const common = countShared(wanted, words);
      const share = common / wanted.size;
      const likeness = overlapOf(wanted, words);
      const isEnough =
        shared > 0 &&
        common >= Math.min(LEAST_WORDS, wanted.size) &&
        share >= LEAST_SHARE &&
        likeness >= (share === 1 ? LEAST_LIKENESS_OF_ALL : LEAST_LIKENESS);
      if (isEnough && isSupported(text, evidence))
        places.push({ group, from, to, words: new Set(words), share, likeness });
    }
  }
  return places;
}

const isSupported = (text: string, evidence: string): boolean =>
  isDecidedAlike(text, evidence) && findUnsupported(text, evidence) === undefined;

/** A longer quotation, or one that rules something out, is what somebody else says; what is struck out nobody does. */
const quotesSpeech = (sentence: string): boolean =>
  sentence.includes("~~") ||
  readQuotations(sentence).some((one) => !one.startsWith("`") && (isSpeech(one) || isDecisive(one)));

/** What is kept of a place, or why it is none. What the words mean is for the agent to know; this is what can be seen. */
function keep(place: Place, others: readonly Place[], groups: readonly Group[]): Said | string {
  const { from, group, to } = place;
  const sentences = group.sentences.slice(from, to + 1);
  const quoted = JSON.stringify(sentences.join(" "));
  if (sentences.some((sentence) => ASKS.test(sentence) && !ASKS_FOR_NOD.test(sentence)))
    return `the user's sentence ${quoted} is a question`;
  if (group.header !== undefined && announcesOthers(group.header))
    return `the user's sentence ${quoted} stands below a line that gives it to somebody else`;
  const rival = others.find((other) => isRival(place, other));
  if (rival) {
    const other = rival.group.sentences.slice(rival.from, rival.to + 1).join(" ");
    return `it may mean two sentences of the user's: ${quoted} and ${JSON.stringify(other)}`;
  }
  const text = widen(group, from, to);
  if (text === undefined) return "the user's sentence depends on too many others";
  if (isTakenBack(place, text, groups)) return "the user has taken that back, or said otherwise later";
  return toSaid(group, text);
}

export const ASKS = /[?？؟]["”'」)\]\s]*$/;
const ASKS_FOR_NOD =
  /[,，] ?(ok|okay|k|alright|please|pls|deal|got it|understood|clear|thanks|yes|yeah|agreed|好吗|行吗)[?？]\s*$/i;

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

/** The sentences with those around them without which they would say more, or something else. */
function widen(group: Group, first: number, last: number): string | undefined {
  const { items, sentences } = group;
  /** Does the sentence before this place go on in it, over a line end? */
  const goesOn = (at: number): boolean =>
    !items.has(at) && !ENDED.test(sentences[at - 1] ?? ".") && /^[\p{Ll}(]/u.test(sentences[at] ?? "");
  let [from, to] = [first, last];
  while (to + 1 < sentences.length && (LIMITS.test(sentences[to + 1] ?? "") || goesOn(to + 1))) to++;
  while (from > 0 && (LEANS.test(sentences[from] ?? "") || goesOn(from))) from--;
  const text = joinSentences(group, from, to);
  return to - from + 1 > MOST_KEPT || text.length > MOST_KEPT_CHARACTERS ? undefined : text;
}

/** Said right behind something, it has not been meant. */
const TAKES_BACK =
  /^(ok(ay)?,? |no,? |oh,? |haha,? )*(just kidding|i('m| am|'m only| was) (just )?(kidding|joking)|kidding|jk\b|never ?mind|scratch that|strike that|forget (that|it|what i)|ignore (that|this|what i)|disregard that|wait,? no|no,? wait|actually,? no\b|i take (that|it) back|算了|开玩笑|当我没说|收回)/i;
const MOST_COMPARED = 20;

/** Did the user go back on it, right behind it or in later words? */
function isTakenBack({ group, to, words }: Place, text: string, groups: readonly Group[]): boolean {
  const later = groups.slice(groups.indexOf(group) + 1).flatMap(({ sentences }) => sentences);
  const behind = [...group.sentences.slice(to + 1), ...later];
  if (behind.slice(0, 3).some((sentence) => TAKES_BACK.test(sentence))) return true;
  return behind
    .filter((sentence) => countShared(words, readStems(sentence)) > 0)
    .slice(-MOST_COMPARED)
    .some((sentence) => compareStatements(sentence, text) === "contradicts");
}

/*
 * A question of the agent's that the user has said yes to.
 *
 *     agent   … Shall I always run the tests before pushing?
 *     user    yes, please
 *     kept    Agreed: "Shall I always run the tests before pushing?" — "yes, please"
 *
 * The question is the end of what the agent said last before the answer, and the only one in it; the answer is a yes and
 * nothing else. A yes with a "but" is the user's own sentence, and counts as that only.
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

/** The newest question that says what `text` says and has a plain yes. */
function findAgreed(text: string, wanted: ReadonlySet<string>, messages: readonly UsersMessage[]) {
  for (const [index, message] of [...messages.entries()].reverse()) {
    const question = readAgreed(message);
    if (question === undefined || !LASTING.test(question)) continue;
    const share = countShared(wanted, readStems(question)) / wanted.size;
    if (share < LEAST_SHARE || !isSupported(text, question)) continue;
    if (TAKES_BACK.test(messages[index + 1]?.text.trim() ?? "")) return undefined;
    const { atMs, id } = message;
    const evidence = message.text.trim();
    const said = { messageID: id, text: `Agreed: "${question}" — "${evidence}"`, evidence };
    return { ...said, how: "confirmed" as const, ...(atMs !== undefined && { atMs }) };
  }
  return undefined;
}

/** The question that this message says yes to: the only one of what the agent said, at its end. */
export function readAgreed({ asked, text }: UsersMessage): string | undefined {
  const answer = text.trim();
  if (asked === undefined || answer.length > LONGEST_ANSWER || !PLAIN_YES.test(answer)) return undefined;
  const end = asked.trim().slice(-2 * LONGEST_QUESTION);
  const line = end.slice(end.lastIndexOf("\n") + 1).trim();
  if (asked.match(/[?？]/g)?.length !== 1 || !/[?？]$/.test(line)) return undefined;
  const question = line.replace(/^.*(?:[.!:] |[。！：])/, "").trim();
  const isFit = question.length >= SHORTEST_QUESTION && question.length <= LONGEST_QUESTION;
  return isFit && !UNCLEAR.test(question) ? question : undefined;
}

/* How far it reaches: to all projects, to a day. An agent may not make it reach further, or end sooner. */

const EVERYWHERE =
  /\b(all|every|any|each)( of)?( my| our| the)?( other)? (projects?|repos?|repositor(y|ies)|code ?bases?|workspaces?)\b(?! (file|member|folder|setting|config|path|name)s?\b)|\beverywhere\b(?! (in|on|inside|within|across) )|\bglobally\b|\b(for me|for us) in general\b|\bin general for (me|us|all)\b|\bin allen (meinen )?projekten\b|\büberall\b|\bdans tous (mes |les )projets\b|\ben todos (mis |los )?proyectos\b|(所有|全部|每个|任何)的?(项目|仓库|代码库|工程)|全局(都|生效|适用)|すべてのプロジェクト|во всех проектах/iu;
/** "Not in all projects", "only here, not globally". */
const NOT_EVERYWHERE =
  /\b(not|n['’]t|isn['’]t|except|nowhere|never)\b[^.,;]{0,20}\b(all|every|any|each|everywhere|globally)\b[^.,;]{0,30}|\bonly (in|for) this\b|不是(所有|全部|每个)|(只|仅)(在|对)(这个|本)/iu;

/** Does a user's sentence say that it holds in all projects? */
export const saysEverywhere = (text: string): boolean => EVERYWHERE.test(text) && !NOT_EVERYWHERE.test(text);

const ENDS =
  /\b(until|till?|through|up to|before|no later than|expires?|valid to|bis|jusqu['’]|hasta|até)\b|直到|之前|为止|まで|\bthis (week|month|year|quarter)\b/iu;
const DAY = /\b(20\d\d)-(\d\d)-(\d\d)\b/g;
const DAY_END = "T23:59:59.999Z";

/** The end that an agent names, if it is a day up to which the user's sentence says that it holds. */
export function findEnd(text: string, expires: string, saidMs: number): string | undefined {
  if (!ENDS.test(text)) return undefined;
  const days = new Set([...withAbsoluteDates(text, saidMs).matchAll(DAY)].map(([day]) => day));
  const [day = ""] = expires.split("T");
  return days.has(day) ? `${day}${DAY_END}` : undefined;
}
