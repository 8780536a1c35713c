/** Stores what the user said, each sentence once. */
import type { Gate } from "../../../src/gate/gate.js";
import type { LayerContext } from "../../../src/layer-context.js";
import type { MemoryStore } from "../../../src/memory/store.js";
import type { Signal } from "../signals/find-signals.js";
import type { SaidTurn } from "./extract-turns.js";
import type { SaidDraft } from "./said-drafts.js";

export interface SaidKeeper {
  /** Saves in order; rejects with the store's error. */
  save(sessionID: string, drafts: readonly SaidDraft[]): Promise<void>;
  /** Drops signals and candidates that already have a memory; an archived one does not come back. */
  dropKnown(turns: readonly SaidTurn[]): Promise<SaidTurn[]>;
}

const LAYER = "auto-memory";

export function createSaidKeeper(context: {
  gate: Pick<Gate, "save">;
  log: LayerContext["log"];
  memories: Pick<MemoryStore, "list">;
}): SaidKeeper {
  const { gate, log, memories } = context;
  return { dropKnown, save };

  async function save(sessionID: string, drafts: readonly SaidDraft[]): Promise<void> {
    for (const { draft, saidMs } of drafts) {
      const cause = { operation: "extract", session: sessionID, reason: "the user said it" };
      const written = await gate.save(draft, saidMs, cause);
      if (written.kind === "refused") log.info(LAYER, `not remembered: ${written.why}`);
      else log.debug(LAYER, `${written.memory.id}: ${written.kind}`);
    }
  }

  async function dropKnown(turns: readonly SaidTurn[]): Promise<SaidTurn[]> {
    if (turns.every(({ candidates, signals }) => signals.length + candidates.length === 0)) return [];
    // A memory from an agent or a repository does not keep the user's own words from being saved.
    const own = (await memories.list({ archived: true })).filter(({ isForeign }) => !isForeign);
    const known = new Set(own.map(({ provenance }) => `${provenance.message} ${provenance.evidence}`));
    const isNews = (turn: SaidTurn) => (signal: Signal) => !known.has(`${turn.messageID} ${signal.text}`);
    return turns.map((turn) => ({
      ...turn,
      signals: turn.signals.filter(isNews(turn)),
      candidates: turn.candidates.filter(isNews(turn)),
    }));
  }
}
