import type { Language } from "./language.js";
import { chinese, english } from "./languages/english.js";

/** The first language whose pattern matches a sentence applies; English is the default. */
export const languages: readonly Language[] = [chinese, english];

/** The language of a sentence. */
export function languageOf(sentence: string): Language {
  return languages.find(({ isIn }) => isIn.test(sentence)) ?? english;
}
