/** Memories from a page of Markdown, one for each heading. Pure. */

import { toLine } from "../../base/text.js";
import { type MemoryDraft, type MemoryType, readTypeName } from "../../memory/memory.js";

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
  usualType?: MemoryType | undefined;
  scope?: MemoryDraft["scope"];
}

const LONGEST_TITLE = 120;
/** Front matter field for where a memory came from. */
export const SOURCE_FIELD = "imported-from";

/** A comment, or code, in which none begins. */
const COMMENT_OR_CODE = /(`{3,}|~{3,})[\s\S]*?(\1|$(?![\s\S]))|<!--[\s\S]*?(-->|$(?![\s\S]))\n?/g;

/** Sections with text. Front matter, comments, and headings within code do not count. */
export function parseSections(markdown: string): PageSection[] {
  const page = markdown
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/^---[ \t]*\n[\s\S]*?\n---[ \t]*(\n|$)/, "")
    .replace(COMMENT_OR_CODE, (found) => (found.startsWith("<!--") ? "" : found));
  const sections: { headings: string[]; lines: string[] }[] = [{ headings: [], lines: [] }];
  const open: string[] = [];
  let fence: string | undefined;
  for (const line of page.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const isText = fence === undefined && mark === undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    const heading = isText ? /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/.exec(line) : undefined;
    if (!heading) sections.at(-1)?.lines.push(line);
    else {
      const [, marks = "", title = ""] = heading;
      open.length = Math.min(open.length, marks.length - 1);
      while (open.length < marks.length - 1) open.push("");
      open.push(title.trim());
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
    // The nearest heading that names a type, as in "Decisions" or "Idea".
    const named = headings.map(nameType).findLast((type) => type !== undefined);
    return {
      type: source.type ?? named ?? source.usualType ?? "knowledge",
      content: text,
      ...(title !== undefined && { title }),
      ...(source.scope !== undefined && { scope: source.scope }),
      provenance: { by: "person", how: "imported" },
      extra: { [SOURCE_FIELD]: source.name },
    };
  });
}

/** The heading, prefixed by its parent if it is not unique or continues the parent's text; none if it names a type. */
function planTitle(headings: readonly string[], sections: readonly PageSection[]): string | undefined {
  const own = headings.at(-1);
  if (own === undefined || nameType(own) !== undefined) return undefined;
  const above = headings.slice(0, -1);
  const isShared = sections.filter((section) => section.headings.at(-1) === own).length > 1;
  const goesOn = sections.some((section) => section.headings.join("\n") === above.join("\n"));
  const parent = above.at(-1);
  return toLine(parent !== undefined && (isShared || goesOn) ? `${parent}: ${own}` : own, LONGEST_TITLE);
}

function nameType(heading: string): MemoryType | undefined {
  const word = heading.trim().toLowerCase();
  return readTypeName(word) ?? readTypeName(word.replace(/s$/, ""));
}
