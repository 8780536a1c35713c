/**
 * A finding as a memory, one for each source:
 *
 *     title     Rate limits, https://example.com/limits
 *     content   Read on 2026-11-22 for "How many requests may a client send?"
 *               - line 12, under "Limits": "Each client may send 60 requests a minute."
 */
import { basename, isAbsolute } from "node:path";
import { DAY_MS, formatDay } from "../../../src/base/days.js";
import { cut, foldSentence, quote, shortenPath } from "../../../src/base/text.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { checkDraft, TAKES_OVER } from "../../../src/memory/gate/gate.js";
import { FINDING, isFinding, type Memory, type MemoryDraft } from "../../../src/memory/memory.js";
import { isChangingTool, mayShowSecrets, readInput, readText } from "../../../src/messages/call.js";
import type { Result } from "../../../src/messages/history.js";
import { createSplitter } from "../../../src/recall/terms.js";
import { findSecrets, toSafeLine } from "../../../src/text/secrets/secrets.js";
import { LAYER } from "../injection/boot.js";

export interface Read {
  source: Source;
  session: string;
  message: string;
  asked: string;
  atMs: number;
}

/** Calls reject with the system's error; refusals are logged. */
export function createFindingKeeper(options: LayerContext) {
  const { clock, log, memories } = options;

  return {
    async keep(read: Read): Promise<void> {
      const { session, source } = read;
      const asked = source.isSearch ? `${read.asked}\n${source.title}` : read.asked;
      const planned = planFinding(read, findQuotes(source.text, asked));
      const checked = planned && checkDraft(planned);
      if (!checked) return;
      if (checked.kind === "refused") return log.info(LAYER, `finding not kept: ${checked.why}`);
      const { draft } = checked;
      const cause = { operation: "extract", session, reason: `read ${source.name}` };
      const known = findKnown(await memories.list(), draft);
      // Not compared with other memories: a page changes none of them, and each quote belongs to one page.
      const written = known
        ? await memories.update(known.id, (current) => mergeFinding(current, draft), cause)
        : await memories.remember(draft, cause);
      // Reading an unchanged page again counts as use.
      if (known) memories.noteUse([known.id]);
      if (written.kind === "refused") return log.info(LAYER, `finding not kept: ${written.why}`);
      log.debug(LAYER, `${written.memory.id}: ${written.kind}`);
    },

    /** Archives findings neither read again nor shown for `FINDINGS_DAYS`. Deletes nothing. */
    async archiveAged(): Promise<void> {
      const nowMs = clock.now();
      const aged = (await memories.list()).filter(({ id, pinned, updated, ...memory }) => {
        const lastMs = Math.max(Date.parse(updated) || 0, memories.useOf(id)?.lastMs ?? 0);
        return isOwnFinding(memory) && !pinned && nowMs - lastMs > FINDINGS_DAYS * DAY_MS;
      });
      const cause = { operation: "archive", reason: `not used for ${FINDINGS_DAYS} days` };
      for (const { id } of aged) await memories.archive(id, cause);
      if (aged.length > 0)
        log.info(LAYER, `${aged.length} findings archived: unused for ${FINDINGS_DAYS} days`);
    },
  };
}

const FINDINGS_DAYS = 30;

const isOwnFinding = (memory: Pick<Memory, "isForeign" | "provenance" | "status" | "tags">): boolean =>
  isFinding(memory) && !memory.isForeign && memory.status === "active";

/** Lower than any other memory's, so that an index lists findings last. */
const IMPORTANCE = 0.2;
const LONGEST_ASKED = 160;
const LONGEST_QUOTE = 400;
const LONGEST_ALIAS = 110;
/** Maximum number of quotes in a finding; the newest reading's come first. */
const MOST_KEPT = 8;

function planFinding(read: Read, quotes: readonly Quote[]): MemoryDraft | undefined {
  const { asked, atMs, message, session, source } = read;
  const lines = quotes.map(formatQuote);
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

/** The finding with the lines of this reading first; `undefined` if that adds nothing. */
function mergeFinding(current: Memory, draft: MemoryDraft): Memory | undefined {
  const [head = "", ...fresh] = draft.content.split("\n");
  const [, ...known] = current.content.split("\n");
  const has = (lines: readonly string[], line: string): boolean =>
    lines.some((one) => foldQuote(one) === foldQuote(line));
  if (fresh.every((line) => has(known, line))) return undefined;
  const kept = known.filter((line) => line.startsWith("- ") && !has(fresh, line));
  const content = [head, ...[...fresh, ...kept].slice(0, MOST_KEPT)].join("\n");
  return { ...current, content, provenance: draft.provenance };
}

/** The active finding of this source, if any. */
function findKnown(memories: readonly Memory[], { entities, title }: MemoryDraft): Memory | undefined {
  const [name] = entities ?? [];
  const isSame = (memory: Memory): boolean =>
    name === undefined ? memory.title === title : memory.entities[0] === name;
  return memories.find((memory) => isOwnFinding(memory) && isSame(memory));
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

/* Chooses the sentences of a text that answer a request, by its rare words. Pure. */

interface Quote {
  /** Line number in the tool's output, from 1. */
  line: number;
  heading?: string;
  text: string;
}

const MOST_QUOTES = 5;
/** Share of the best weight; sentences below it have only the request's common words. */
const LEAST_SHARE = 0.4;
/** Number of quotes, from the beginning, of a text that shares no word with the request. */
const MOST_LEADING = 2;
/** A sentence with a number says more than one without. */
const NUMBER_GAIN = 0.5;
export function findQuotes(text: string, asked: string): Quote[] {
  const ranked = rank(splitSentences(text), asked);
  const best = ranked[0]?.weight ?? 0;
  const most = best > 0 ? MOST_QUOTES : MOST_LEADING;
  const said = new Set<string>();
  const found: Quote[] = [];
  for (const { quote, weight } of ranked) {
    if (found.length === most || weight < LEAST_SHARE * best) break;
    const folded = foldSentence(quote.text);
    if (said.has(folded) || !isFact(quote.text)) continue;
    said.add(folded);
    const { heading = "", ...bare } = quote;
    const title = heading.slice(0, LONGEST_HEADING).trimEnd();
    found.push(title !== "" && isFact(heading) ? { ...bare, heading: title } : bare);
  }
  return found.sort((a, b) => a.line - b.line);
}

/** Best first; the weight is 0 if none shares a word with the request. */
function rank(quotes: readonly Quote[], asked: string): { quote: Quote; weight: number }[] {
  const split = createSplitter();
  const sentences = quotes.map((quote) => ({ quote, terms: new Set(split(quote.text)) }));
  const rarity = new Map(
    split(asked).map((term) => {
      const having = sentences.filter(({ terms }) => terms.has(term)).length;
      return [term, Math.log(1 + sentences.length / Math.max(1, having))] as const;
    }),
  );
  return sentences
    .map(({ quote, terms }) => {
      const hits = [...rarity].filter(([term]) => terms.has(term));
      const gain = hits.length > 0 && /\d/.test(quote.text) ? NUMBER_GAIN : 0;
      return { quote, weight: hits.reduce((sum, [, one]) => sum + one, gain) };
    })
    .sort((a, b) => b.weight - a.weight || a.quote.line - b.quote.line);
}

/** False for orders and for text with a secret. */
function isFact(text: string): boolean {
  const checked = checkDraft({ type: "knowledge", content: text, provenance: { by: "tool" } });
  return checked.kind === "fit" && checked.draft.content === text;
}

const MOST_LINES = 20_000;
/** Characters read of a line; longer lines are data or minified code. */
const LONGEST_LINE = 5_000;
const [SHORTEST, LONGEST] = [20, 400];
const LEAST_WORDS = 4;
const LONGEST_HEADING = 80;
const BETWEEN_SENTENCES = /(?<=[.!?]["')\]]?)\s+(?=["'(\p{Lu}\p{N}])|(?<=[。！？])/u;

function splitSentences(text: string): Quote[] {
  let heading: string | undefined;
  return text.split("\n", MOST_LINES).flatMap((raw, index): Quote[] => {
    const line = toPlain(raw.slice(0, LONGEST_LINE));
    const [, title] = /^#{1,6}\s+(.+)$/.exec(line) ?? [];
    if (title !== undefined) {
      heading = title;
      return [];
    }
    return line
      .replace(/^([-*+>|]|\d+[.)])\s+/, "")
      .split(BETWEEN_SENTENCES)
      .map((one) => ({ line: index + 1, ...(heading !== undefined && { heading }), text: one.trim() }))
      .filter((one) => isSentence(one.text));
  });
}

function toPlain(line: string): string {
  return line
    .replace(/<[^<>]{1,300}>/g, " ")
    .replace(/!?\[([^[\]]{0,300})\]\([^()\s]{0,500}\)/g, "$1")
    .replace(/[*`]+|(?<!\w)_+|_+(?!\w)/g, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

function isSentence(text: string): boolean {
  if (text.length < SHORTEST || text.length > LONGEST) return false;
  return text.split(" ").length >= LEAST_WORDS || /\p{sc=Han}{8}|\p{sc=Hiragana}{4}/u.test(text);
}

/*
 * The source that a tool call read outside the project: a page, search results or a document. Pure.
 *
 *     webfetch, websearch      by URL or query
 *     bash                     pdftotext
 *     tools of MCP servers     with a name for reading, by URL, path or query
 */

interface Source {
  /** URL without user and fragment, path as the notes spell it, or query. */
  name: string;
  title: string;
  text: string;
  isSearch?: true;
}

/** Shorter texts are messages such as "not found". */
const LEAST_TEXT = 120;
const MOST_TEXT = 150_000;
const LONGEST_NAME = 300;
const LONGEST_TITLE = 90;
const DOCUMENT = /\.(pdf|docx?|odt|pptx?|odp|xlsx?|ods|epub|png|jpe?g|gif|webp|bmp|tiff?)$/i;
const PRINTED = /\bpdftotext\s+(?:-\w+\s+(?:\d+\s+)?)*("[^"]+"|'[^']+'|[^\s;|&]+)/;
/** Names of an MCP server's tools that read, and of tools that write. */
const READING = /(fetch|read|get|scrape|crawl|browse|extract|search|navigate|snapshot|open|docs?|resource)/i;
const WRITING =
  /(^|[_-])(create|update|write|delete|remove|post|send|edit|commit|push|merge|click|fill)(?=[_\-A-Z]|$)/;
/** Our own, and those for secrets. */
const NEVER_READ = /^memory_|secret|password|credential|vault|keychain|1password|bitwarden/i;
const LETS_IN =
  /token|secret|passw|pwd|signature|credential|session|ticket|(^|[_.-])(api)?[_.-]?(key|sig|auth|sid|jwt|otp|code|state|nonce)$|^apikey$/i;

/** `undefined` if the call read no such source, failed, or may show secrets. */
export function readSource(
  { part, text }: Pick<Result, "part" | "text">,
  project: string,
): Source | undefined {
  const { state, tool } = part;
  if (state.status !== "completed" || text.length < LEAST_TEXT || mayShowSecrets(part)) return undefined;
  const input = readInput(part);
  if (tool === "webfetch") return readPage(readText(input, "url"), text);
  if (tool === "websearch") return readSearch(readText(input, "query"), text);
  if (tool === "bash") return readPrinted(readText(input, "command"), text, project);
  if (!tool.includes("_") || isChangingTool(tool) || NEVER_READ.test(tool)) return undefined;
  if (!READING.test(tool) || WRITING.test(tool)) return undefined;
  const target = readText(input, "url", "uri", "path", "file", "filePath", "file_path");
  if (target === undefined) return readSearch(readText(input, "query", "q"), text);
  if (/^https?:/i.test(target)) return readPage(target, text);
  if (findSecrets(target).length > 0 || /^[a-z][\w+.-]*:\/\/[^/]*@/i.test(target)) return undefined;
  const document = readDocument(target, project);
  // The project's own text can be read again at any time.
  if (document && !isAbsolute(document.name) && !DOCUMENT.test(document.name)) return undefined;
  return document && withText(document, text);
}

function readPage(url: string | undefined, text: string): Source | undefined {
  const name = url === undefined ? undefined : cleanUrl(url);
  return name === undefined ? undefined : withText({ name, title: name }, text);
}

function readSearch(query: string | undefined, text: string): Source | undefined {
  if (query === undefined || findSecrets(cut(query, LONGEST_NAME)).length > 0) return undefined;
  const title = `Search for ${quote(query, LONGEST_TITLE)}`;
  return { name: title, title, text: cut(text, MOST_TEXT), isSearch: true };
}

function readPrinted(command = "", text: string, project: string): Source | undefined {
  const path = PRINTED.exec(cut(command, 2_000))?.[1]?.replace(/^["']|["']$/g, "");
  const document = path === undefined || path === "-" ? undefined : readDocument(path, project);
  return document && { ...document, text: cut(text, MOST_TEXT) };
}

function readDocument(path: string, project: string): Omit<Source, "text"> | undefined {
  const name = shortenPath(path, project);
  if (name.length > LONGEST_NAME || findSecrets(name).length > 0) return undefined;
  return { name, title: basename(name) };
}

function withText({ name, title }: Omit<Source, "text">, text: string): Source {
  const heading = findHeading(text);
  return { name, title: heading === undefined ? title : `${heading}, ${name}`, text: cut(text, MOST_TEXT) };
}

/** The page's own title; `undefined` if it has none, or one that addresses the model. */
function findHeading(text: string): string | undefined {
  const head = cut(text, 20_000);
  const [, title, heading] = /<title[^>]{0,200}>([^<]{1,300})<|^#{1,2} +(\S.*)$/im.exec(head) ?? [];
  const line = toSafeLine((title ?? heading ?? "").replace(/[*`#]+/g, ""), LONGEST_TITLE);
  return line === "" || TAKES_OVER.test(line) ? undefined : line;
}

/** Without user, fragment, and any query with a secret; `undefined` if it is no web address. */
function cleanUrl(url: string): string | undefined {
  if (url.length > 4_000 || !URL.canParse(url)) return undefined;
  const { origin, pathname, protocol, search, searchParams } = new URL(url);
  if (!/^https?:$/.test(protocol)) return undefined;
  const page = `${origin}${pathname === "/" ? "" : pathname}`;
  const letsIn = [...searchParams.keys()].some((name) => LETS_IN.test(name));
  const names = letsIn ? [page] : [`${page}${search}`, page];
  return names.find((name) => name.length <= LONGEST_NAME && findSecrets(name).length === 0);
}
