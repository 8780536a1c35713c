/** Checks a draft before it is written to memory: complete, small, free of secrets, allowed to be a rule. Pure. */

import { languages } from "../../text/language/languages.js";
import { findSecrets, redactSecrets } from "../../text/secrets/secrets.js";
import { toLine } from "../../text/text.js";
import { type MemoryDraft, type MemoryType, memoryTypes, usersTypes } from "../memory.js";

export type CheckedDraft = { kind: "fit"; draft: MemoryDraft } | { kind: "refused"; why: string };

const MOST_CONTENT = 8_000;
const LONGEST_TITLE = 120;
const LONGEST_WORD = 120;
/** A sentence and its reason. */
const LONGEST_EVIDENCE = 1_300;
const MOST_WORDS = 20;
/** Minimum number of letters left in a text after its secrets are removed. */
const LEAST_LEFT = 12;

/** The draft without secrets, or why it may not be written. */
export function checkDraft(draft: MemoryDraft): CheckedDraft {
  const why = findFault(draft);
  if (why !== undefined) return { kind: "refused", why };
  const content = redactSecrets(draft.content.trim());
  if (content.found.length > 0 && isEmptied(content.text)) {
    const [first] = content.found;
    return refuse(
      `Expected a fact, and a ${first?.name} came; keep it out of memory and say where it is kept.`,
    );
  }
  return { kind: "fit", draft: { ...draft, content: content.text, ...cleanFields(draft) } };
}

function refuse(why: string): CheckedDraft {
  return { kind: "refused", why };
}

function findFault({ content, provenance, type }: MemoryDraft): string | undefined {
  if (!memoryTypes.includes(type))
    return `Expected a type out of ${memoryTypes.join(", ")}; "${toLine(String(type), 40)}" came.`;
  if (typeof content !== "string" || content.trim() === "") return "Expected content; there is none.";
  if (content.length > MOST_CONTENT)
    return `Expected at most ${MOST_CONTENT} characters, ${content.length} came; keep one fact, and name the file that has the rest.`;
  return findForeignOrder({ content, by: provenance.by, type });
}

/** Instructions to the model itself, which no project needs to remember. */
export const TAKES_OVER =
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|all|any|system|your)\b.{0,30}\b(instructions?|prompts?|rules|messages|guidelines)\b|\b(system prompt|you are now|new instructions|developer mode|jailbreak|do not (tell|inform|mention|reveal)\b.{0,30}\b(user|human|owner))\b|忽略.{0,12}(之前|以上|上面|先前|所有).{0,8}(指令|指示|提示|规则)|(不要|别)告诉用户/i;

interface Said {
  content: string;
  by: MemoryDraft["provenance"]["by"];
  type: MemoryType;
}

/** Only a person makes rules; text from a tool may not even sound like one. */
function findForeignOrder({ by, content, type }: Said): string | undefined {
  if (by === "user" || by === "person") return undefined;
  if (usersTypes.has(type))
    return `Expected the user's own words for a ${type}, text of ${by === "agent" ? "the agent's" : "a tool"} came; keep a fact as knowledge.`;
  if (TAKES_OVER.test(content) || (by === "tool" && soundsLikeRule(content)))
    return "Expected a fact, text that gives orders came from elsewhere than the user; say what is the case and where it was read.";
  return undefined;
}

function soundsLikeRule(text: string): boolean {
  return languages.some(({ sessionRules }) =>
    sessionRules.some(({ alsoInQuestions, pattern }) => alsoInQuestions && pattern.test(text)),
  );
}

function isEmptied(redacted: string): boolean {
  return redacted.replace(/\[removed: [^\]]+\]/g, "").replace(/[^\p{L}]/gu, "").length < LEAST_LEFT;
}

type CleanFields = Partial<Pick<MemoryDraft, "title" | "aliases" | "tags" | "when">> &
  Pick<MemoryDraft, "provenance">;

function cleanFields({ aliases, provenance, tags, title, when }: MemoryDraft): CleanFields {
  const line = (text: string, most: number): string => redactSecrets(toLine(text, most)).text;
  const words = (list: readonly string[]): string[] =>
    [...new Set(list.map((word) => toLine(word, LONGEST_WORD)))]
      .filter((word) => word !== "" && findSecrets(word).length === 0)
      .slice(0, MOST_WORDS);
  const { evidence } = provenance;
  return {
    ...(title !== undefined && { title: line(title, LONGEST_TITLE) }),
    ...(aliases && { aliases: words(aliases) }),
    ...(tags && { tags: words(tags) }),
    ...(when && { when: words(when) }),
    provenance: {
      ...provenance,
      ...(evidence !== undefined && { evidence: line(evidence, LONGEST_EVIDENCE) }),
    },
  };
}
