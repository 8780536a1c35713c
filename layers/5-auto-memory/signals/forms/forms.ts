/** Finds the forms of a sentence. Pure. */
import { mendSpelling } from "../spelling.js";
import type { Tongue } from "../tongues/tongue.js";
import { chinese } from "./chinese.js";
import { englishChoices } from "./english-choices.js";
import { englishFacts } from "./english-facts.js";
import { englishLimits } from "./english-limits.js";
import { englishRules } from "./english-rules.js";
import type { Form } from "./form.js";
import { french } from "./french.js";
import { german } from "./german.js";
import { italian } from "./italian.js";
import { japanese } from "./japanese.js";
import { korean } from "./korean.js";
import { portuguese } from "./portuguese.js";
import { russian } from "./russian.js";
import { spanish } from "./spanish.js";

const FORMS: Readonly<Partial<Record<Tongue, readonly Form[]>>> = {
  en: [...englishRules, ...englishChoices, ...englishFacts, ...englishLimits],
  zh: chinese,
  ja: japanese,
  ko: korean,
  ru: russian,
  es: spanish,
  pt: portuguese,
  it: italian,
  fr: french,
  de: german,
};

/** In the order of the table, plainest first. */
export function findForms(text: string, tongue: Tongue): Form[] {
  const typed = text.toLowerCase().replaceAll("’", "'");
  const lower = tongue === "en" ? mendSpelling(typed) : typed;
  return (FORMS[tongue] ?? []).filter(({ but, pattern }) => pattern.test(lower) && !but?.test(lower));
}
