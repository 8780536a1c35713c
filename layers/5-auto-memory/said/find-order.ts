/**
 * Has the user asked for a memory of theirs to be changed? A directive, preference, feedback or pattern is not the
 * agent's to put away: it takes words of the user's in this session that mean this memory.
 *
 *     "forget the rule about pushing"     an order, with what it is about
 *     "you may push to main now"          lifts what was forbidden
 *     "we use npm, not pnpm"              says the opposite
 *     "yes" to "Shall I archive …?"       agrees to the agent's own question
 *
 * Questions, quotations and pasted text are no orders. Pure.
 */

import { cut } from "../../../src/base/text.js";
import type { Memory } from "../../../src/memory/memory.js";
import { compareStatements } from "../../../src/text/compare.js";
import { countShared, readStems } from "../../../src/text/words.js";
import { readGroups, type UsersMessage } from "../words/statements.js";
import { ASKS, readAgreed } from "./find-said.js";

export type OrderedAction = "archive" | "restore" | "edit" | "pin" | "unpin" | "link" | "unlink";

interface OrderSearch {
  memory: Memory;
  action: OrderedAction;
  /** What else may be meant: the words of an order have to fit this one better than any of them. */
  others: readonly Memory[];
  messages: readonly UsersMessage[];
}

/** An order is not given long before it is carried out. */
const MOST_LOOKED_AT = 40;

/** What the user said, word for word; the newest where it was said more than once. `undefined` where they have not. */
export function findOrder(search: OrderSearch): string | undefined {
  const { action, memory } = search;
  const words = readSubject(memory);
  const about = listNewest(search).filter(
    ({ text }) => text.includes(memory.id) || countShared(words, readStems(text)) > 0,
  );
  for (const says of about.slice(0, MOST_LOOKED_AT)) {
    const { isAgreed, message, text } = says;
    if (orders(says, search)) return isAgreed ? `"${text}" — "${message.text.trim()}"` : text;
    // Said again since, it holds.
    if (action !== "restore" && !isAgreed && compareStatements(text, memory.content) === "same")
      return undefined;
  }
  return undefined;
}

interface Says {
  message: UsersMessage;
  text: string;
  header: string;
  isAgreed: boolean;
}

/** What the user has said since there is this memory, sentence by sentence, the newest message first. */
function listNewest({ memory, messages }: OrderSearch): Says[] {
  const since = Date.parse(memory.created);
  const later = messages.filter(({ atMs }) => atMs === undefined || !(atMs < since));
  const groups = readGroups(later);
  return later.toReversed().flatMap((message) => {
    const agreed = readAgreed(message);
    const own = groups.filter((group) => group.message === message);
    return [
      ...own.flatMap(({ header = "", sentences }) =>
        sentences.map((text) => ({ message, text, header, isAgreed: false })),
      ),
      ...(agreed === undefined ? [] : [{ message, text: agreed, header: "", isAgreed: true }]),
    ];
  });
}

const NOUN =
  /\b(rules?|memor(y|ies)|preferences?|notes?|directives?|conventions?|instructions?|remember(ed)?|feedback|pattern|guidelines?|(what|that) i (said|told|wanted|asked))\b|规则|记忆|偏好|约定|规定|习惯|说过|记住的/i;
const ID = /\b(directive|preference|feedback|pattern)\/\S/;

/** What asks for it; a verb that is turned down does not. */
const VERBS: Readonly<Record<OrderedAction, RegExp>> = {
  archive:
    /\b(forget|delete|remove|drop|archive|discard|retire|scrap|cancel|revoke|lift|ditch|get rid of|throw (out|away)|put away|vergiss|lösche|entferne|oublie|supprime|olvida|elimina|borra)\b|忘(记|掉|了)|删(除|掉)|取消|作废|移除|归档/i,
  restore: /\b(restore|bring back|reinstate|re-?enable|unarchive|put back|take back)\b|恢复|还原/i,
  edit: /\b(change|edit|update|correct|replace|amend|adjust|reword|modify)\b|修改|改(成|为)|更新|替换/i,
  pin: /\bpin\b|置顶|固定/i,
  unpin: /\bunpin\b|取消(置顶|固定)/i,
  link: /\b(link|connect|relate)\b|关联|链接/i,
  unlink: /\b(unlink|disconnect)\b|取消关联/i,
};
/** These say by their verb that a memory is meant. */
const MEANS_MEMORY: ReadonlySet<OrderedAction> = new Set(["pin", "unpin", "link", "unlink"]);
const OVER =
  /\b(no longer|not any ?more|does ?n['’]?t|do ?n['’]?t|is ?n['’]?t) (apply|applies|hold|holds|valid|needed|matter|count|true)\b|\b(is|are) (obsolete|outdated|void|over|history)\b|不再(适用|有效|需要)|作废/i;
const TURNED_DOWN = /\b(not|never|don['’]?t|do not|without|instead of|before you|no)\b|不要|别|勿|不许|不能/i;
/** "Can you forget …?" asks for it. */
const ASKED_POLITELY = /^(please |pls |hey,? |ok(ay)?,? )*(can|could|would|will) you (please |just |now )*/i;
const LIFTS =
  /\b(you|we|the agent) (may|can|are (now )?allowed to)\b|\b(it['’]?s|is|that['’]?s) (now )?(ok|okay|fine|allowed|alright) (now )?to\b|\bfeel free to\b|\bno (longer )?need to\b|\b(don['’]?t|do not|needn['’]?t) (have|need) to\b|可以.{0,20}了|不用再|不必再/i;
/** Of the moment, or only thought about. */
const NOT_FOR_GOOD =
  /\b(this once|(just|only) (this time|once|for now|for today)|maybe|perhaps)\b|这一次|暂时|也许/i;

function orders({ header, isAgreed, text }: Says, { action, memory, others }: OrderSearch): boolean {
  const plain = text.replace(ASKED_POLITELY, "");
  if (!isAgreed && ((ASKS.test(text) && plain === text) || NOT_FOR_GOOD.test(plain))) return false;
  if (isOrder(plain, action, header) && means(plain, memory, others)) return true;
  if (isAgreed || (action !== "archive" && action !== "edit"))
    return action === "restore" && compareStatements(text, memory.content) === "same";
  const { content, provenance } = memory;
  const said = new Set([content, provenance.evidence ?? content]);
  if ([...said].some((one) => compareStatements(text, one) === "contradicts")) return true;
  return LIFTS.test(text) && covers(text, memory) && means(text, memory, others);
}

function isOrder(text: string, action: OrderedAction, header: string): boolean {
  const isNamed = NOUN.test(text) || NOUN.test(header) || MEANS_MEMORY.has(action) || ID.test(text);
  if (action === "archive" && OVER.test(text) && isNamed) return true;
  const verb = VERBS[action].exec(text);
  return verb !== null && isNamed && !TURNED_DOWN.test(`${header} ${text.slice(0, verb.index)}`);
}

const LEAST_MEANT = 0.5;

/** Does it speak of this memory, and of no other as much? */
function means(text: string, memory: Memory, others: readonly Memory[]): boolean {
  if (text.includes(memory.id)) return true;
  const about = readAbout(text);
  const sharedWith = (one: Memory): number => countShared(about, readSubject(one));
  const shared = sharedWith(memory);
  if (shared === 0 || shared / about.size < LEAST_MEANT) return false;
  return others.every((other) => other.id === memory.id || sharedWith(other) < shared);
}

function covers(text: string, memory: Memory): boolean {
  const words = readSubject(memory);
  return words.size > 0 && countShared(words, readAbout(text)) / words.size >= LEAST_MEANT;
}

/** What a person has written may be long. */
const LOOKED_AT = 2_000;

const readSubject = ({ content, title }: Memory): Set<string> =>
  readAbout(cut(`${title} ${content}`, LOOKED_AT));

function readAbout(text: string): Set<string> {
  const words = readStems(text.replace(NOUN, " ").replace(ID, " "));
  return new Set([...words].filter((word) => !SAYS_NOTHING.has(word)));
}

const SAYS_NOTHING: ReadonlySet<string> = new Set([
  ...readStems(
    "use using prefer preferred never always not no don doesn without must should shall may can could would will need want like do does have has allowed allow okay fine feel free now longer any anymore more just also only every all each from about what that said told wanted asked my me your our rule rules memory memories preference preferences note notes directive directives convention conventions instruction instructions remember remembered feedback pattern guideline forget delete remove drop archive discard retire scrap cancel revoke lift restore bring back change edit update correct replace pin unpin link unlink yes so then there here which when if project 的 了 吧 不 要 用 我 你 个 这 那 有 是 可 以 忘 记 掉 关 于 删 除 取 消 作 废 恢 复 修 改 条 把 忆 规 则 约 定 偏 好",
  ),
  "not",
  "no",
]);
