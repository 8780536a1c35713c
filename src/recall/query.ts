/** Reads a query: its terms, and what they say about how to search. */
import { findDateTerms } from "./dates.js";
import { hasIdentifiers, splitTerms } from "./terms.js";

export interface Asked {
  text: string;
  /** Terms of the query. */
  words: readonly string[];
  /** `words` and the terms of mentioned times. */
  terms: readonly string[];
  /** False if the query has identifiers: those match only as written, never by similarity. */
  isProse: boolean;
  /** False if it asks for the assistant's own words: then both sides of a chat count alike. */
  isWeighed: boolean;
}

/** Characters read of a query; the rest of a long message is repetition or a paste. */
const MOST_OF_A_QUERY = 4_000;
const MOST_TERMS = 64;

/** "You once recommended", "did you say", "your summary", "in our last conversation". */
const ASSISTANTS_WORDS = new RegExp(
  [
    "\\byou(?:'ve| have| had)? (?:\\w+ )?(?:said|told|gave|given|wrote|written|recommended|suggested|proposed|explained|described|mentioned|listed|provided|showed|shown|found|reported|answered|shared|advised|concluded)\\b",
    "\\b(?:did|do) you (?:\\w+ )?(?:say|tell|give|write|recommend|suggest|propose|explain|describe|mention|list|provide|show|find|report|answer|share|advise|conclude)\\b",
    "\\byour (?:\\w+ )?(?:answer|suggestion|recommendation|advice|explanation|proposal|summary|report|review|list|reply|response)s?\\b",
    "\\bour (?:last|previous|earlier|past) (?:chat|conversation|discussion|session)s?\\b",
  ].join("|"),
  "i",
);

export function readQuery(query: string, nowMs: number): Asked {
  const text = query.slice(0, MOST_OF_A_QUERY);
  const words = [...new Set(splitTerms(text))].slice(0, MOST_TERMS);
  return {
    text,
    words,
    terms: [...new Set([...words, ...findDateTerms(text, nowMs)])],
    isProse: words.length > 0 && !hasIdentifiers(text),
    isWeighed: !ASSISTANTS_WORDS.test(text),
  };
}
