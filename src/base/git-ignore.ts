/** What a `.gitignore` keeps out of git, and which of Strata's rules it lacks. Pure. */

/** Matches half-written files, whose names end with a UUID: `tornOf` in file-kinds.ts. */
export const TORN_RULE = "*.????????-????-????-????-????????????";

/** Patterns that match everything in the folder; git then does not descend into subfolders. */
const EVERYTHING: ReadonlySet<string> = new Set(["*", "/*", "**", "/**", "**/*"]);
/** Negations that let the `.gitignore` itself be committed. */
const ITSELF: ReadonlySet<string> = new Set(["!.gitignore", "!/.gitignore"]);

/**
 * Returns the rules that have to be appended so that all of `rules` hold; empty if they do. A negation that names one
 * file in a subfolder overrides only rules for that name; any other negation below a rule counts as overriding it.
 */
export function planRules(text: string, rules: readonly string[]): string[] {
  const holding = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const rule = line.replace(/ +$/, "");
    if (rule === "" || rule.startsWith("#") || ITSELF.has(rule)) continue;
    if (rule.startsWith("!")) dropOverridden(holding, rule.slice(1));
    else for (const one of rules) if (isSame(rule, one) || EVERYTHING.has(rule)) holding.add(one);
  }
  return rules.filter((rule) => !holding.has(rule));
}

/** Removes the rules that no longer hold below this negation. */
function dropOverridden(holding: Set<string>, negated: string): void {
  const parts = negated.replace(/^\//, "").split("/");
  const isFile = parts.length > 1 && !/[*?[\\]/.test(negated) && parts.at(-1) !== "";
  for (const rule of holding)
    if (!isFile || EVERYTHING.has(rule) || parts.includes(rule.replace(/^\//, ""))) holding.delete(rule);
}

/** A name without a slash matches here and below. Strata's files are here, so a leading slash makes no difference. */
const isSame = (rule: string, other: string): boolean => rule.replace(/^\//, "") === other.replace(/^\//, "");

/** Does this `.gitignore` keep the whole folder out of git? */
export const hidesAll = (text: string): boolean => planRules(text, ["*"]).length === 0;

/**
 * Tells whether this `.gitignore` keeps the file at a path below its folder out of git. Character classes are taken
 * literally. As in git, a negation brings no file back whose folder is ignored.
 */
export function readIgnored(text: string): (path: string) => boolean {
  const rules = text.split(/\r?\n/).flatMap(parseRule);
  const known = new Map<string, boolean>();
  const isIgnored = (path: string): boolean => {
    const parts = path.split("/");
    return parts.some((_, depth) => {
      const isFolder = depth < parts.length - 1;
      const some = parts.slice(0, depth + 1);
      const last = rules.findLast((rule) => (isFolder || !rule.isForFolders) && matches(rule, some));
      return last !== undefined && !last.isNegated;
    });
  };
  return (path) => {
    const answer = known.get(path) ?? isIgnored(path);
    known.set(path, answer);
    return answer;
  };
}

/** The rule that brings exactly this file back, for the end of the `.gitignore`. */
export const formatNegation = (path: string): string =>
  `!/${path.replace(/[\\*?[\]]/g, "\\$&").replace(/ $/, "\\ ")}`;

interface Rule {
  /** Parts of the pattern. */
  parts: readonly string[];
  /** Without a slash it matches a name at any depth. */
  isAnchored: boolean;
  isForFolders: boolean;
  isNegated: boolean;
}

function parseRule(line: string): Rule[] {
  const rule = line.replace(/(?<!\\) +$/, "");
  if (rule === "" || rule.startsWith("#")) return [];
  const isNegated = rule.startsWith("!");
  const pattern = isNegated ? rule.slice(1) : rule;
  const bare = pattern.replace(/\/$/, "");
  const parts = bare.replace(/^\//, "").split("/");
  return [{ parts, isAnchored: bare.includes("/"), isForFolders: pattern.endsWith("/"), isNegated }];
}

function matches({ isAnchored, parts }: Rule, path: readonly string[]): boolean {
  return isAnchored ? matchesParts(parts, path) : matchesName(parts[0] ?? "", path.at(-1) ?? "");
}

function matchesParts([first, ...others]: readonly string[], path: readonly string[]): boolean {
  if (first === undefined) return path.length === 0;
  if (first === "**") return path.some((_, n) => others.length === 0 || matchesParts(others, path.slice(n)));
  const [name, ...deeper] = path;
  return name !== undefined && matchesName(first, name) && matchesParts(others, deeper);
}

/** Wildcards in linear memory: on a mismatch the last `*` takes one character more. */
function matchesName(pattern: string, name: string): boolean {
  let [at, from, star, retry] = [0, 0, -1, 0];
  while (from < name.length) {
    const isEscaped = pattern[at] === "\\" && at + 1 < pattern.length;
    const wanted = isEscaped ? pattern[at + 1] : pattern[at];
    if (pattern[at] === "*") [star, retry, at] = [at, from, at + 1];
    else if (wanted === name[from] || (!isEscaped && wanted === "?")) {
      at += isEscaped ? 2 : 1;
      from++;
    } else if (star === -1) return false;
    else [at, retry, from] = [star + 1, retry + 1, retry + 1];
  }
  return /^\**$/.test(pattern.slice(at));
}
