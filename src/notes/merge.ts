/**
 * Merges the machine's lines into a file that people edit. Pure.
 *
 * A line is the machine's if the machine wrote it (`written`). Every other line is a person's and stays below the
 * machine's line that precedes it. A machine's line that is no longer in the file was removed or changed by a person: its
 * ID goes to `removed`, and it is not written again. Headings are lines like the others.
 */
import { createHash } from "node:crypto";
import { groupBy } from "../base/shape.js";
import { redactLines } from "../text/secrets/secrets.js";
import { HEADINGS, kindOf, planPage, TITLE_ID } from "./page.js";
import type { PageLine } from "./page-lines.js";
import type { Stored, WrittenLine } from "./stored.js";

/** A line of the notes; without a fact it is a person's. */
export interface MergedLine {
  readonly text: string;
  readonly fact?: PageLine;
}

/** A line of the file; without an ID it is a person's. */
export interface OwnedLine {
  readonly text: string;
  readonly id?: string;
}

/** Maximum number of removed IDs: more than a person removes. */
const MOST_REMOVED = 5_000;

/** Merges what is known into the current text of the notes. `file`: the lines that were in the file. */
export function mergePage(
  state: Stored,
  text: string | undefined,
  options: { project: string; sessionID: string },
) {
  const planWithout = (removed: readonly string[]): PageLine[] =>
    planPage(state.ledger, state.sections, { ...options, removed });
  const isKnown = findWritten(state, text) !== undefined;
  const file = readPage(state, text, isKnown ? [] : planWithout(state.removed));
  const lines = placeLines(planWithout(file.removed), file.lines);
  const merged = lines.map((line) => line.text).join("\n");
  return { text: `${merged.trimEnd()}\n`, lines, file: file.lines, removed: file.removed };
}

/** Lines of this text that the machine wrote: the last ones, or those before them if the last write failed. */
export function findWritten(
  { before, written }: Pick<Stored, "before" | "written">,
  text: string | undefined,
): readonly WrittenLine[] | undefined {
  return text !== undefined && before?.hash === hashNotes(text) ? before.written : written;
}

export const hashNotes = (text: string): string => createHash("sha1").update(text).digest("base64url");

/**
 * Tells the machine's lines in the notes from a person's, and which of them a person has removed so far. If it is unknown
 * what the machine wrote, `planned` are its lines, and none counts as removed.
 */
export function readPage(
  state: Pick<Stored, "before" | "removed" | "written">,
  text: string | undefined,
  planned: readonly WrittenLine[] = [],
): { lines: OwnedLine[]; removed: readonly string[] } {
  // An emptied file starts over; it does not mean that every line was removed for good.
  if (text === undefined || text.trim() === "") return { lines: [], removed: state.removed };
  const written = findWritten(state, text);
  const lines = findOwned(text.replaceAll("\r\n", "\n").split("\n"), written ?? planned);
  const gone = new Set(state.removed);
  const found = new Set(lines.map(({ id }) => id));
  for (const { id } of written ?? []) if (!found.has(id)) gone.add(id);
  for (const heading of HEADINGS) if (found.has(`heading:${heading}`)) gone.delete(`heading:${heading}`);
  // A person's own title replaces the machine's.
  const first = lines.find((line) => line.text.trim() !== "");
  if (first?.id === undefined && /^#\s/.test(first?.text ?? "")) gone.add(TITLE_ID);
  return { lines, removed: [...gone].slice(-MOST_REMOVED) };
}

/** Gives each line the ID of the machine's line with the same text, each ID once; below a person's heading nothing. */
function findOwned(lines: readonly string[], written: readonly WrittenLine[]): OwnedLine[] {
  const known = new Set(written.map(({ id }) => id));
  const headings = HEADINGS.map((heading) => ({ id: `heading:${heading}`, text: `## ${heading}` }));
  const ours = [...written, ...headings.filter(({ id }) => !known.has(id))];
  const places = groupBy(ours.keys(), (index) => ours[index]?.text);
  let last = -1;
  let isPersons = false;
  return lines.map((text) => {
    const same = places.get(text.trimEnd()) ?? [];
    if (/^##\s+\S/.test(text)) isPersons = same.length === 0;
    if (isPersons || same.length === 0) return { text };
    // Of equal lines, the next one below the line above.
    const next = same.findIndex((index) => index > last);
    [last = -1] = same.splice(Math.max(0, next), 1);
    const id = ours[last]?.id;
    return id === undefined ? { text } : { text, id };
  });
}

/** Puts a person's lines below the machine's line that precedes them in the file. */
function placeLines(planned: readonly PageLine[], file: readonly OwnedLine[]): MergedLine[] {
  // A model that was shown a person's line may repeat it.
  const said = new Set<string>();
  let section = "";
  for (const { id, text } of file) {
    if (/^##\s/.test(text)) section = id ?? "";
    if (id === undefined) said.add(`model:${section.replace("heading:", "")}:${text.trimEnd()}`);
  }
  const page = planned.filter(({ id }) => !said.has(id));
  const persons = new Map<string, string[]>([
    ["", []],
    ...page.map(({ id }) => [id, []] as [string, string[]]),
  ]);
  let below = persons.get("");
  for (const { id, text } of file) {
    if (id === undefined) below?.push(text);
    else below = persons.get(id) ?? below;
  }
  const lines: MergedLine[] = [];
  const addBlank = (): void => {
    if (lines.length > 0 && lines.at(-1)?.text.trim() !== "") lines.push({ text: "" });
  };
  const addPersons = (id: string): void => {
    const own = persons.get(id) ?? [];
    const start = own.findIndex((text) => text.trim() !== "");
    if (start === -1) return;
    if (start > 0) addBlank();
    const end = own.findLastIndex((text) => text.trim() !== "") + 1;
    for (const text of own.slice(start, end)) lines.push({ text });
  };
  addPersons("");
  let before = "";
  for (const fact of page) {
    const kind = kindOf(fact);
    if (kind === "heading" || before === "title" || (before === "model" && kind !== "model")) addBlank();
    lines.push({ text: fact.text, fact });
    if (kind === "heading") addBlank();
    addPersons(fact.id);
    before = kind;
  }
  return lines;
}

/** The lines without secrets that a person may have written; the machine's have none. */
export function redactPersons<Line extends MergedLine | OwnedLine>(lines: readonly Line[]): Line[] {
  const isPersons = (line: MergedLine | OwnedLine): boolean => !("fact" in line) && !("id" in line);
  const texts = redactLines(lines.filter(isPersons).map(({ text }) => text));
  let next = 0;
  return lines.map((line) => (isPersons(line) ? { ...line, text: texts[next++] ?? "" } : line));
}
