/**
 * Facts that files of the project state. A fact quotes its file: each piece of inline code in its content is a value of
 * the file as written there, or its beginning followed by "…". Readers infer nothing.
 */
import type { Memory } from "../../memory/memory.js";
import { toCode, toLine } from "../../text/text.js";

/** One fact of one file. */
export interface Fact extends Pick<Memory, "type" | "title" | "content" | "importance"> {
  /** Unique within its file, and stable across versions of the file. */
  key: string;
  /** Other words to find it by. */
  aliases?: readonly string[];
  /** Globs of the paths that it applies to. */
  when?: readonly string[];
}

/** Returns the facts of a file. Throws if the file does not have the format that its name implies. */
export type Reader = (text: string, path: string) => readonly Fact[] | Promise<readonly Fact[]>;

/** A line of a fact: a name and its values, or values alone. */
export interface Row {
  name?: string;
  values: readonly string[];
  /** The name is a heading for the rows that follow. */
  isHeading?: true;
}

/** Longer values are cut. */
const MOST_VALUE_CHARACTERS = 240;
const MOST_VALUES = 12;
const MOST_ROWS = 40;

/** A fact that lists values below a sentence; `undefined` without values. */
export function listFact(
  fact: Omit<Fact, "content"> & { lead: string; rows: readonly Row[] },
): readonly Fact[] {
  const { lead, rows, ...rest } = fact;
  const named = rows.filter(({ name, values }) => values.length > 0 || name !== undefined);
  if (named.length === 0) return [];
  const left = named.length - MOST_ROWS;
  const lines = named.slice(0, MOST_ROWS).map(formatRow);
  const more = left > 0 ? [`(${left} more in the file)`] : [];
  return [{ ...rest, content: [lead, ...lines, ...more].join("\n") }];
}

/** The texts and numbers among these values. */
export function toValues(values: unknown): string[] {
  const list = Array.isArray(values) ? values : [values];
  return list.filter(isValue).map(String);
}

/** The lines of a text, each cut to a maximum length: expressions with several parts are slow on long lines. */
export const splitLines = (text: string): string[] =>
  text.split(/\r?\n/).map((line) => line.slice(0, LONGEST_LINE));

const LONGEST_LINE = 1_000;

const isValue = (value: unknown): value is string | number =>
  (typeof value === "string" && value.trim() !== "") || typeof value === "number";

/** Title of a fact, for people. */
export const toTitle = (text: string): string => toLine(text, 100);

function formatRow({ isHeading, name, values }: Row): string {
  const shown = values.slice(0, MOST_VALUES).map((value) => toCode(value, MOST_VALUE_CHARACTERS));
  const more = values.length > MOST_VALUES ? [`${values.length - MOST_VALUES} more`] : [];
  const list = [...shown, ...more].join(", ");
  const head = name === undefined ? "" : toCode(name, MOST_VALUE_CHARACTERS);
  const line = [head, list].filter((part) => part !== "").join(": ");
  return `- ${line}${isHeading && list === "" ? ":" : ""}`;
}
