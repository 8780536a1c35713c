import { type MemoryDraft, type MemoryType, readTypeName } from "../../memory/memory.js";
import { toLine } from "../../text/text.js";

/** The text from one heading to the next. */
export interface PageSection {
  /** The headings above it, nearest last; none before the first heading. */
  headings: readonly string[];
  text: string;
}

/** Where the memories of a page come from, and their type. */
export interface PageSource {
  /** Recorded in the memory. */
  name: string;
  /** Type of all of them; by default their headings decide. */
  type?: MemoryType | undefined;
  /** Type where no heading decides. */
  usualType?: MemoryType;
  scope?: MemoryDraft["scope"];
}

const LONGEST_TITLE = 120;
/** Front matter field for where a memory came from. */
export const SOURCE_FIELD = "imported-from";

/** Sections with text. Front matter, comments, and headings within code do not count. */
export function parseSections(markdown: string): PageSection[] {
  const page = markdown
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/^---[ \t]*\n[\s\S]*?\n---[ \t]*(\n|$)/, "");
  const sections: { headings: string[]; lines: string[] }[] = [{ headings: [], lines: [] }];
  const open: string[] = [];
  let fence: string | undefined;
  let isInComment = false;
  for (const written of page.split("\n")) {
    const { isOpen, line }: Line = fence === undefined ? cutComments(written, isInComment) : asIs(written);
    isInComment = isOpen;
    if (line === undefined) continue;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    const heading = fence === undefined && mark === undefined ? readHeading(line) : undefined;
    if (!heading) sections.at(-1)?.lines.push(line);
    else {
      open.length = Math.min(open.length, heading.level - 1);
      while (open.length < heading.level - 1) open.push("");
      open.push(heading.text);
      sections.push({ headings: open.filter((text) => text !== ""), lines: [] });
    }
  }
  return sections
    .map(({ headings, lines }) => ({ headings, text: lines.join("\n").trim() }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
}

/** One memory for each section, as the user's own words. */
export function planDrafts(sections: readonly PageSection[], source: PageSource): MemoryDraft[] {
  return sections.map(({ headings, text }) => {
    const title = planTitle(headings, sections);
    return {
      type: source.type ?? findType(headings) ?? source.usualType ?? "knowledge",
      content: text,
      ...(title !== undefined && { title }),
      ...(source.scope !== undefined && { scope: source.scope }),
      provenance: { by: "person", how: "imported" },
      extra: { [SOURCE_FIELD]: source.name },
    };
  });
}

function readHeading(line: string): { level: number; text: string } | undefined {
  const [, marks, text = ""] = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/.exec(line) ?? [];
  return marks === undefined ? undefined : { level: marks.length, text: text.trim() };
}

interface Line {
  /** `undefined` if there is only a comment. */
  line: string | undefined;
  /** Does a comment continue on the next line? */
  isOpen: boolean;
}

const asIs = (line: string): Line => ({ line, isOpen: false });

function cutComments(written: string, isInComment: boolean): Line {
  const whole = isInComment ? `<!--${written}` : written;
  const line = whole.replace(/<!--.*?(-->|$)/g, "");
  const isOpen = /<!--(?!.*-->)/.test(whole);
  return { line: line.trim() === "" && whole.includes("<!--") ? undefined : line, isOpen };
}

/** The heading, prefixed by its parent if it is not unique or continues the parent's text; none if it names a type. */
function planTitle(headings: readonly string[], sections: readonly PageSection[]): string | undefined {
  const own = headings.at(-1);
  if (own === undefined || nameType(own) !== undefined) return undefined;
  const above = headings.slice(0, -1);
  const isShared = sections.filter((section) => section.headings.at(-1) === own).length > 1;
  const goesOn = sections.some((section) => isSame(section.headings, above));
  const parent = above.at(-1);
  return toLine(parent !== undefined && (isShared || goesOn) ? `${parent}: ${own}` : own, LONGEST_TITLE);
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((heading, n) => heading === other[n]);

/** The type that the nearest heading names, as in "Decisions" or "Idea". */
function findType(headings: readonly string[]): MemoryType | undefined {
  return headings.map(nameType).findLast((type) => type !== undefined);
}

function nameType(heading: string): MemoryType | undefined {
  const word = heading.trim().toLowerCase();
  return [word, word.replace(/s$/, "")].map(readTypeName).find((type) => type !== undefined);
}
