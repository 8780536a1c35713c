/**
 * A small model chooses which sentences of a page answer the request, if the user has set `background.model`.
 * By then the finding with the quotes found by words is on disk; it is kept if no valid answer comes. Asks at the end
 * of the turn, one question at a time.
 */

import { inSlices } from "../../../src/base/slices.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { MemoryDraft } from "../../../src/memory/memory.js";
import { LAYER } from "../injection/shown.js";
import { formatChoice, readChoice } from "./chosen-quotes.js";
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
