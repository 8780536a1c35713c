/**
 * A person sees what stands in the context, and steers it: drops, pins, brings back, undoes a cut.
 *
 *     before a request    looks at the log of what was asked; where it has grown, what concerns this session
 *                         is applied: file → ledger → decision → use
 *     behind a request    writes what now stands in the context, for the screen and `strata context`
 *
 * What does all this is loaded when it is first needed.
 */
import { STEERING } from "../../../src/context/replay.js";
import { DERIVED_MS } from "../../../src/io/deferred.js";
import type { Layer } from "../../../src/kernel/layer.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import type { SteeringWork } from "./act.js";

const APPLIED_WITHIN_MS = 2_000;

export function createSteering(context: KernelContext): Record<"applies" | "lists", Layer> {
  const { clock, deferred, looks } = context;
  const locate = async (): Promise<string> => (await context.locateRecord()).contextRequests;
  let path: string | undefined;
  let opened: Promise<SteeringWork> | undefined;
  let seen = "";

  const applies: Layer = {
    name: STEERING,
    phase: "before",
    withinMs: { context: APPLIED_WITHIN_MS },
    handlers: {
      async context(request, _messages, signal) {
        if (request.isCompaction || !request.isReady()) return undefined;
        const work = await readLog();
        if (!work?.isWaiting(request.sessionID)) return undefined;
        return (await work.apply(request, signal)) ? request.show() : undefined;
      },
    },
  };

  const lists: Layer = {
    name: `${STEERING}-items`,
    phase: "after",
    isIndispensable: true,
    handlers: {
      context(request) {
        const { isCompaction, sessionID } = request;
        if (isCompaction || !request.isReady()) return undefined;
        const atMs = clock.now();
        const write = async () => (await open()).writeItems(request, atMs);
        deferred.add(`context items of ${sessionID}`, write, DERIVED_MS);
        return undefined;
      },
    },
  };

  return { applies, lists };

  function open(): Promise<SteeringWork> {
    opened ??= import("./act.js").then((act) => act.createSteeringWork({ ...context, locate }));
    return opened;
  }

  /** `undefined` if nothing was ever asked. */
  async function readLog(): Promise<SteeringWork | undefined> {
    path ??= await locate();
    const stat = await looks.stat(path);
    const found = stat ? `${stat.bytes} ${stat.modifiedMs}` : "";
    if (found !== seen) {
      await (await open()).read();
      seen = found;
    }
    return opened;
  }
}
