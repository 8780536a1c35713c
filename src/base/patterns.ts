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
