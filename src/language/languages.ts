import type { Language } from "./language.js";
import { chinese } from "./languages/chinese.js";
import { english } from "./languages/english.js";

/** The first that a sentence is in has it; English takes what is left. */
export const languages: readonly Language[] = [chinese, english];

/** The language of a sentence. */
export function languageOf(sentence: string): Language {
  return languages.find(({ isIn }) => isIn.test(sentence)) ?? english;
}
