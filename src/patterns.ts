/**
 * Looks a name up in settings by name, in which `*` stands for any characters: the name itself, else the pattern with
 * the most letters that fits. `undefined` where none does.
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
