/** Greets a new session with what the last one has left open: the handoff, made from that one's notes. */
import { DAY_MS } from "../../src/base/days.js";
import { formatError } from "../../src/base/error.js";
import { type DatedDecision, decide } from "../../src/context/decisions.js";
import type { Addition } from "../../src/context/extend.js";
import { isExtendedBy } from "../../src/context/known-decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { isStale } from "../../src/notes/taken-back.js";

export interface Greetings {
  /** A session in the middle of a turn has no handoff to make. */
  noteWork(sessionID: string, isWorking: boolean): void;
  /** For the first message of a session that a person has opened. */
  greet(request: ContextRequest): Promise<Addition[]>;
  /** Handoffs given to this session, if the user has since taken back words in the other session. */
  findStale(request: ContextRequest): Promise<DatedDecision[]>;
}

export interface GreetingsOptions {
  instances: Pick<LayerContext["instances"], "living">;
  isSubagents(this: void, sessionID: string): boolean;
  layer: string;
  log: LayerContext["log"];
  notes: Pick<LayerContext["notes"], "findUnfinished" | "takenBack">;
}

/** What an older session has left open is nobody's next step. */
const UNFINISHED_MS = 7 * DAY_MS;

export function createGreetings({ instances, isSubagents, layer, log, notes }: GreetingsOptions): Greetings {
  const working = new Set<string>();

  return {
    noteWork(sessionID, isWorking) {
      if (isWorking) working.add(sessionID);
      else working.delete(sessionID);
    },

    async greet({ find, history, sessionID }) {
      const key = history.messages.length === 1 ? history.keyOf(0) : undefined;
      if (!key || isSubagents(sessionID) || isExtendedBy(layer, find(key.key))) return [];
      const unfinished = await notes.findUnfinished(
        new Set([sessionID, ...working, ...(await findBusy())]),
        UNFINISHED_MS,
      );
      if (!unfinished) return [];
      const text = `[Strata] What the last session in this project has left open. It is no request: leave it alone unless the user goes on with it.\n${unfinished.text}`;
      return [{ behind: key, text }];
    },

    async findStale({ find, history }) {
      const stale: DatedDecision[] = [];
      for (const [index, { info }] of history.messages.entries()) {
        const key = info.role === "user" ? history.keyOf(index) : undefined;
        const greeting = key && find(key.key)?.extended?.find((one) => one.layer === layer);
        const from = /[\\/]([^\\/\s]+)\.md$/m.exec(greeting?.text ?? "")?.[1];
        if (!key || !greeting || from === undefined) continue;
        if (isStale(await notes.takenBack(from), greeting.at))
          stale.push(decide(key, { outcome: "revised", of: "extended" }));
      }
      return stale;
    },
  };

  /** Sessions that another instance is working on. */
  async function findBusy(): Promise<string[]> {
    // An instance that cannot be seen counts as ended: the handoff asks for nothing.
    const living = await instances.living().catch((thrown) => {
      log.warn(layer, `cannot tell who else is at work here: ${formatError(thrown)}`);
      return [];
    });
    return living.flatMap(({ sessions }) =>
      sessions.filter(({ state }) => state === "busy").map(({ id }) => id),
    );
  }
}
