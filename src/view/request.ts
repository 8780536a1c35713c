import { type History, readHistory } from "../conversation/history.js";
import type { Message, ModelName } from "../conversation/message.js";
import type { ContextSizes } from "./context-size.js";
import type { Decisions } from "./decisions.js";
import { type Find, findCut, replay } from "./replay.js";
import { type ModelWindow, type ModelWindows, planBudget } from "./windows.js";

/** One request to the model, as the layers are asked about it. */
export interface ContextRequest {
  readonly sessionID: string;
  /** What the host has. */
  readonly history: History;
  /** The model that is to answer. */
  readonly model: ModelName | undefined;
  readonly window: ModelWindow | undefined;
  /** Tokens that the request may have before history has to go. */
  readonly budgetTokens: number;
  /** The history is to be summarised, not to be gone on with: nothing new is decided. */
  readonly isCompaction: boolean;
  /** A person wants notes in the place of history now, however small it is. */
  readonly isCutWanted: boolean;
  /** Is all known that was decided about it? Where it is not, nothing that is dear to undo should be decided. */
  isReady(): boolean;
  /** What is decided in this session, or was where it began, about the result or message with this key. */
  readonly find: Find;
  /** Index of the first message of the history that is shown. */
  shownFrom(): number;
  /** The messages as they were sent for the last answer, and what came since; before what was decided after it. */
  showSent(): readonly Message[];
  /** The messages to send, as all that is decided by now wants them. */
  show(): readonly Message[];
  /** Tokens of the whole request with these messages. */
  estimateTokens(messages: readonly Message[]): number;
}

export interface Requests {
  /** Reads what a request is about; `undefined` where there are no messages. */
  open(messages: readonly Message[]): ContextRequest | undefined;
  /** The next request of this session is the host's, to have it summarised. */
  expectCompaction(sessionID: string): void;
  /** Notes are to take the place of history in the next request of this session. */
  wantCut(sessionID: string): void;
  /** They are not, after all; whether they were to. */
  unwantCut(sessionID: string): boolean;
}

export interface RequestsOptions {
  decisions: Decisions;
  sizes: ContextSizes;
  windows: ModelWindows;
  thresholdTokens: number;
}

export function createRequests({ decisions, sizes, windows, thresholdTokens }: RequestsOptions): Requests {
  const compactions = new Set<string>();
  const wantedCuts = new Set<string>();
  return {
    expectCompaction: (sessionID) => void compactions.add(sessionID),
    wantCut: (sessionID) => void wantedCuts.add(sessionID),
    unwantCut: (sessionID) => wantedCuts.delete(sessionID),

    open(messages) {
      const sessionID = messages[0]?.info.sessionID;
      if (sessionID === undefined) return undefined;
      const history = readHistory(messages);
      let counted: { shown: readonly Message[]; tokens: number } | undefined;
      const model = messages.findLast(({ info }) => info.role === "user")?.info.model;
      const window = windows.find(model);
      const isCompaction = compactions.delete(sessionID);
      const find: Find = (key) => decisions.find(key, sessionID);
      return {
        sessionID,
        history,
        model,
        window,
        budgetTokens: planBudget(thresholdTokens, window),
        isCompaction,
        isCutWanted: !isCompaction && wantedCuts.delete(sessionID),
        isReady: () => [...history.days].every(decisions.isLoaded),
        find,
        shownFrom: () => findCut(history, find)?.index ?? 0,
        show: () => replay(history, find),
        showSent() {
          const time = history.messages[history.lastAnswer]?.info.time;
          const endedMs = time?.completed ?? time?.created;
          return replay(history, (key) => decisions.find(key, sessionID, endedMs));
        },
        estimateTokens(shown) {
          // Several layers ask about the same list.
          if (counted?.shown !== shown) counted = { shown, tokens: sizes.estimate(sessionID, shown) };
          return counted.tokens;
        },
      };
    },
  };
}
