/**
 * A finding as a memory, one for each source:
 *
 *     title     Rate limits, https://example.com/limits
 *     content   Read on 2026-11-22 for "How many requests may a client send?"
 *               - line 12, under "Limits": "Each client may send 60 requests a minute."
 */
import { DAY_MS, formatDay } from "../../../src/base/days.js";
import { isRecord, parseJson } from "../../../src/base/shape.js";
import { cut, foldSentence, quote } from "../../../src/base/text.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import { FINDING, isFinding, type Memory, type MemoryDraft } from "../../../src/memory/memory.js";
import type { Use } from "../../../src/memory/rank.js";
import { createSplitter } from "../../../src/recall/terms.js";
import { redactSecrets, toSafeLine } from "../../../src/text/secrets/secrets.js";
import { LAYER } from "../injection/boot.js";
import type { Source } from "./source.js";

/** A source as read by one call. */
export interface Read {
  source: Source;
  session: string;
  /** Id of the message with the call. */
  message: string;
  /** The user's request. */
  asked: string;
  atMs: number;
}

/** A finding on disk whose sentences a model may choose at the end of the turn. */
interface Open {
  id: string;
  draft: MemoryDraft;
  read: Read;
  choice: readonly Quote[];
}

/** Of all sessions; older ones stay as they are. */
const MOST_OPEN = 6;
const ANSWER_CHARACTERS = 4_000;

/** Calls reject with the system's error; refusals are logged. */
export function createFindingKeeper(options: LayerContext) {
  const { clock, config, log, memories } = options;
  let open: readonly Open[] = [];

  return {
    /** Keeps the quotes of a reading. `said`: what the agent said about a source that only it has seen. */
    async keep(read: Read, said?: string): Promise<void> {
      const { session, source } = read;
      const asked = source.isSearch ? `${read.asked}\n${source.title}` : read.asked;
      const { choice, found } = findQuotes(source.text ?? "", asked);
      const planned = planFinding(read, found, said);
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
      const { id } = written.memory;
      log.debug(LAYER, `${id}: ${written.kind}`);
      if (config.background.model === undefined || choice.length === 0) return;
      open = [...open.filter((one) => one.id !== id), { id, draft, read, choice }].slice(-MOST_OPEN);
    },

    /**
     * A small model says which sentences of the session's findings answer the request, if the user has named one in
     * `background.model`; without a valid answer the quotes found by words stay.
     */
    async choose(sessionID: string): Promise<void> {
      const own = open.filter(({ read }) => read.session === sessionID);
      open = open.filter((one) => !own.includes(one));
      for (const one of own) {
        const quotes = await askModel(options, one);
        const draft = quotes && planFinding(one.read, quotes);
        if (!draft) continue;
        const reason = `a model chose the sentences of ${one.read.source.name}`;
        const cause = { operation: "extract", session: sessionID, reason };
        const change = (current: Memory) => mergeFinding(current, draft, one.draft);
        const written = await memories.update(one.id, change, cause);
        if (written.kind === "refused") log.info(LAYER, `finding not changed: ${written.why}`);
      }
    },

    /** Archives findings unused for `FINDINGS_DAYS`. Deletes nothing. */
    async archiveAged(): Promise<void> {
      const aged = findAged(await memories.list(), { nowMs: clock.now(), useOf: memories.useOf });
      const cause = { operation: "archive", reason: `not used for ${FINDINGS_DAYS} days` };
      for (const { id } of aged) await memories.archive(id, cause);
      if (aged.length > 0)
        log.info(LAYER, `${aged.length} findings archived: unused for ${FINDINGS_DAYS} days`);
    },
  };
}

async function askModel(
  { generation, log, prompts }: LayerContext,
  { choice, id, read }: Open,
): Promise<readonly Quote[] | undefined> {
  if (!(await generation.status()).isAllowed) return undefined;
  const result = await generation.generate({
    purpose: "findings",
    sessionID: read.session,
    prompt: `${await prompts.read("findings")}\n\n${formatChoice(read.asked, choice)}\n`,
    maxCharacters: ANSWER_CHARACTERS,
  });
  if (result.kind !== "text") {
    log.debug(LAYER, `the sentences of ${id} are not chosen: ${result.why}`);
    return undefined;
  }
  const chosen = readChoice(result.text, choice);
  if (!chosen) log.warn(LAYER, `the model's choice for ${id} is no JSON object with a list of quotes`);
  return chosen && chosen.length > 0 ? chosen : undefined;
}

/** Lower than any other memory's, so that an index lists findings last. */
const IMPORTANCE = 0.2;
const LONGEST_ASKED = 160;
const LONGEST_QUOTE = 400;
const LONGEST_ALIAS = 110;
/** Maximum number of quotes in a finding; the newest reading's come first. */
const MOST_KEPT = 8;

/** `undefined` if there is nothing to quote. */
function planFinding(read: Read, quotes: readonly Quote[], said?: string): MemoryDraft | undefined {
  const { asked, atMs, message, session, source } = read;
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

/**
 * The finding with the lines of this reading first, without those of `replaced`; `undefined` if that adds nothing, or if
 * the finding has another reading than `replaced` by now.
 */
function mergeFinding(current: Memory, draft: MemoryDraft, replaced?: MemoryDraft): Memory | undefined {
  const [head = "", ...fresh] = draft.content.split("\n");
  const [readAs, ...known] = current.content.split("\n");
  const [, ...old] = replaced?.content.split("\n") ?? [];
  if (replaced && (readAs !== head || !isFinding(current))) return undefined;
  const has = (lines: readonly string[], line: string): boolean =>
    lines.some((one) => foldQuote(one) === foldQuote(line));
  if (!replaced && fresh.every((line) => has(known, line))) return undefined;
  const kept = known.filter((line) => line.startsWith("- ") && !has(fresh, line) && !has(old, line));
  const content = [head, ...[...fresh, ...kept].slice(0, MOST_KEPT)].join("\n");
  return content === current.content ? undefined : { ...current, content, provenance: draft.provenance };
}

/** The active finding of this source, if any. */
function findKnown(memories: readonly Memory[], { entities, title }: MemoryDraft): Memory | undefined {
  const [name] = entities ?? [];
  return memories.find((memory) => {
    const isOwn = isFinding(memory) && !memory.isForeign && memory.status === "active";
    return isOwn && (name === undefined ? memory.title === title : memory.entities[0] === name);
  });
}

/** Days after which an unused finding is archived. */
const FINDINGS_DAYS = 30;

/** Findings neither read again nor shown for so long. */
export function findAged(
  memories: readonly Memory[],
  { nowMs, useOf }: { nowMs: number; useOf(id: string): Use | undefined },
): Memory[] {
  return memories.filter((memory) => {
    if (!isFinding(memory) || memory.isForeign || memory.pinned || memory.status !== "active") return false;
    const lastMs = Math.max(Date.parse(memory.updated) || 0, useOf(memory.id)?.lastMs ?? 0);
    return nowMs - lastMs > FINDINGS_DAYS * DAY_MS;
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

/* Chooses the sentences of a text that answer a request: by its rare words, or by a small model among the best of these. Pure. */

export interface Quote {
  /** Line number in the tool's output, from 1. */
  line: number;
  /** Heading above it, if any. */
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
/** Characters of the sentences among which a model chooses. */
const MATERIAL_CHARACTERS = 12_000;

export interface Quotes {
  /** The quotes found by words. */
  found: readonly Quote[];
  /** The sentences among which a model may choose, those included: the best ones that fit into its question. */
  choice: readonly Quote[];
}

/** Both in the order of the text. */
export function findQuotes(text: string, asked: string, mostCharacters = MATERIAL_CHARACTERS): Quotes {
  const ranked = rank(splitSentences(text), asked);
  const best = ranked[0]?.weight ?? 0;
  const found: Quote[] = [];
  const choice: Quote[] = [];
  const said = new Set<string>();
  let characters = 0;
  for (const { quote, weight } of ranked) {
    const { heading = "", text } = quote;
    if (characters > mostCharacters - LONGEST) break;
    const folded = foldSentence(text);
    if (said.has(folded) || !isFact(text)) continue;
    said.add(folded);
    characters += heading.length + text.length;
    choice.push(quote);
    const most = best > 0 ? MOST_QUOTES : MOST_LEADING;
    if (found.length < most && weight >= LEAST_SHARE * best) found.push(quote);
  }
  const inOrder = (quotes: Quote[]): Quote[] => quotes.sort((a, b) => a.line - b.line);
  return { found: inOrder(found), choice: inOrder(choice) };
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
      heading = isFact(title) ? title.slice(0, LONGEST_HEADING).trimEnd() : undefined;
      return [];
    }
    return line
      .replace(/^([-*+>|]|\d+[.)])\s+/, "")
      .split(BETWEEN_SENTENCES)
      .map((one) => ({ line: index + 1, ...(heading !== undefined && { heading }), text: one.trim() }))
      .filter((one) => isSentence(one.text));
  });
}

/** Without markup: tags, links, emphasis. */
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

/* The question with which a small model chooses quotes, and the check of its answer: only given sentences count. */

const MOST_OF_REQUEST = 1_000;
/** Longer answers are no short list of numbers, and parsing them would block the host. */
const LONGEST_ANSWER = 20_000;

/** Neither the request nor a sentence can close its part. */
export function formatChoice(asked: string, sentences: readonly Quote[]): string {
  const request = redactSecrets(cut(asked, MOST_OF_REQUEST)).text.replace(/[<>]/g, " ");
  const numbered = sentences.map(({ heading, text }, index) => {
    const place = heading === undefined ? "" : `(${heading}) `;
    return `${index + 1}. ${place}${text}`;
  });
  return `<request>\n${request}\n</request>\n\n<sentences>\n${numbered.join("\n").replace(/[<>]/g, " ")}\n</sentences>`;
}

/** The chosen sentences in their order; empty if the model found no answer. `undefined` if the text has not the form of an answer. */
export function readChoice(text: string, sentences: readonly Quote[]): readonly Quote[] | undefined {
  if (text.length > LONGEST_ANSWER) return undefined;
  const value = parseJson(text.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1"));
  if (!isRecord(value) || !Array.isArray(value.quotes)) return undefined;
  const places = value.quotes
    .slice(0, MOST_QUOTES)
    .map((entry) => Number(isRecord(entry) ? entry.from : entry));
  const chosen = new Set(places.flatMap((place) => sentences[place - 1] ?? []));
  return sentences.filter((sentence) => chosen.has(sentence));
}
