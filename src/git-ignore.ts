/** What a `.gitignore` of Strata keeps out of git, and which rules are missing. Pure. */

/** Patterns that match everything in the folder; git then does not descend into subfolders. */
const EVERYTHING: ReadonlySet<string> = new Set(["*", "/*", "**", "/**", "**/*"]);
/** Negations that let the `.gitignore` itself be committed. */
const ITSELF: ReadonlySet<string> = new Set(["!.gitignore", "!/.gitignore"]);

/**
 * Returns the rules that have to be appended so that all of `rules` hold; empty if they do. Does not work out what a
 * negation matches: any negation below a rule counts as overriding it.
 */
export function planRules(text: string, rules: readonly string[]): string[] {
  const holding = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const rule = line.replace(/ +$/, "");
    if (rule === "" || rule.startsWith("#") || ITSELF.has(rule)) continue;
    if (rule.startsWith("!")) holding.clear();
    else for (const one of rules) if (isSame(rule, one) || EVERYTHING.has(rule)) holding.add(one);
  }
  return rules.filter((rule) => !holding.has(rule));
}

/** A name without a slash matches here and below. Strata's files are here, so a leading slash makes no difference. */
const isSame = (rule: string, other: string): boolean => rule.replace(/^\//, "") === other.replace(/^\//, "");

/** Does this `.gitignore` keep the whole folder out of git? */
export const hidesAll = (text: string): boolean => planRules(text, ["*"]).length === 0;
