/**
 * Checks for records read from files, declared once, beside the type:
 *
 *     const isLetter = object<Letter>({ v: isVersion, id: string, at: number, goal: optional(string) });
 *
 * A check changes nothing: a record that passes is the same value, unknown fields included.
 */

/** Type guard for a value of unknown origin. */
export type Check<T> = (value: unknown) => value is T;

/** Checks by field. Required fields must all have one; optional fields without a check are accepted as they are. */
export type Fields<T> = { readonly [Name in keyof T]: Check<T[Name]> };

export const string = (value: unknown): value is string => typeof value === "string";

export const number = (value: unknown): value is number => typeof value === "number";

/** A number that is neither infinite nor `NaN`. */
export const finite = (value: unknown): value is number => Number.isFinite(value);

export const integer = (value: unknown): value is number => Number.isInteger(value);

/** The `v` of a file or line as this version writes it; a value of another version is not read. */
export const isVersion = (value: unknown): value is 1 => value === 1;

export const count = (value: unknown): value is number => finite(value) && value >= 0;

/** Accepts anything: nothing depends on this field. */
export const unchecked = (_: unknown): _ is never => true;

export const anyList = (value: unknown): value is never[] => Array.isArray(value);
export const anyObject = (value: unknown): value is never => isRecord(value);

export const matching =
  (pattern: RegExp): Check<string> =>
  (value): value is string =>
    string(value) && pattern.test(value);

export const oneOf =
  <const T>(values: readonly T[]): Check<T> =>
  (value): value is T =>
    (values as readonly unknown[]).includes(value);

/** `undefined`, or a value that passes. `null` does not count as absent. */
export const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || check(value);

export const either =
  <T extends readonly unknown[]>(...checks: { [Index in keyof T]: Check<T[Index]> }): Check<T[number]> =>
  (value): value is T[number] =>
    checks.some((check) => check(value));

export const list =
  <T>(check: Check<T>): Check<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(check);

/** Several fields with the same check, to be spread among others. */
export const each = <T, Name extends string>(check: Check<T>, ...names: Name[]): Record<Name, Check<T>> =>
  Object.fromEntries(names.map((name) => [name, check])) as Record<Name, Check<T>>;

/** An object with these fields; neither an array nor `null`. */
export function object<T>(fields: Fields<T>): Check<T> {
  const checks = Object.entries<Check<unknown>>(fields as Record<string, Check<unknown>>);
  return (value): value is T => isRecord(value) && checks.every(([name, check]) => check(value[name]));
}

/** Returns the value if it passes, else `undefined`. */
export const parserOf =
  <T>(check: Check<T>) =>
  (value: unknown): T | undefined =>
    check(value) ? value : undefined;

/** A plain object, as in JSON. */
export type PlainRecord = Record<string, unknown>;

/** Is the value an object, but neither an array nor null? */
export function isRecord(value: unknown): value is PlainRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deep merge. Where the two values of a key are not both objects, the stronger wins. */
export function mergeRecords(weaker: PlainRecord, stronger: PlainRecord): PlainRecord {
  const merged: PlainRecord = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    const below = merged[key];
    merged[key] = isRecord(below) && isRecord(value) ? mergeRecords(below, value) : value;
  }
  return merged;
}

/** Deeper than any record; the parser takes half a second for a megabyte of brackets. */
const DEEPEST = 500;

/** Parses JSON; `undefined` if the text is not valid, which a first look tells faster than an error, or too deep. */
export function parseJson(text: string): unknown {
  if (!/^\s*["\d[{tfn-]/.test(text) || isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTooDeep(text: string): boolean {
  // Most records are shorter, and every line of every log is parsed here.
  if (text.length <= DEEPEST) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth--;
    else if (sign === '"')
      for (at++; at < text.length && text.charAt(at) !== '"'; at++) if (text.charAt(at) === "\\") at++;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/* Values by a key that they have. */

/** The items by their key, in order; leaves out those without a key. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K | undefined): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Puts the value last, and removes the first one if there are more than `most`. */
export function keepLast<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}

/** Asks the same question once, also while the answer is under way. */
export function askOnce<K, T>(ask: (question: K) => Promise<T>): (question: K) => Promise<T> {
  const answers = new Map<K, Promise<T>>();
  return (question) => {
    const answer = answers.get(question) ?? ask(question);
    answers.set(question, answer);
    return answer;
  };
}
