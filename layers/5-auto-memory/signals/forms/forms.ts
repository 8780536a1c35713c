/** The forms of a language, tried on a sentence. Pure. */
import type { Tongue } from "../tongues/tongue.js";
import { chinese, japanese } from "./east.js";
import { english } from "./english.js";
import type { Form } from "./form.js";
import { german, korean, russian } from "./others.js";
import { french, italian, portuguese, spanish } from "./romance.js";

const FORMS: Readonly<Partial<Record<Tongue, readonly Form[]>>> = {
  en: english,
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

/** In the order of the table, which has what is plainest first. */
export function findForms(text: string, tongue: Tongue): Form[] {
  const lower = text.toLowerCase().replaceAll("’", "'");
  return (FORMS[tongue] ?? []).filter(({ but, pattern }) => pattern.test(lower) && !but?.test(lower));
}
