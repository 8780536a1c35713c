import { isType } from "./id.js";
import type { MemoryDraft } from "./memory.js";

/** The first words of a standing rule. */
const RULE = /^(always|never|don['’]?t|do not|use|prefer|avoid|please|make sure|remember to)\b/i;

/**
 * The memory a person asks for in their own words. `decision: we use port 8080` names its type; otherwise a rule
 * becomes a directive, anything else knowledge.
 */
export function planRemembered(words: string): Pick<MemoryDraft, "type" | "content"> {
  const [, named, rest = ""] = /^([a-z]+):\s*(.*)$/s.exec(words.trim()) ?? [];
  if (isType(named)) return { type: named, content: rest.trim() };
  const content = words.trim();
  return { type: RULE.test(content) ? "directive" : "knowledge", content };
}
