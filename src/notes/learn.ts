/**
 * Extracts facts from messages without a model. `learnMessages` is pure and deterministic: learning a message again
 * changes nothing, and the order of messages hardly matters, because each fact has its own time. Accepts messages of any
 * shape and skips what it cannot interpret.
 *
 * Removes secrets, once per fact, because facts reach files, models and later sessions.
 */
import { isToolPart, type Message, type MessageInfo, type Part } from "../io/message.js";
import { nameMessage, readOwnTexts, readTime } from "../messages/call.js";
import type { SessionRuleRow } from "../text/language/language.js";
import { languages } from "../text/language/languages.js";
import { splitSentences } from "../text/language/sentences.js";
import { redactSecrets } from "../text/secrets/secrets.js";
import { cut, toSafeLine } from "../text/text.js";
import { closeDraft, type Draft, openDraft, put } from "./draft.js";
import { learnCall } from "./learn-call.js";
import { type Answer, type Fact, type Ledger, MOST_OF_A_REQUEST } from "./ledger.js";
import { findFindings } from "./page-state.js";

const LONGEST_ANSWER = 300;
/** Characters of the answer that the notes show as the state. */
const LONGEST_STATE = 1_200;
const LONGEST_FINDING = 300;
const LONGEST_REASON = 300;

/** The ledger with the facts of these messages; the same object if there are no new ones. */
export function learnMessages(ledger: Ledger, messages: readonly Message[], project: string): Ledger {
  const draft = openDraft(ledger);
  for (const message of messages) learnMessage(draft, message, project);
  return closeDraft(draft, ledger);
}

function learnMessage(draft: Draft, message: Message, project: string): void {
  const { info, parts } = message ?? {};
  if (!info || !Array.isArray(parts)) return;
  const fact: Fact = { key: nameMessage(info), at: readTime(info) ?? 0 };
  if (info.role === "user") learnRequest(draft, fact, parts);
  if (info.role !== "assistant") return;
  if (info.summary !== true)
    learnAnswer(draft, fact, { texts: readOwnTexts(parts), isInterim: isInterim(info) });
  for (const part of parts) if (part && isToolPart(part)) learnCall(draft, fact.at, part, project);
}

function learnRequest(draft: Draft, fact: Fact, parts: readonly Part[]): void {
  const whole = readOwnTexts(parts).join("\n\n");
  const files = parts.flatMap((part) => readAttachment(part) ?? []);
  if (whole === "" && files.length === 0) return;
  if (fact.at <= draft.droppedUntil && !draft.requests.has(fact.key)) return;
  const known = draft.requests.get(fact.key);
  // Known in full, unless it was learned while its parts were still arriving. It may have been shortened since.
  if (known && known.length >= whole.length && known.files.length >= files.length) return;
  const { text } = redactSecrets(cut(whole, MOST_OF_A_REQUEST));
  put(draft, "requests", { ...fact, text, length: whole.length, files });
  for (const rule of findRules(text)) {
    const key = rule.text.toLowerCase();
    const earlier = draft.rules.get(key);
    if (!earlier || earlier.at > fact.at) put(draft, "rules", { ...rule, key, at: fact.at });
  }
}

/** Name of an attached file. */
function readAttachment(part: Part): string | undefined {
  if (part?.type !== "file" || part.synthetic === true || part.ignored === true) return undefined;
  const { filename, url, mime } = part as Part & { filename?: unknown; url?: unknown; mime?: unknown };
  if (typeof filename === "string" && filename !== "") return toSafeLine(filename, 200);
  if (typeof url === "string" && !url.startsWith("data:"))
    return toSafeLine(url.split("/").at(-1) ?? "", 200);
  return typeof mime === "string" ? toSafeLine(mime, 200) : "a file";
}

/** Did the agent continue with tool calls, or was the answer cut off? */
function isInterim({ error, finish, time }: MessageInfo): boolean {
  if (error !== undefined || finish === "tool-calls") return true;
  return finish === undefined && time?.completed === undefined;
}

interface Said {
  texts: readonly string[];
  isInterim: boolean;
}

function learnAnswer(draft: Draft, fact: Fact, { isInterim, texts }: Said): void {
  const last = texts.at(-1);
  if (last === undefined) return;
  const next = isInterim ? undefined : findNextStep(last);
  const whole = toSafeLine(last, LONGEST_STATE);
  const answer: Answer = {
    ...fact,
    text: toSafeLine(last, LONGEST_ANSWER),
    ...(whole.length > LONGEST_ANSWER && { whole }),
    ...(isInterim && { isInterim }),
    ...(next !== undefined && { next: toSafeLine(next, LONGEST_ANSWER) }),
  };
  const before = draft.answers.get(fact.key);
  const isNews =
    before?.text !== answer.text ||
    before.whole !== answer.whole ||
    before.isInterim !== answer.isInterim ||
    before.next !== answer.next;
  if (isNews) put(draft, "answers", answer);
  learnFinding(draft, fact, isInterim ? findFindings(texts.join("\n")) : "");
  // The text may still be growing: reasons found in an earlier part are replaced.
  const reasons = findReasons(texts.join("\n")).map((reason) => toSafeLine(reason, LONGEST_REASON));
  const prefix = `${fact.key}:`;
  for (const [key, { text: known }] of draft.reasons)
    if (key.startsWith(prefix) && !reasons.includes(known)) draft.hasChanged = draft.reasons.delete(key);
  const known = new Set([...draft.reasons.values()].map((reason) => reason.text));
  for (const [index, reason] of reasons.entries())
    if (!known.has(reason)) put(draft, "reasons", { key: `${prefix}${index}`, at: fact.at, text: reason });
}

/** Between two calls; the text that ends the turn is its answer. */
function learnFinding(draft: Draft, fact: Fact, found: string): void {
  const text = toSafeLine(found, LONGEST_FINDING);
  const known = draft.findings.get(fact.key)?.text;
  if (text !== "" && known !== text) put(draft, "findings", { ...fact, text });
  if (text === "" && known !== undefined) draft.hasChanged = draft.findings.delete(fact.key);
}

/* Finds the next step that an agent announces at the end of its answer. English only. */

/** "Next: …", "Next steps are …", "Remaining: …", "Still to do: …", "Not done yet: …", at the start of a sentence. */
const NEXT =
  /^\W*(?:the )?(?:next(?: steps?| up)?\b(?=\W|\s+(?:is|are|i|we)\b)|remaining\b|still (?:open|to do|to be done|missing|left)\b|left to do\b|(?:not|nothing) (?:yet )?(?:done|finished|started)\b|(?:i|we) (?:still )?(?:have|need) to\b|(?:i|we) (?:have not|haven't)(?: yet)?\b)/i;
/** A question or an offer is not a plan. */
const OFFER = /\?\s*$|\blet me know\b|\bif you (?:want|like|wish)\b/i;

/** Number of characters at the end of an answer that are searched. */
const LOOKED_AT = 20_000;

/** The last such sentence with the list after it; `undefined` if there is none. Pure. */
export function findNextStep(text: string): string | undefined {
  const lines = text.slice(-LOOKED_AT).split("\n");
  for (let index = lines.length - 1; index >= 0; index--) {
    const sentences = (lines[index] ?? "").split(/(?<=[.!?])\s+/);
    const at = sentences.findLastIndex((sentence) => NEXT.test(sentence) && !OFFER.test(sentence));
    if (at === -1) continue;
    const items = lines.slice(index + 1).filter((line) => line.trim() !== "");
    const end = items.findIndex((line) => !/^\s*(?:[-*+]|\d+[.)])\s/.test(line));
    return [...sentences.slice(at), ...(end === -1 ? items : items.slice(0, end))].join(" ").trim();
  }
  return undefined;
}

/*
 * Finds sentences that hold for the rest of a session: the user's rules and corrections, and the agent's decisions with
 * reasons. Matches words from the languages' data files and keeps the sentences verbatim. What outlasts the session is
 * for a judge: layers/5-auto-memory/judge.
 */

export interface FoundRule {
  kind: SessionRuleRow["kind"];
  text: string;
}

const SHORTEST_REASON = 20;
const MOST_RULES_OF_A_MESSAGE = 40;
const MOST_REASONS_OF_A_MESSAGE = 5;

/** Rules and corrections in a user's text, in order and verbatim, one line each. */
export function findRules(text: string): FoundRule[] {
  const rows = listRows();
  const found: FoundRule[] = [];
  for (const sentence of splitSentences(text)) {
    const isQuestion = /[?？]["')\]]?$/.test(sentence);
    const row = rows.find(
      ({ pattern, alsoInQuestions }) => (!isQuestion || alsoInQuestions) && pattern.test(sentence),
    );
    if (row) found.push({ kind: row.kind, text: sentence });
    if (found.length === MOST_RULES_OF_A_MESSAGE) break;
  }
  return found;
}

/** Sentences in which an agent gives the reason for a decision. */
export function findReasons(text: string): string[] {
  return splitSentences(text)
    .filter((sentence) => sentence.length >= SHORTEST_REASON && hasReason(sentence))
    .slice(0, MOST_REASONS_OF_A_MESSAGE);
}

const hasReason = (sentence: string): boolean => languages.some(({ reasons }) => reasons.test(sentence));

/** Rows of all languages, because people mix them; corrections first. */
function listRows(): SessionRuleRow[] {
  const rows = languages.flatMap(({ sessionRules }) => sessionRules);
  return [...rows.filter(({ kind }) => kind === "correction"), ...rows.filter(({ kind }) => kind === "rule")];
}
