/**
 * Moments to kill a host in: each is something that happens on the way of a turn, however fast the machine is. Armed
 * before the turn begins; where what it waits for does not come, the turn ends without it.
 */
import { watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { Chance } from "../../support/chance.js";
import { readRecords } from "../stage/break-reasons.js";
import type { ModelRequest } from "../stage/model-request.js";
import type { Stage } from "../stage/stage.js";

export interface Armed {
  /** Resolves when the moment has come; never when it does not. */
  come: Promise<void>;
  disarm(): void;
}

export interface Moment {
  name: string;
  arm(stage: Stage, chance: Chance): Promise<Armed>;
}

/** A request of the session's own model arrives, one of the next three. */
const arrival: Moment = {
  name: "a request arrives",
  arm: async (stage, chance) => whenAsked(stage, 1 + chance(3), ({ body }) => body.model === "m1"),
};

/** The same, and the model answers while the host goes down. */
const answering: Moment = {
  name: "an answer is on its way",
  async arm(stage, chance) {
    const { come, disarm } = whenAsked(stage, 1 + chance(2), ({ body }) => body.model === "m1");
    return { come: come.then(() => new Promise((resolve) => setImmediate(resolve))), disarm };
  },
};

/** A small model is writing, in a session of the plugin's own. */
const child: Moment = {
  name: "a child session is at work",
  arm: async (stage) => whenAsked(stage, 1, ({ body }) => body.model === "m2"),
};

/** A result is written. */
const result: Moment = {
  name: "a result is written",
  arm: (stage) => whenChanged(stage, ".opencode/tool-results", () => true),
};

/** Decisions are written: the request that shows them has not been sent. */
const decision: Moment = {
  name: "a decision is written",
  arm: (stage) => whenChanged(stage, ".opencode/strata/state/decisions", () => true),
};

/** The session notes are written, or the file for the machine beside them. */
const notes: Moment = {
  name: "notes are written",
  arm: (stage, chance) =>
    whenChanged(stage, ".opencode/session-memory", (name) =>
      name.includes(chance(2) === 0 ? ".md" : ".json"),
    ),
};

/** The ledger has a batch or a cut that is about to be decided. */
const departure: Moment = {
  name: "history is cut or cleared",
  arm(stage) {
    const folder = ".opencode/strata/savings";
    const count = () =>
      readRecords(stage.project.file(folder)).filter(({ event }) => event === "cleared" || event === "cut")
        .length;
    const before = count();
    return whenChanged(stage, folder, () => count() > before);
  },
};

export const moments: readonly Moment[] = [arrival, answering, child, result, decision, notes, departure];

/** The next `count` requests of this kind have arrived. */
function whenAsked({ model }: Stage, count: number, fits: (request: ModelRequest) => boolean): Armed {
  const { length } = model.requests;
  const isDue = (request: ModelRequest) =>
    fits(request) && model.requests.slice(length).filter(fits).indexOf(request) === count - 1;
  return { come: model.waitForRequest(isDue, NEVER_MS).then(() => undefined), disarm: () => {} };
}

/** Longer than any turn. */
const NEVER_MS = 2_000_000;

async function whenChanged(
  { project }: Stage,
  folder: string,
  fits: (name: string) => boolean,
): Promise<Armed> {
  const path = project.file(folder);
  await mkdir(path, { recursive: true });
  let disarm = () => {};
  const come = new Promise<void>((resolve) => {
    const watcher = watch(path, (_, name) => {
      if (fits(name ?? "")) resolve();
    });
    disarm = () => watcher.close();
  });
  return { come, disarm };
}
