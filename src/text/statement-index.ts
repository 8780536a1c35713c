/**
 * Finds the statements that a later one may repeat or contradict, without comparing it with each.
 *
 * Exact: a skipped statement compares as "other". By the rules of compare.ts, any other relation needs one of
 *
 *     the later rejects a word of the earlier          found by that word
 *     the words of the later are all in the earlier    found by the later one's rarest word
 *     the words of the earlier are all in the later    found by the earlier one's key word
 *     neither has words                                found in the list of those
 */
import type { ReadStatement } from "./compare.js";

export interface StatementIndex {
  /** Adds a statement of the owner with this id. An owner may have several. */
  add(id: string, text: string): void;
  /** Ids of the owners, and of some whose statements compare as "other". */
  find(text: string): ReadonlySet<string>;
  /** Number of statements examined by calls of `find`. */
  readonly looked: number;
}

export function createStatementIndex(read: ReadStatement): StatementIndex {
  const byWord = new Map<string, string[]>();
  /** By the statement's rarest word at the time it was added. */
  const byKey = new Map<string, string[]>();
  const wordless: string[] = [];
  let looked = 0;
  const countOf = (word: string): number => byWord.get(word)?.length ?? 0;

  return {
    add(id, text) {
      const { numbers, words } = read(text);
      const key = findRarest(words, countOf);
      if (key === undefined) wordless.push(id);
      else append(byKey, key, id);
      for (const word of [...words, ...numbers]) append(byWord, word, id);
    },

    find(text) {
      const { rejected, words } = read(text);
      const found = new Set<string>();
      const take = (ids: readonly string[] = []): void => {
        looked += ids.length;
        for (const id of ids) found.add(id);
      };
      for (const word of rejected) take(byWord.get(word));
      const rarest = findRarest(words, countOf);
      if (rarest === undefined) take(wordless);
      else take(byWord.get(rarest));
      for (const word of words) take(byKey.get(word));
      return found;
    },

    get looked() {
      return looked;
    },
  };
}

function append(lists: Map<string, string[]>, word: string, id: string): void {
  const list = lists.get(word);
  if (list) list.push(id);
  else lists.set(word, [id]);
}

/** The first rarest word; `undefined` without words. */
function findRarest(words: ReadonlySet<string>, countOf: (word: string) => number): string | undefined {
  let rarest: string | undefined;
  for (const word of words) if (rarest === undefined || countOf(word) < countOf(rarest)) rarest = word;
  return rarest;
}
