/**
 * A form is a way of saying that by itself tells what kind of statement a sentence is. A plain form is plainly meant to
 * last and is kept without further asking; any other is kept only where what was learned agrees.
 */
import type { MemoryType } from "../../../../src/memory/memory.js";

export interface Form {
  /** By which its weight is known; the same in every language. */
  name: string;
  type: MemoryType;
  /** On the sentence in lower case, straight apostrophes, quotations hidden. */
  pattern: RegExp;
  /** What speaks against it. */
  but?: RegExp;
  isPlain?: true;
}
