/**
 * Extracts facts from messages without a model. `learnMessages` is pure and deterministic: learning a message again
 * changes nothing, and the order of messages hardly matters, because each fact has its own time. Accepts messages of any
 * shape and skips what it cannot interpret.
 *
 * Removes secrets, once per fact, because facts reach files, models and later sessions.
 */

import { cut } from "../base/text.js";
import { isToolPart, type Message, type MessageInfo, type Part } from "../io/message.js";
import { nameMessage, readOwnTexts, readTime } from "../messages/call.js";
import { redactSecrets, toSafeLine } from "../text/secrets/secrets.js";
import { learnCall } from "./learn-call.js";
import { closeDraft, type Draft, type Fact, MOST_OF_A_REQUEST, openDraft, put } from "./ledger.js";
import type { Answer, Ledger } from "./stored.js";
import { findFindings, findNextStep, findReasons, findRules } from "./wording.js";

/** Characters of an answer, a finding or a reason. */
const LONGEST_TEXT = 300;
/** Characters of the answer that the notes show as the state. */
const LONGEST_STATE = 1_200;

/** The ledger with the facts of these messages; the same object if there are no new ones. */
export function learnMessages(ledger: Ledger, messages: readonly Message[], project: string): Ledger {
  const draft = openDraft(ledger);
  for (const { info, parts } of messages.filter(Boolean)) {
    if (!info || !Array.isArray(parts)) continue;
    const fact: Fact = { key: nameMessage(info), at: readTime(info) ?? 0 };
    if (info.role === "user") learnRequest(draft, fact, parts);
    if (info.role !== "assistant") continue;
    if (info.summary !== true) learnAnswer(draft, fact, readOwnTexts(parts), isInterim(info));
    for (const part of parts) if (part && isToolPart(part)) learnCall(draft, fact.at, part, project);
  }
  return closeDraft(draft, ledger);
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

function learnAnswer(draft: Draft, fact: Fact, texts: readonly string[], isInterim: boolean): void {
  const last = texts.at(-1);
  if (last === undefined) return;
  const all = texts.join("\n");
  const next = isInterim ? undefined : findNextStep(last);
  const whole = toSafeLine(last, LONGEST_STATE);
  const answer: Answer = {
    ...fact,
    text: toSafeLine(last, LONGEST_TEXT),
    ...(whole.length > LONGEST_TEXT && { whole }),
    ...(isInterim && { isInterim }),
    ...(next !== undefined && { next: toSafeLine(next, LONGEST_TEXT) }),
  };
  if (JSON.stringify(draft.answers.get(fact.key)) !== JSON.stringify(answer)) put(draft, "answers", answer);
  // Between two calls; the text that ends the turn is its answer.
  const text = isInterim ? toSafeLine(findFindings(all), LONGEST_TEXT) : "";
  const found = draft.findings.get(fact.key)?.text;
  if (text !== "" && found !== text) put(draft, "findings", { ...fact, text });
  if (text === "" && found !== undefined) draft.hasChanged = draft.findings.delete(fact.key);
  // The text may still be growing: reasons found in an earlier part are replaced.
  const reasons = findReasons(all).map((reason) => toSafeLine(reason, LONGEST_TEXT));
  const prefix = `${fact.key}:`;
  for (const [key, reason] of draft.reasons)
    if (key.startsWith(prefix) && !reasons.includes(reason.text))
      draft.hasChanged = draft.reasons.delete(key);
  const known = new Set([...draft.reasons.values()].map((reason) => reason.text));
  for (const [index, reason] of reasons.entries())
    if (!known.has(reason)) put(draft, "reasons", { key: `${prefix}${index}`, at: fact.at, text: reason });
}
