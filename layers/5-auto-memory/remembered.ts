import { type MemoryDraft, readTypeName } from "../../src/memory/memory.js";
import { findMark } from "./words/marked.js";
import type { Statement } from "./words/statements.js";

/** The first words of a lasting rule. */
const RULE = /^(always|never|don['’]?t|do not|use|prefer|avoid|please|make sure|remember to)\b/i;

/** The first words of a preference, which git does not see. */
const PREFERENCE = /^(?:i|we) (?:prefer|like|love|dislike|hate)\b/i;

/** `decision: we use port 8080` names its type; otherwise by its beginning; what is neither rule nor preference is knowledge. */
export function planRemembered(words: string): Pick<MemoryDraft, "type" | "content"> {
  const content = words.trim();
  const [, named, rest = ""] = /^([a-z]+):\s*(.*)$/s.exec(content) ?? [];
  const type = readTypeName(named);
  if (type !== undefined) return { type, content: rest.trim() };
  const statements = [{ text: content.split("\n")[0] ?? "", isItem: false, isQuestion: false }];
  const isRule = RULE.test(content) || findMark(statements[0] as Statement, statements) === "directive";
  if (PREFERENCE.test(content)) return { type: "preference", content };
  return { type: isRule ? "directive" : "knowledge", content };
}
