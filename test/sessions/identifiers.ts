/**
 * What an answer leans on: identifiers in camelCase or snake_case, of eight characters or more, that it says and that
 * only an earlier tool result had brought. Those that the request no longer has anywhere are gone.
 */

import { textIn } from "../../src/trial/look-ups.js";
import type { ScriptStep } from "./script.js";
import { argumentsOf } from "./script.js";

const WORD = /[A-Za-z_$][\w$]{7,}/g;
const IDENTIFIER = /[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/;

/** What one answer leans on. */
export interface Leaning {
  /** Number of identifiers that earlier results had brought. */
  known: number;
  /** Those of them that are gone. */
  gone: string[];
  /** Characters of the results that had brought the latter, each result counted once. */
  carrierCharacters: number;
}

export interface Identifiers {
  /** Judges an answer to a request with this text. */
  judge(step: ScriptStep, text: string): Leaning;
  /** Takes in what the answer's calls will bring. */
  learn(step: ScriptStep): void;
}

/** `folder` is said in every path and not counted. */
export function createIdentifiers(folder: string): Identifiers {
  /** The latest result that brought each identifier. */
  const carriers = new Map<string, { characters: number }>();
  return {
    judge({ say, calls }, text) {
      const said = [say, ...calls.map((call) => textIn(argumentsOf(call)))].join(" ");
      const known = findIdentifiers(said).filter((one) => carriers.has(one) && !folder.includes(one));
      const gone = known.filter((one) => !text.includes(one));
      const results = new Set(gone.map((one) => carriers.get(one)));
      const carrierCharacters = [...results].reduce((sum, one) => sum + (one?.characters ?? 0), 0);
      return { known: known.length, gone, carrierCharacters };
    },
    learn({ calls }) {
      for (const { result } of calls) {
        const carrier = { characters: result.length };
        for (const one of findIdentifiers(result)) carriers.set(one, carrier);
      }
    },
  };
}

function findIdentifiers(text: string): string[] {
  return [...new Set(text.match(WORD) ?? [])].filter((word) => IDENTIFIER.test(word));
}
