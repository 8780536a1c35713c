/** `MEMORY.md`: an overview of one folder's memories, best first, cut at a line to stay within its limits. Pure. */
import { formatCount } from "../../base/format.js";
import { joinLines } from "../fields.js";
import type { Memory } from "../memory.js";
import type { RankedPart } from "../rank.js";

export interface IndexLimits {
  maxLines: number;
  /** Bytes. */
  maxSize: number;
}

/** First line of a generated index: tells it from a file that a person wrote. */
export const INDEX_MARK =
  "<!-- strata: generated from the files in this folder; edit those, this one is overwritten -->";

const LONGEST_LINE = 200;
const LONGEST_TITLE = 100;

export function formatIndex(parts: readonly RankedPart[], limits: IndexLimits): string {
  const all = parts.reduce((sum, { memories }) => sum + memories.length, 0);
  const head = [INDEX_MARK, "# Memory", "", `${countMemories(all)}, the most important first.`];
  // Memories beyond the line limit are not even formatted.
  const first = takeFirst(parts, limits.maxLines);
  const whole = [...head, ...first.flatMap(formatPart)];
  if (all <= limits.maxLines && fits(whole, limits)) return toText(whole);
  const lines = [...head];
  let shown = 0;
  for (const { line, isMemory } of first.flatMap(labelLines)) {
    const left = formatLeftOut(all - shown - (isMemory ? 1 : 0));
    if (!fits([...lines, line, "", left], limits)) break;
    lines.push(line);
    if (isMemory) shown++;
  }
  while (lines.at(-1) === "" || lines.at(-1)?.startsWith("## ")) lines.pop();
  return toText([...lines, "", formatLeftOut(all - shown)]);
}

function takeFirst(parts: readonly RankedPart[], most: number): RankedPart[] {
  let left = most;
  return parts.map((part) => {
    const memories = part.memories.slice(0, Math.max(0, left));
    left -= memories.length;
    return { ...part, memories };
  });
}

function formatPart({ heading, memories }: RankedPart): string[] {
  return memories.length === 0 ? [] : ["", `## ${heading}`, "", ...memories.map(formatLine)];
}

function labelLines(part: RankedPart): { line: string; isMemory: boolean }[] {
  return formatPart(part).map((line, index) => ({ line, isMemory: index > 2 }));
}

/** The index line of one memory. */
export function formatLine(memory: Memory): string {
  const { title, type, status, content, id } = memory;
  const file = id.replace(/^(global\/)?(private\/)?/, "");
  const state = status === "active" ? type : `${type}, ${status}`;
  const words = findMore(joinLines(content), title);
  const more = words === "" ? "" : `: ${words}`;
  const line = `- [${escapeTitle(title.slice(0, LONGEST_TITLE))}](${formatTarget(`${file}.md`)}) (${state})${more}`;
  return line.length <= LONGEST_LINE
    ? line
    : `${[...line]
        .slice(0, LONGEST_LINE - 1)
        .join("")
        .trimEnd()}…`;
}

/** The content without its title, which is often part of it. */
function findMore(content: string, title: string): string {
  const bare = title.replace(/[\s.。!！…]+$/u, "");
  const at = content.toLowerCase().indexOf(bare.toLowerCase());
  if (bare === "" || at === -1) return content;
  const rest = content.slice(at + bare.length).replace(/^[\s,;:.，。；：!！—–-]+/u, "");
  return rest === "" ? "" : `… ${rest}`;
}

/** A link target that stays readable in every script. */
function formatTarget(path: string): string {
  const encoded = encodeURI(path);
  return encoded === path || /[<>\\\n]/.test(path) ? encoded : `<${path}>`;
}

function formatLeftOut(count: number): string {
  return `${countMemories(count)} more: look in the folders beside this file, or search them with memory_recall.`;
}

const countMemories = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "memory" : "memories"}`;

const escapeTitle = (title: string): string => title.replace(/[[\]]/g, "\\$&");

const toText = (lines: readonly string[]): string => `${lines.join("\n")}\n`;

function fits(lines: readonly string[], { maxLines, maxSize }: IndexLimits): boolean {
  return lines.length <= maxLines && Buffer.byteLength(toText(lines)) <= maxSize;
}
