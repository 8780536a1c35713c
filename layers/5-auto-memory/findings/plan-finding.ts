/**
 * A finding as a memory:
 *
 *     title     Rate limits, https://example.com/limits
 *     content   Read on 2026-11-22 for "How many requests may a client send?"
 *               - line 12, under "Limits": "Each client may send 60 requests a minute."
 *
 * Pure.
 */
import { DAY_MS, formatDay } from "../../../src/base/days.js";
import { FINDING, isFinding } from "../../../src/memory/finding.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import type { Memory, MemoryDraft } from "../../../src/memory/memory.js";
import type { Use } from "../../../src/memory/rank.js";
import { foldSentence, quote, toSafeLine } from "../../../src/text/text.js";
import type { Quote } from "./quotes.js";
import type { Source } from "./source.js";

export interface FindingInput {
  source: Source;
  quotes: readonly Quote[];
  /** What the agent said about a picture or document. */
  said?: string | undefined;
  /** The user's request. */
  asked: string;
  atMs: number;
  session: string;
  /** Id of the message with the call. */
  message: string;
}

/** Lower than any other memory's, so that an index lists findings last. */
const IMPORTANCE = 0.2;
const LONGEST_ASKED = 160;
const LONGEST_QUOTE = 400;
const LONGEST_ALIAS = 110;
/** Maximum number of quotes in a finding; the newest reading's come first. */
const MOST_LINES = 8;

/** `undefined` if there is nothing to quote. */
export function planFinding(input: FindingInput): MemoryDraft | undefined {
  const { asked, atMs, message, quotes, said, session, source } = input;
  const lines = quotes.map(formatQuote);
  if (said !== undefined) lines.push(`- the agent said about it: ${quote(said, LONGEST_QUOTE)}`);
  if (lines.length === 0) return undefined;
  const bare = `Read on ${formatDay(atMs)}`;
  const request = toSafeLine(asked, LONGEST_ASKED);
  const plan = (head: string): MemoryDraft => ({
    type: "knowledge",
    sensitivity: "private",
    title: source.title,
    content: [head, ...lines].join("\n"),
    aliases: planAliases(source),
    tags: [FINDING],
    entities: source.isSearch ? [] : [source.name],
    importance: IMPORTANCE,
    provenance: { by: "tool", session, message },
  });
  // A request may read like a rule, which the gate refuses from a tool.
  const whole = plan(request === "" ? bare : `${bare} for ${JSON.stringify(request)}`);
  return checkDraft(whole).kind === "fit" ? whole : plan(bare);
}

/** The finding with the newer reading first; `undefined` if that adds nothing. */
export function mergeFinding(current: Memory, draft: MemoryDraft): Memory | undefined {
  const [head = "", ...fresh] = draft.content.split("\n");
  const [, ...known] = current.content.split("\n");
  const said = new Set(fresh.map(foldQuote));
  if (fresh.every((line) => known.some((other) => foldQuote(other) === foldQuote(line)))) return undefined;
  const kept = known.filter((line) => line.startsWith("- ") && !said.has(foldQuote(line)));
  const content = [head, ...[...fresh, ...kept].slice(0, MOST_LINES)].join("\n");
  return { ...current, content, provenance: draft.provenance };
}

/**
 * The finding with the lines of `after` instead of those of `before`; `undefined` if that changes nothing, or if the
 * finding now has another reading.
 */
export function narrowFinding(
  current: Memory,
  { after, before }: { after: MemoryDraft; before: MemoryDraft },
): Memory | undefined {
  const [head = "", ...known] = current.content.split("\n");
  const [readAs = "", ...found] = before.content.split("\n");
  const [, ...chosen] = after.content.split("\n");
  if (!isFinding(current) || head !== readAs) return undefined;
  const replaced = new Set([...found, ...chosen].map(foldQuote));
  const kept = known.filter((line) => !replaced.has(foldQuote(line)));
  const content = [head, ...[...chosen, ...kept].slice(0, MOST_LINES)].join("\n");
  return content === current.content ? undefined : { ...current, content };
}

/** The active finding of this source, if any. */
export function findKnown(memories: readonly Memory[], { entities, title }: MemoryDraft): Memory | undefined {
  const [name] = entities ?? [];
  return memories.find(
    (memory) =>
      isFinding(memory) &&
      !memory.isForeign &&
      memory.status === "active" &&
      (name === undefined ? memory.title === title : memory.entities[0] === name),
  );
}

/** Findings neither read again nor shown for this many days. */
export function findAged(
  memories: readonly Memory[],
  { days, nowMs, useOf }: { days: number; nowMs: number; useOf(id: string): Use | undefined },
): Memory[] {
  return memories.filter((memory) => {
    if (!isFinding(memory) || memory.isForeign || memory.pinned || memory.status !== "active") return false;
    const lastMs = Math.max(Date.parse(memory.updated) || 0, useOf(memory.id)?.lastMs ?? 0);
    return nowMs - lastMs > days * DAY_MS;
  });
}

function formatQuote({ heading, line, text }: Quote): string {
  const place = heading === undefined ? `line ${line}` : `line ${line}, under ${quote(heading, 80)}`;
  return `- ${place}: ${quote(text, LONGEST_QUOTE)}`;
}

/** The quote without its position, which moves when a page changes. */
const foldQuote = (line: string): string => foldSentence(line.replace(PLACE, ""));
const PLACE = /^- line \d+(?:, under "(?:\\.|[^"\\])*")?: /;

/** Names by which a message refers to the source: its address without the scheme, or its path and file name. */
function planAliases({ isSearch, name }: Source): string[] {
  if (isSearch) return [];
  const bare = name.replace(/^https?:\/\//, "");
  const names = bare === name ? [name, name.split("/").at(-1) ?? name] : [bare];
  return [...new Set(names)].filter((one) => one.length <= LONGEST_ALIAS);
}
