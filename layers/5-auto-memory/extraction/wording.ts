/** Words what is to be remembered: by a model where that may be called and is believed, else as the user said it. */
import type { LayerContext } from "../../../src/layer-context.js";
import { type MemoryDraft, usersTypes } from "../../../src/memory/memory.js";
import { inSlices } from "../../../src/slices.js";
import { formatTitle } from "../signals/title.js";
import { formatMaterial, parseAnswer, type Worded } from "./extract-answer.js";
import type { SaidTurn } from "./extract-turns.js";

/** What is to be remembered of these turns, in order. */
export type Wording = (
  sessionID: string,
  turns: readonly SaidTurn[],
  options: { withModel: boolean },
) => Promise<{ draft: MemoryDraft; saidMs: number }[]>;

const PURPOSE = "memory extraction";
const ANSWER_CHARACTERS = 12_000;

export function createWording({
  clock,
  generation,
  log,
  prompts,
}: Pick<LayerContext, "clock" | "generation" | "log" | "prompts">): Wording {
  return async (sessionID, turns, { withModel }) => {
    const found = turns.flatMap((turn) => turn.signals.map((signal) => ({ signal, turn })));
    if (found.length === 0) return [];
    const signals = found.map(({ signal }) => signal);
    const answer = withModel ? await ask(sessionID, turns, signals) : undefined;
    return found.flatMap(({ signal, turn }, place) => {
      if (answer?.ignored.has(place)) return [];
      const worded = answer?.worded.get(place) ?? {
        type: signal.type,
        title: formatTitle(signal.text),
        content: signal.text,
        aliases: [],
        when: [],
      };
      const how = answer?.worded.has(place) ? "model" : "signal";
      return [{ draft: draftOf({ worded, signal, turn, sessionID, how }), saidMs: turn.saidMs }];
    });
  };

  async function ask(
    sessionID: string,
    turns: readonly SaidTurn[],
    signals: readonly SaidTurn["signals"][number][],
  ) {
    if (!(await generation.status()).isAllowed) return undefined;
    const task = await prompts.read("memory-extraction");
    const texts = turns.filter((turn) => turn.signals.length > 0).map(({ text }) => text);
    const material = await inSlices(clock, formatMaterial(texts, signals));
    const result = await generation.generate({
      purpose: PURPOSE,
      sessionID,
      prompt: `${task}\n\n${material}\n`,
      maxCharacters: ANSWER_CHARACTERS,
    });
    if (result.kind !== "text") {
      log.debug("auto-memory", `the user's words are kept as they are: ${result.why}`);
      return undefined;
    }
    const answer = parseAnswer(result.text, signals);
    if (answer.faults.length > 0)
      log.warn(
        "auto-memory",
        `the model's wording is not used for ${sessionID}: ${answer.faults.join("; ")}`,
      );
    return answer;
  }
}

interface DraftParts {
  worded: Omit<Worded, "evidence">;
  signal: SaidTurn["signals"][number];
  turn: SaidTurn;
  sessionID: string;
  how: "model" | "signal";
}

function draftOf({ how, sessionID, signal, turn, worded }: DraftParts): MemoryDraft {
  if ([worded.type, signal.type].some((type) => usersTypes.has(type)) && how === "model")
    return draftOf({ how: "signal", sessionID, signal, turn, worded: keepWords(worded, signal) });
  const { aliases, content, title, type, when } = worded;
  return {
    type,
    title,
    content,
    aliases,
    when: [...new Set([...signal.when, ...when])],
    // The whole sentence, also where a model has quoted a part of it: it is what the same words are known by.
    provenance: { by: "user", session: sessionID, message: turn.messageID, evidence: signal.text, how },
  };
}

/** What a model may say of a rule of the user's: which kind it is, and by what else it is found. */
function keepWords({ aliases, type }: Omit<Worded, "evidence">, { text }: DraftParts["signal"]) {
  return { type, title: formatTitle(text), content: text, aliases, when: [] };
}
