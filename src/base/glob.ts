/**
 * Matches paths against a glob with `/`: `*` and `?` within a name, `**` for any folders, `{a,b}`, `[ab]`. Other text
 * matches itself. Time is at most proportional to the product of both lengths: globs come from untrusted files, and a
 * regular expression made from many stars could run forever. Pure.
 */
type FitsPath = (path: string) => boolean;

/** Matches the characters of a path one by one; `"folders"` is `**` with its `/`, `"any"` is `**`, `"name"` is `*`. */
type Step = "folders" | "any" | "name" | ((character: string) => boolean);

/** A glob with more alternatives or characters matches nothing. */
const [MOST_ALTERNATIVES, LONGEST_GLOB] = [64, 4_096];
const BRACES = /^([^{}]*)\{([^{}]*)\}(.*)$/s;

export function compileGlob(glob: string): FitsPath {
  if (glob.length > LONGEST_GLOB) return () => false;
  let all = [glob];
  while (all.some((one) => BRACES.test(one))) {
    all = all.flatMap((one) => {
      const [, head = "", list, tail = ""] = BRACES.exec(one) ?? [];
      return list === undefined ? [one] : list.split(",").map((part) => `${head}${part}${tail}`);
    });
    if (all.length > MOST_ALTERNATIVES) return () => false;
  }
  const patterns = all.map(readSteps);
  return (path) => patterns.some((steps) => fits(steps, path));
}

function readSteps(glob: string): Step[] {
  const tokens = glob.matchAll(/\*\*\/|\*\*|\*|\?|\[[^\]/]+\]|[\s\S]/g);
  return [...tokens].map(([token]): Step => {
    if (token === "**/") return "folders";
    if (token === "**") return "any";
    if (token === "*") return "name";
    if (token === "?") return (one) => one !== "/";
    return token.startsWith("[") && token.length > 2 ? readSet(token) : (one) => one === token;
  });
}

/** `[ab]`, `[a-z]` and `[!ab]`. */
function readSet(token: string): (character: string) => boolean {
  const [, not, inside = ""] = /^\[(!?)(.*)\]$/s.exec(token) ?? [];
  const ranges = [...inside.matchAll(/(.)-(.)|(.)/gs)].map(([, from, to, one]) => [from ?? one, to ?? one]);
  return (character) =>
    ranges.some(([from = "", to = ""]) => from <= character && character <= to) === (not === "");
}

/** Keeps every step reachable with the characters so far. */
function fits(steps: readonly Step[], path: string): boolean {
  let at = skip(steps, new Set([0]));
  /** Steps that are within a folder of `**` with its `/`. */
  let inside = new Set<number>();
  for (const character of path) {
    const next = new Set<number>();
    const within = new Set<number>();
    for (const n of [...at, ...inside]) {
      const step = steps[n];
      if (step === "folders" && character !== "/") within.add(n);
      else if (step === "folders" && inside.has(n)) next.add(n);
      else if (step === "any" || (step === "name" && character !== "/")) next.add(n);
      else if (typeof step === "function" && step(character)) next.add(n + 1);
    }
    at = skip(steps, next);
    inside = within;
    if (at.size + inside.size === 0) return false;
  }
  return at.has(steps.length);
}

/** Includes the steps after those that may match nothing. */
function skip(steps: readonly Step[], at: Set<number>): Set<number> {
  for (const n of at) if (typeof steps[n] === "string") at.add(n + 1);
  return at;
}

/* Looks names up in settings keyed by name or pattern. */
/**
 * Looks up a name in settings keyed by name or pattern (`*` matches any characters): the exact name first, then the
 * matching pattern with the most letters. `undefined` if none matches.
 */
export function findByName<T>(settings: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(settings, name)) return settings[name];
  const patterns = Object.keys(settings).sort(
    (a, b) => countLetters(b) - countLetters(a) || (a < b ? -1 : 1),
  );
  const pattern = patterns.find((one) => matches(one, name));
  return pattern === undefined ? undefined : settings[pattern];
}

function countLetters(pattern: string): number {
  return pattern.replaceAll("*", "").length;
}

function matches(pattern: string, name: string): boolean {
  const escaped = pattern.split("*").map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "s").test(name);
}
