/** Stores what the user said, each sentence once. */
import { planDraft, readLatest, type WaitingCandidate } from "../../../src/candidates/candidate.js";
import type { FindSimilar, Gate } from "../../../src/gate/gate.js";
import type { LayerContext } from "../../../src/layer-context.js";
import type { Memory } from "../../../src/memory/memory.js";
import type { MemoryStore } from "../../../src/memory/store.js";
import { inSlices, type SliceClock, type Sliced } from "../../../src/slices.js";
import { compareStatements } from "../../../src/statement/compare.js";
import type { Signal } from "../signals/find-signals.js";
import type { SaidTurn } from "./extract-turns.js";
import { type SaidDraft, toCandidate } from "./said-drafts.js";

export interface SaidKeeper {
  /** Saves in order; rejects with the store's error. */
  save(sessionID: string, drafts: readonly SaidDraft[]): Promise<void>;
  /**
   * Stores the candidates, and saves those that the user has said in two sessions; returns the latter. Rejects with the
   * system's error.
   */
  offer(sessionID: string, turns: readonly SaidTurn[]): Promise<readonly WaitingCandidate[]>;
  /**
   * Drops signals and candidates that already have a memory; an archived one does not come back. A candidate also has one
   * if an active memory says the same.
   */
  dropKnown(turns: readonly SaidTurn[]): Promise<SaidTurn[]>;
}

const LAYER = "auto-memory";

export interface SaidKeeperContext extends Pick<LayerContext, "candidates" | "log"> {
  clock: SliceClock;
  gate: Pick<Gate, "save">;
  memories: Pick<MemoryStore, "list">;
  /** Default: compare all memories. */
  findSimilar?: FindSimilar;
}

const MOST_SIMILAR = 20;

export function createSaidKeeper(context: SaidKeeperContext): SaidKeeper {
  const { candidates, clock, findSimilar, gate, log, memories } = context;
  return { dropKnown, offer, save };

  async function save(
    sessionID: string,
    drafts: readonly SaidDraft[],
    reason = "the user said it",
  ): Promise<void> {
    for (const { draft, saidMs } of drafts) {
      const cause = { operation: "extract", session: sessionID, reason };
      const written = await gate.save(draft, saidMs, cause);
      if (written.kind === "refused") log.info(LAYER, `not remembered: ${written.why}`);
      else log.debug(LAYER, `${written.memory.id}: ${written.kind}`);
    }
  }

  async function offer(sessionID: string, turns: readonly SaidTurn[]): Promise<readonly WaitingCandidate[]> {
    const found = turns.flatMap((turn) => turn.candidates.map((one) => toCandidate(one, turn, sessionID)));
    if (found.length === 0) return [];
    const agreed = await candidates.offer(found);
    for (const one of agreed) {
      const draft = planDraft(one);
      const saidMs = readLatest(one)?.saidMs ?? clock.now();
      if (draft) await save(sessionID, [{ draft, saidMs }], "the user said it in two sessions");
      await candidates.settle([one.id]);
    }
    return agreed;
  }

  async function dropKnown(turns: readonly SaidTurn[]): Promise<SaidTurn[]> {
    if (turns.every(({ candidates, signals }) => signals.length + candidates.length === 0)) return [];
    // A memory from an agent or a repository does not keep the user's own words from being saved.
    const own = (await memories.list({ archived: true })).filter(({ isForeign }) => !isForeign);
    const known = new Set(own.map(({ provenance }) => `${provenance.message} ${provenance.evidence}`));
    const isNews = (turn: SaidTurn) => (signal: Signal) => !known.has(`${turn.messageID} ${signal.text}`);
    const active = own.filter(({ status }) => status === "active");
    const news: SaidTurn[] = [];
    for (const turn of turns) {
      const found: Signal[] = [];
      for (const one of turn.candidates.filter(isNews(turn)))
        if (!(await isRemembered(one.text, active))) found.push(one);
      news.push({ ...turn, signals: turn.signals.filter(isNews(turn)), candidates: found });
    }
    return news;
  }

  async function isRemembered(text: string, active: readonly Memory[]): Promise<boolean> {
    const similar = await findSimilar?.(text, { limit: MOST_SIMILAR });
    const ids = similar && new Set(similar.map(({ id }) => id));
    const near = ids ? active.filter(({ id }) => ids.has(id)) : active;
    return inSlices(clock, isSaidBy(text, near));
  }
}

function* isSaidBy(text: string, memories: readonly Memory[]): Sliced<boolean> {
  for (const { content } of memories) {
    yield;
    if (compareStatements(text, content) === "same") return true;
  }
  return false;
}
