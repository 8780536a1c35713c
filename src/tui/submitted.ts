/** Which pages the words in the prompt open. Pure. */

export const PAGE_NAMES = ["memory", "context", "recall", "keep", "notes"] as const;
export type PageName = (typeof PAGE_NAMES)[number];

export interface Submitted {
  page: PageName;
  /** Behind the name, as typed. */
  words: string;
}

/** Of the others the server half answers what has words behind it. */
const WITH_WORDS: ReadonlySet<PageName> = new Set(["memory", "recall"]);

/**
 * What a submitted prompt asks for, or `undefined` if it is not for a page. `/keep 3fa2b1` and the like have an answer
 * that needs no page: the server half gives it.
 */
export function readSubmitted(text: string): Submitted | undefined {
  const [, name = "", words = ""] = /^\/([a-z-]+)(?:[ \t]+([^\n]*))?\s*$/.exec(text) ?? [];
  const page = PAGE_NAMES.find((one) => one === name);
  if (!page || (words.trim() !== "" && !WITH_WORDS.has(page))) return undefined;
  return { page, words: words.trim() };
}
