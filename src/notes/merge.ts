/**
 * Brings what the machine has to say into a file that people change. Pure.
 *
 * A line of the file is the machine's when the machine wrote it under this heading (`written`); every other line is a
 * person's and stays where it is. A machine's line that is no longer in the file was taken out
 * or changed by a person: its id goes to `removed` and is not written again. A heading counts as a line of its own.
 *
 *     the file's order stays · changed lines are replaced in place · lines without a fact go · new ones come after
 *     the line they follow in the page, behind what a person has added to that
 */
import { removeFromLines } from "../secrets/secrets.js";
import type { Sliced } from "../slices.js";
import { type PageLine, type PageSection, TITLE_ID } from "./page.js";
import { HEADINGS, type Heading, titleOf } from "./sections.js";

/** The machine's lines in the file as it was last written, by heading. */
export type Written = Readonly<Record<string, readonly WrittenLine[]>>;

export interface WrittenLine {
  readonly id: string;
  readonly text: string;
}

export interface MergeInput {
  /** The file as it is, `undefined` when there is none. */
  text: string | undefined;
  /** `undefined` when it is not known: then the machine's lines are those that it would write now. */
  written: Written | undefined;
  /** A line of the file is also the machine's where it is so without its secrets. */
  isLoose: boolean;
  removed: readonly string[];
  page: readonly PageSection[];
}

export interface Merged {
  text: string;
  blocks: MergedBlock[];
  written: Written;
  removed: string[];
}

/** What stands between two headings of the file, in its order. */
export interface MergedBlock {
  /** `""` before the first heading. */
  heading: string;
  /** Is it one of the six (or what stands before the first)? A person's own section is not. */
  isOurs: boolean;
  lines: MergedLine[];
}

/** A line without a fact behind it is a person's. */
export interface MergedLine {
  text: string;
  fact?: PageLine;
}

/** Most ids of lines that people took out; a person does not take out more. */
const MOST_REMOVED = 5_000;

export function* mergePage({ isLoose, page, removed, text, written }: MergeInput): Sliced<Merged> {
  // A file that was emptied is one to begin anew, not one in which nothing may ever stand again.
  const file = text === undefined || text.trim() === "" ? undefined : readBlocks(text);
  const gone = new Set(removed);
  const sections = new Map<string, PageSection>(page.map((section) => [section.heading, section]));
  const blocks: MergedBlock[] = [];
  for (const block of file ?? []) {
    yield;
    const section = block.isOurs ? sections.get(block.heading) : undefined;
    if (!section) {
      blocks.push({ ...block, lines: block.lines.map((line) => ({ text: line })) });
      continue;
    }
    gone.delete(headingID(block.heading));
    const ours = written ? (written[block.heading] ?? []) : section.lines;
    const owned = yield* findOwned(
      block.lines,
      ours.filter(({ id }) => !gone.has(id)),
      isLoose,
    );
    const found = new Set(owned.map(({ id }) => id));
    if (written) for (const { id } of ours) if (!found.has(id)) gone.add(id);
    if (owned.some(({ id, text: line }) => id === undefined && /^#\s/.test(line))) gone.add(TITLE_ID);
    blocks.push({ ...block, lines: mergeLines(owned, section.lines, gone) });
  }
  if (file && written) {
    const present = new Set(blocks.filter(({ isOurs }) => isOurs).map(({ heading }) => heading));
    for (const [heading, lines] of Object.entries(written)) {
      if (present.has(heading)) continue;
      for (const { id } of lines) gone.add(id);
      if (heading !== "") gone.add(headingID(heading));
    }
  }
  const all = addMissing(blocks, page, gone);
  return {
    text: formatBlocks(all),
    blocks: all,
    written: listWritten(all),
    removed: [...gone].slice(-MOST_REMOVED),
  };
}

const headingID = (heading: string): string => `heading:${heading}`;

interface FileBlock {
  heading: string;
  isOurs: boolean;
  lines: string[];
}

/** The first heading of a name that is one of the six is ours, a second one a person's. */
function readBlocks(text: string): FileBlock[] {
  const blocks: FileBlock[] = [{ heading: "", isOurs: true, lines: [] }];
  const seen = new Set<string>();
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    if (!/^##\s+\S/.test(line)) {
      blocks.at(-1)?.lines.push(line);
      continue;
    }
    const title = titleOf(line);
    const isOurs = HEADINGS.includes(title as Heading) && !seen.has(title);
    if (isOurs) seen.add(title);
    blocks.push(isOurs ? { heading: title, isOurs, lines: [] } : { heading: line, isOurs, lines: [] });
  }
  return blocks.map((block) => ({ ...block, lines: trimBlank(block.lines) }));
}

interface OwnedLine {
  text: string;
  id?: string;
}

/** Tells the machine's lines, in order where several are the same, from a person's. */
function* findOwned(
  lines: readonly string[],
  ours: readonly WrittenLine[],
  isLoose: boolean,
): Sliced<OwnedLine[]> {
  const owned = claim(lines, lines, ours);
  if (!isLoose) return owned;
  const found = new Set(owned.map(({ id }) => id));
  const left = ours.filter(({ id }) => !found.has(id));
  const texts = yield* removeFromLines(left.map(({ text }) => text));
  const safe = yield* removeFromLines(lines);
  const clean = claim(
    safe.map((text, n) => (owned[n]?.id === undefined ? text : "")),
    lines,
    left.map(({ id }, n) => ({ id, text: texts[n] ?? "" })),
  );
  return owned.map((line, n) => (line.id === undefined ? (clean[n] ?? line) : line));
}

/** Gives each line the id of the one of ours that it reads like, as far as they go. */
function claim(
  readings: readonly string[],
  lines: readonly string[],
  ours: readonly WrittenLine[],
): OwnedLine[] {
  const idsOf = new Map<string, string[]>();
  for (const { id, text } of ours) {
    const same = idsOf.get(text);
    if (same) same.push(id);
    else idsOf.set(text, [id]);
  }
  return lines.map((text, n) => {
    const id = idsOf.get(readings[n]?.trimEnd() ?? "")?.shift();
    return id === undefined ? { text } : { text, id };
  });
}

/** Before the first of the machine's lines; at the end where it has none. */
const START = "";

function mergeLines(
  owned: readonly OwnedLine[],
  page: readonly PageLine[],
  gone: ReadonlySet<string>,
): MergedLine[] {
  const present = new Set(owned.map(({ id }) => id));
  const facts = new Map(page.map((line) => [line.id, line]));
  const kept = dropObsolete(owned, facts);
  // A model that is shown a person's line may repeat it.
  const persons = new Set(owned.filter(({ id }) => id === undefined).map(({ text }) => text.trimEnd()));
  const isRepeated = ({ id, text }: PageLine): boolean => id.startsWith("model:") && persons.has(text);
  const waiting = new Map<string, MergedLine[]>();
  let next: MergedLine[] = [];
  waiting.set(START, next);
  for (const fact of page) {
    if (present.has(fact.id)) {
      next = [];
      waiting.set(fact.id, next);
    } else if (!gone.has(fact.id) && !isRepeated(fact)) next.push({ text: fact.text, fact });
  }
  return insertWaiting(kept, waiting);
}

/** Lines whose fact is gone go, and not two empty lines stay where one of them stood between. */
function dropObsolete(owned: readonly OwnedLine[], facts: ReadonlyMap<string, PageLine>): MergedLine[] {
  const kept: MergedLine[] = [];
  let hasDropped = false;
  for (const { text, id } of owned) {
    const fact = id === undefined ? undefined : facts.get(id);
    if (id !== undefined && !fact) {
      hasDropped = true;
      continue;
    }
    const isDoubled = hasDropped && text.trim() === "" && (kept.at(-1)?.text.trim() ?? "") === "";
    if (!isDoubled) kept.push(fact ? { text: fact.text, fact } : { text });
    hasDropped = false;
  }
  return kept;
}

function insertWaiting(lines: readonly MergedLine[], waiting: Map<string, MergedLine[]>): MergedLine[] {
  const result: MergedLine[] = [];
  let anchor: string | undefined;
  const flush = (key: string): void => {
    result.push(...(waiting.get(key) ?? []));
    waiting.delete(key);
  };
  for (const line of lines) {
    // What a person has put right below a line belongs to it.
    if (anchor !== undefined && (line.fact || line.text.trim() === "")) flush(anchor);
    if (line.fact) {
      flush(START);
      anchor = line.fact.id;
    }
    result.push(line);
  }
  if (anchor !== undefined) flush(anchor);
  flush(START);
  return result;
}

/** Headings that the file has not, and that no person took out, each before the next one that it has. */
function addMissing(
  blocks: readonly MergedBlock[],
  page: readonly PageSection[],
  gone: ReadonlySet<string>,
): MergedBlock[] {
  const all = [...blocks];
  const names = page.map(({ heading }) => heading as string);
  for (const [index, { heading, lines }] of page.entries()) {
    if (gone.has(headingID(heading)) || all.some((block) => block.isOurs && block.heading === heading))
      continue;
    const later = new Set(names.slice(index + 1));
    const before = all.findIndex((block) => block.isOurs && later.has(block.heading));
    const own = lines.filter(({ id }) => !gone.has(id)).map((fact) => ({ text: fact.text, fact }));
    all.splice(before === -1 ? all.length : before, 0, { heading, isOurs: true, lines: own });
  }
  return all;
}

function formatBlocks(blocks: readonly MergedBlock[]): string {
  const parts = blocks.map(({ heading, isOurs, lines }) => {
    const title = heading === "" ? [] : [isOurs ? `## ${heading}` : heading];
    return [...title, formatLines(lines)].filter((part) => part !== "").join("\n\n");
  });
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function formatLines(lines: readonly MergedLine[]): string {
  const kindOf = (line: MergedLine | undefined): string | undefined => line?.fact?.id.split(":", 1)[0];
  return lines
    .flatMap((line, index) => {
      const before = kindOf(lines[index - 1]);
      const isBorder = before === "title" || (before === "model" && (kindOf(line) ?? "model") !== "model");
      return isBorder && line.text.trim() !== "" ? ["", line.text] : [line.text];
    })
    .join("\n");
}

function listWritten(blocks: readonly MergedBlock[]): Written {
  const ours = blocks.filter(({ isOurs }) => isOurs);
  return Object.fromEntries(
    ours.map(({ heading, lines }) => [
      heading,
      lines.flatMap(({ fact }) => (fact ? [{ id: fact.id, text: fact.text }] : [])),
    ]),
  );
}

function trimBlank(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first, last + 1);
}
