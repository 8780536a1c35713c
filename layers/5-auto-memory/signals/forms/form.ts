/**
 * A form is a phrasing that shows what kind of statement a sentence is. A sentence in a plain form is explicitly meant
 * to last and always kept; one in another form is kept only if the learned weights agree.
 */
import type { MemoryType } from "../../../../src/memory/memory.js";

export interface Form {
  /** Key of its weight; the same in all languages. */
  name: string;
  type: MemoryType;
  /** Tried on the sentence in lower case, with straight apostrophes and hidden quotations. */
  pattern: RegExp;
  /** Excludes a match. */
  but?: RegExp;
  isPlain?: true;
}
