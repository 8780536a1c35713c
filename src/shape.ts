/**
 * What a record read from a file has to be, said once and beside its type:
 *
 *     const isLetter = object<Letter>({ v: isVersion, id: string, at: number, goal: optional(string) });
 *
 * A check looks and changes nothing: a record that passes is the value itself, with the fields that nobody knows here.
 */
import { isRecord } from "./records.js";

/** Is the value one of these? */
export type Check<T> = (value: unknown) => value is T;

/** Required fields are all checked; of optional ones those that are left out are taken as they come. */
export type Fields<T> = { readonly [Name in keyof T]: Check<T[Name]> };

export const string = (value: unknown): value is string => typeof value === "string";

export const number = (value: unknown): value is number => typeof value === "number";

/** Neither infinite nor `NaN`. */
export const finite = (value: unknown): value is number => Number.isFinite(value);

export const integer = (value: unknown): value is number => Number.isInteger(value);

/** Finite, and not below zero. */
export const count = (value: unknown): value is number => finite(value) && value >= 0;

/** Anything: nothing hangs on what it is. */
export const unchecked = (_: unknown): _ is never => true;

/** A list or an object, whatever is in it. */
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

/** Absent, or this. `null` is not absent. */
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

/** Fields that are all checked alike, to be spread among others. */
export const each = <T, Name extends string>(check: Check<T>, ...names: Name[]): Record<Name, Check<T>> =>
  Object.fromEntries(names.map((name) => [name, check])) as Record<Name, Check<T>>;

/** Not a list, and not `null`. */
export function object<T>(fields: Fields<T>): Check<T> {
  const checks = Object.entries<Check<unknown>>(fields as Record<string, Check<unknown>>);
  return (value): value is T => isRecord(value) && checks.every(([name, check]) => check(value[name]));
}

/** The value where it passes, else `undefined`. */
export const parserOf =
  <T>(check: Check<T>) =>
  (value: unknown): T | undefined =>
    check(value) ? value : undefined;
