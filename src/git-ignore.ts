/** What one of our `.gitignore` files keeps out of git, and which rules it lacks. Pure. */

/** Matches everything in the folder, so that git does not even look into folders below. */
const EVERYTHING: ReadonlySet<string> = new Set(["*", "/*", "**", "/**", "**/*"]);
/** The file may be committed itself. */
const ITSELF: ReadonlySet<string> = new Set(["!.gitignore", "!/.gitignore"]);

/**
 * The rules of these which have to be appended so that all of them hold; none where they do. What a negation lets
 * through is not worked out: one below a rule of ours counts as overriding it.
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

/** A name without a slash holds here and below; ours lie here. */
const isSame = (rule: string, other: string): boolean => rule.replace(/^\//, "") === other.replace(/^\//, "");

/** Does it keep the whole folder out of git? */
export const hidesAll = (text: string): boolean => planRules(text, ["*"]).length === 0;
