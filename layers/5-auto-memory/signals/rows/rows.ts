/** The rows of a language; the first that matches a sentence without a doubt against it names the type. */
import type { Language } from "../../../../src/language/language.js";
import { chineseSignals } from "./chinese.js";
import { englishFacts } from "./english-facts.js";
import { englishPerson } from "./english-person.js";
import { englishRules } from "./english-rules.js";
import type { SignalRow } from "./row.js";

const english: readonly SignalRow[] = [...englishPerson, ...englishRules, ...englishFacts];

export const rowsOf = ({ name }: Language): readonly SignalRow[] =>
  name === "Chinese" ? chineseSignals : english;
