/**
 * Merges the machine's lines into a file that people edit. Pure.
 *
 * A line belongs to the machine if the machine wrote it under this heading (`written`). Every other line is a person's
 * and stays where it is. If a machine's line is no longer in the file, a person removed or changed it: its ID goes to
 * `removed`, and it is not written again. A heading counts as a line.
 *
 *     the file's order stays · changed lines are replaced in place · lines without a fact are removed · a new line is
 *     inserted after the line that precedes it in the page and what a person added below that
 */
import { HEADINGS, type Heading, type PageSection, TITLE_ID, titleOf } from "./page.js";
import type { PageLine } from "./page-state.js";
/** The machine's lines in the last written file, by heading. */
export type Written = Readonly<Record<string, readonly WrittenLine[]>>;

export interface WrittenLine {
  readonly id: string;
  readonly text: string;
}

export interface MergeInput {
  /** Current text of the file; `undefined` if there is none. */
  text: string | undefined;
  /** `undefined` if unknown: then the machine's lines are those that it would write now. */
  written: Written | undefined;
  removed: readonly string[];
  page: readonly PageSection[];
}

export interface Merged {
  text: string;
  blocks: MergedBlock[];
  written: Written;
  removed: string[];
}

/** A heading of the file with its lines, in order. */
export interface MergedBlock {
  /** `""` before the first heading. */
  heading: string;
  /** One of the six sections, or the text before the first; false for a person's own section. */
  isOurs: boolean;
  lines: MergedLine[];
}

/** A line without a fact is a person's. */
export interface MergedLine {
  text: string;
  fact?: PageLine;
}

/** Maximum number of removed IDs: more than a person removes. */
const MOST_REMOVED = 5_000;

export function mergePage({ page, removed, text, written }: MergeInput): Merged {
  // An emptied file starts over; it does not mean that every line was removed for good.
  const file = text === undefined || text.trim() === "" ? undefined : readBlocks(text);
  const gone = new Set(removed);
  const sections = new Map<string, PageSection>(page.map((section) => [section.heading, section]));
  const blocks: MergedBlock[] = [];
  for (const block of file ?? []) {
    const section = block.isOurs ? sections.get(block.heading) : undefined;
    if (!section) {
      blocks.push({ ...block, lines: block.lines.map((line) => ({ text: line })) });
      continue;
    }
    gone.delete(headingID(block.heading));
    const ours = written ? (written[block.heading] ?? []) : section.lines;
    const owned = findOwned(
      block.lines,
      ours.filter(({ id }) => !gone.has(id)),
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

/** The first heading with the name of a section is the machine's; a second one is a person's. */
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

/** Gives each line the ID of the machine's line with the same text, each ID once; equal lines are matched in order. */
function findOwned(lines: readonly string[], ours: readonly WrittenLine[]): OwnedLine[] {
  const idsOf = new Map<string, string[]>();
  for (const { id, text } of ours) {
    const same = idsOf.get(text);
    if (same) same.push(id);
    else idsOf.set(text, [id]);
  }
  return lines.map((text) => {
    const id = idsOf.get(text.trimEnd())?.shift();
    return id === undefined ? { text } : { text, id };
  });
}

/** Position before the machine's first line, or the end if there is none. */
const START = "";

function mergeLines(
  owned: readonly OwnedLine[],
  page: readonly PageLine[],
  gone: ReadonlySet<string>,
): MergedLine[] {
  const present = new Set(owned.map(({ id }) => id));
  const facts = new Map(page.map((line) => [line.id, line]));
  const kept = dropObsolete(owned, facts);
  // A model that was shown a person's line may repeat it.
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

/** Removes lines whose fact is gone, and one of the two empty lines that this leaves next to each other. */
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
    // Lines that a person added directly below a line belong to it.
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

/** Adds headings that the file lacks, unless a person removed them, each before the next existing one. */
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
