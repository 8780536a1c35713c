/**
 * A small model chooses which sentences of a page answer the request, if the user has set `background.model`.
 * By then the finding with the quotes found by words is on disk; it is kept if no valid answer comes. Asks at the end
 * of the turn, one question at a time.
 */
import { isRecord, parseJson } from "../../../src/base/shape.js";
import { inSlices } from "../../../src/base/slices.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { MemoryDraft } from "../../../src/memory/memory.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";
import { findStrayPivot } from "../../../src/text/support.js";
import { cut } from "../../../src/text/text.js";
import { LAYER } from "../injection/shown.js";
import { type FindingInput, narrowFinding, planFinding } from "./plan-finding.js";
import { findChoice, type Quote } from "./quotes.js";

/** The finding as written. */
export interface KeptFinding {
  id: string;
  draft: MemoryDraft;
  /** What it was made from. */
  input: FindingInput;
}

export interface QuoteChooser {
  /** Keeps the sentences to choose from until the turn ends; does nothing without a model. Never rejects. */
  note(this: void, written: KeptFinding, text: string, asked: string): Promise<void>;
  /** Asks about this session's findings and rewrites them. Rejects with the system's error. */
  choose(this: void, sessionID: string): Promise<void>;
}

export type QuoteChooserOptions = Pick<
  LayerContext,
  "clock" | "config" | "generation" | "log" | "memories" | "prompts"
>;

interface Waiting extends KeptFinding {
  asked: string;
  sentences: readonly Quote[];
}

const PURPOSE = "findings";
const ANSWER_CHARACTERS = 4_000;
const MATERIAL_CHARACTERS = 12_000;
/** Number of findings of all sessions that wait for the end of their turn; older ones are left unchanged. */
const MOST_WAITING = 6;

export function createQuoteChooser(options: QuoteChooserOptions): QuoteChooser {
  const { clock, config, generation, log, memories, prompts } = options;
  let waiting: readonly Waiting[] = [];

  return {
    async note(written, text, asked) {
      if (config.background.model === undefined) return;
      const sentences = await inSlices(clock, findChoice(text, asked, MATERIAL_CHARACTERS));
      const others = waiting.filter(({ id }) => id !== written.id);
      waiting = [...others, { ...written, asked, sentences }].slice(-MOST_WAITING);
    },

    async choose(sessionID) {
      const own = waiting.filter(({ input }) => input.session === sessionID);
      waiting = waiting.filter((one) => !own.includes(one));
      for (const one of own) {
        const quotes = await ask(one, sessionID);
        const draft = quotes && planFinding({ ...one.input, quotes });
        if (!draft) continue;
        const cause = {
          operation: "extract",
          session: sessionID,
          reason: `a model chose the sentences of ${one.input.source.name}`,
        };
        const narrow = (current: Parameters<typeof narrowFinding>[0]) =>
          narrowFinding(current, { before: one.draft, after: draft });
        const written = await memories.update(one.id, narrow, cause);
        if (written.kind === "refused") log.info(LAYER, `finding not changed: ${written.why}`);
      }
    },
  };

  /** `undefined` if no answer comes or it names no sentence. */
  async function ask(
    { asked, id, sentences }: Waiting,
    sessionID: string,
  ): Promise<readonly Quote[] | undefined> {
    if (!(await generation.status()).isAllowed) return undefined;
    const task = await prompts.read("findings");
    const result = await generation.generate({
      purpose: PURPOSE,
      sessionID,
      prompt: `${task}\n\n${formatChoice(asked, sentences)}\n`,
      maxCharacters: ANSWER_CHARACTERS,
    });
    if (result.kind !== "text") {
      log.debug(LAYER, `the sentences of ${id} are not chosen: ${result.why}`);
      return undefined;
    }
    const chosen = readChoice(result.text, sentences);
    const faults = chosen?.faults ?? ["it is not a JSON object with a list of quotes"];
    if (faults.length > 0) log.warn(LAYER, `the model's choice for ${id} is not used: ${faults.join("; ")}`);
    return chosen && chosen.quotes.length > 0 ? chosen.quotes : undefined;
  }
}

/*
 * The question with which a small model chooses quotes, and the check of its answer: only given sentences count, whole
 * or as one continuous part that keeps every number, name, negation and condition. Pure.
 */

export interface Chosen {
  /** In the order of the sentences. Empty if the model found no answer. */
  quotes: readonly Quote[];
  /** What was rejected, and why; for the log. */
  faults: readonly string[];
}

const MOST_CHOSEN = 5;
const LONGEST_ASKED = 1_000;
/** Longer answers are no short list of numbers, and parsing them would block the host. */
const LONGEST_ANSWER = 20_000;
/** Shorter parts say nothing by themselves. */
const LEAST_PART = 20;
const CONDITION =
  /(?<!\p{L})(?:if|when|while|where|whether|unless|provided|for|during|once|since|wenn|falls|sofern|solange|bei|für|si|cuando|quand|lorsque|se|quando|caso|если|когда|при|для)(?!\p{L})|如果|若|当|除非|場合|なら|とき|경우|때/iu;

export function formatChoice(asked: string, sentences: readonly Quote[]): string {
  const request = redactSecrets(cut(asked, LONGEST_ASKED)).text.replace(/[<>]/g, " ");
  const numbered = sentences.map(({ heading, text }, index) => {
    const place = heading === undefined ? "" : `(${heading}) `;
    return `${index + 1}. ${place}${text}`;
  });
  return `<request>\n${request}\n</request>\n\n<sentences>\n${numbered.join("\n").replace(/[<>]/g, " ")}\n</sentences>`;
}

/** `undefined` if the text does not have the form of an answer. */
export function readChoice(text: string, sentences: readonly Quote[]): Chosen | undefined {
  const value = parseObject(text);
  if (!Array.isArray(value?.quotes)) return undefined;
  const quotes = new Map<number, Quote>();
  const faults: string[] = [];
  for (const entry of value.quotes.slice(0, MOST_CHOSEN)) {
    const { from, text: part } = isRecord(entry) ? entry : { from: entry, text: undefined };
    const sentence = typeof from === "number" ? sentences[from - 1] : undefined;
    if (typeof from !== "number" || !sentence) faults.push("it names no sentence");
    else if (part === undefined || part === sentence.text) quotes.set(from, sentence);
    else {
      const shorter = typeof part === "string" ? shorten(sentence.text, part) : undefined;
      if (shorter === undefined) faults.push(`${from} is not shortened as the sentence allows`);
      quotes.set(from, shorter === undefined ? sentence : { ...sentence, text: shorter });
    }
  }
  const inOrder = [...quotes].sort(([a], [b]) => a - b);
  return { quotes: inOrder.map(([, quote]) => quote), faults };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.length > LONGEST_ANSWER) return undefined;
  const value = parseJson(text.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1"));
  return isRecord(value) ? value : undefined;
}

/** The part, with "…" for omissions; `undefined` if it is not part of the sentence or lacks a word that matters. */
function shorten(sentence: string, given: string): string | undefined {
  const part = given.trim().replace(/^…\s*|\s*…$/g, "");
  const at = sentence.indexOf(part);
  if (part.length < LEAST_PART || at === -1) return undefined;
  const [before, after] = [sentence.slice(0, at), sentence.slice(at + part.length)];
  const isInWord = /[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after);
  const isScript = /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}/u.test(sentence);
  if ((isInWord && !isScript) || CONDITION.test(`${before} ${after}`)) return undefined;
  if (findStrayPivot([sentence], part)) return undefined;
  const isEnd = /^[\s.!?。！？"')\]]*$/u.test(after);
  return `${before.trim() === "" ? "" : "…"}${part}${isEnd ? after.trimEnd() : "…"}`;
}
