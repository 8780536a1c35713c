/**
 * Extracts the sentences that a person wrote. Omits pasted text: code, quotations, stack traces, logs, diffs, command
 * lines with their output. Line-based and simple: doubtful lines count as pasted.
 */
import { toLine } from "../base/text.js";

/** Characters scanned: a user may write one sentence after a long log. */
const LOOKED_AT = 200_000;
/** Maximum characters of the user's own; a longer text is someone else's. */
const MOST_OWN = 20_000;
/** A longer line is pasted: people do not write such lines by hand. */
const LONGEST_LINE = 4_000;
/** A longer "sentence" is a pasted text. */
export const LONGEST_SENTENCE = 600;
/** Maximum number of sentences read; a text with more was not written to the agent. */
export const MOST_SENTENCES = 500;

const SENTENCE_END = /(?<=[.!?]["')\]]?)(?<!\b(?:e\.g|i\.e|vs|cf|approx|incl|resp|etc)\.)\s+|(?<=[。！？；])/;
const LIST_MARK = /^([-*+•]|\d+[.)、])\s+/;

export interface Line {
  text: string;
  isItem: boolean;
  /** In the same paragraph as the previous line. */
  isJoined: boolean;
  /** Directly after code, a log or a quotation. */
  isBehindPaste: boolean;
}

/** Sentences outside quotations and code, without list markers. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  for (const line of readOwnLines(text)) {
    sentences.push(...splitLine(line.text));
    if (sentences.length >= MOST_SENTENCES) break;
  }
  return sentences.slice(0, MOST_SENTENCES);
}

/** The sentences of one line; skips those with only punctuation. */
export function splitLine(line: string): string[] {
  return line
    .replace(LIST_MARK, "")
    .split(SENTENCE_END)
    .filter((sentence) => sentence.length <= LONGEST_LINE && !/^[\s.!?。！？；…]*$/.test(sentence))
    .map((sentence) => toLine(sentence, LONGEST_SENTENCE))
    .filter((sentence) => sentence !== "" && sentence.length <= LONGEST_SENTENCE);
}

/** A line that was wrapped has this length, no end of a sentence, and goes on in lower case. */
const WRAPPED = 45;
const ENDED = /[.!?。！？:：;；]["')\]”’]*\s*$/;

/** The lines that a person wrote, mapped by `show`, with wrapped lines joined. */
export function readOwnLines(whole: string, show: (line: string) => string = (line) => line): Line[] {
  const lines: Line[] = [];
  let isCode = false;
  let isPasted = false;
  let isOpen = false;
  let isBroken = true;
  let own = 0;
  let isBehindPaste = false;
  const all = whole.slice(0, LOOKED_AT).split("\n");
  let next = showLine(all[0], show);
  for (const index of all.keys()) {
    const line = next ?? "";
    next = showLine(all[index + 1], show);
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    const isTooLong = line.length > LONGEST_LINE;
    const isBlank = line.trim() === "";
    // Lines that follow machine output without a blank line are output too.
    if (isBlank) isPasted = false;
    else if (!isCode && !isTooLong && (isMachineLine(line) || isCommentOfCode(line, next))) isPasted = true;
    if (isFence || isCode || isPasted || isTooLong || isBlank || /^\s*>|^\t|^ {4,}\S/.test(line)) {
      isOpen = false;
      isBroken ||= isBlank;
      isBehindPaste ||= !isBlank;
      continue;
    }
    own += line.length + 1;
    if (own > MOST_OWN) break;
    const last = lines.at(-1);
    const text = line.trim();
    const isGoingOn = last !== undefined && isOpen && /^\s*\p{Ll}/u.test(line);
    if (isGoingOn && last.text.length + line.length < LONGEST_LINE) last.text += ` ${text}`;
    else lines.push({ text, isItem: LIST_MARK.test(text), isJoined: !isBroken, isBehindPaste });
    isOpen = line.length >= WRAPPED && !ENDED.test(line);
    isBehindPaste = false;
    isBroken = false;
  }
  return lines;
}

/** Passes lines through that are too long to be a person's. */
function showLine(line: string | undefined, show: (line: string) => string): string | undefined {
  return line === undefined || line.length > LONGEST_LINE ? line : show(line);
}

/** Lines that no person writes by hand: logs, diffs, traces, compiler output, code. */
const MACHINE_LINES: readonly RegExp[] = [
  /^\s*at \S+ \(|^\s*File ".*", line \d+|^Traceback\b|^\s*Caused by:/,
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s*\[?\d\d:\d\d:\d\d\b|^\w{3} +\d+ \d\d:\d\d:\d\d /,
  /^(\$|❯|➜|PS [A-Z]:\S*>|[^\s@]+@[^\s@:~]+[:~]\S*[$#])\s+\S/,
  /^\s*\[?(ERROR|WARN(ING)?|INFO|DEBUG|FATAL|TRACE|PASS|FAIL|FAILED|CONFLICT|npm (ERR|warn|error|WARN))\b/,
  /^\s*(error|warning|fatal|panic|hint|info|debug|remote|错误|警告)(\[\w+\]| [A-Z]{1,6}\d+)?\s?[:：]/i,
  /^(Your branch (is|and)|On branch \S+$|Changes (not staged|to be committed)|Untracked files:|nothing to commit|Already up to date|Switched to (a new )?branch|HEAD is now at|Everything up-to-date|Auto-merging |Updating [0-9a-f]{6,})|^\s+\(use "/,
  /^\s*[\w.$]*(Error|Exception|Warning|Panic)\b[^a-z]*: /,
  /^\s*(E {2,}\S|-->|=\s(note|help):|\d+ \||\|\s)/,
  /^\s*[✖✗✘✓✔●▲⨯✕]\s*\S|^\s*\d+:\d+\s+(error|warning|info)\b|^\s*(export )?[A-Z][A-Z0-9_]{2,}=\S/,
  /^[\w./-]+: ([\w./-]+: )?(error|fatal|warning|line \d+|command not found|permission denied|no such file|cannot (open|access|stat|find|remove|create|read|exec|execute|connect)\b)/i,
  /\((no-[\w-]+|@?[\w-]+\/[\w-]+|[A-Z]{1,4}\d{3,5})\)\.?$/,
  /^(diff --git |index [0-9a-f]{6,}|@@ |\+\+\+ |--- \S)|^[+-](?![\s-])\S.*[;{}()]$/,
  /^\s*\S+\.\w{1,5}:\d+(:\d+)?\b|^\s*[\w./-]+:\d+(:\d+)?:?\s(.{0,40}\b)?(error|warning|info|style)\b/i,
  /^\s*[[\]{}();]+,?\s*$|^\s*"[\w-]+"\s*:\s*["[{\d]/,
  /[;{]\s*$(?<!\w;)|\)\s*;\s*$|^\s*(import .* from |export (const|default|function|class)\b|const \w+ =|let \w+ =|var \w+ =|(async )?function \w*\(|def \w+\(|class \w+[\s({:].*[{:]$|return\b.*;$|if \(|for \(|while \(|#include|public |private |package \w+;|using \w+;|func \w+\(|fn \w+\()/,
  /^\s*(\/\*|\*\/|\/\/|--\s|#!|<!--)|^\s*(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE|ALTER|DROP) [^a-z]*\b/,
  /^\s*<\/?[a-z][\w-]*(\s[^>]*)?>/i,
];

/** `# Never do this` over `x = 1` */
function isCommentOfCode(line: string, next: string | undefined): boolean {
  if (!/^\s*(#|;|%) /.test(line) || next === undefined || next.length > LONGEST_LINE) return false;
  return CODE_BELOW.test(next) || COMMAND_BELOW.test(next) || isMachineLine(next);
}

/** A few words without a full stop, one of which is never prose: `gunicorn app:app --reload` */
const COMMAND_BELOW = /^(?=.*([\w.]:\w|--\w|\s-\w|\w\/\w|\w_\w))[a-z][\w.-]*( [-\w./:=@]+){1,8}$/;

const CODE_BELOW =
  /^\s*([\w.]+(\[[^\]]*\])? ?[-+*/|:]?= ?\S|[\w.]+\(.*\)[;,]?\s*$|(sudo|apt|npm|npx|pip|git|docker|kubectl|curl|make|cd|rm|chmod) \S|(from|import|with|raise|return|if|for|while|assert) .*)/;

/** Share of brackets and the like in a line above which it is code. */
const MOST_SIGNS = 0.12;
const LEAST_SIGNS = 5;

function isMachineLine(line: string): boolean {
  const signs = line.match(/[{}()[\];=<>|\\]/g)?.length ?? 0;
  if (signs >= LEAST_SIGNS && signs / line.length >= MOST_SIGNS) return true;
  return MACHINE_LINES.some((pattern) => pattern.test(line));
}
