/**
 * A person sees what stands in the context, and steers it: drops, pins, brings back, undoes a cut.
 *
 *     before a request    looks at the log of what was asked, a single stat; where it has grown, what concerns this session
 *                         is applied: file → ledger → decision → use
 *     behind a request    writes what now stands in the context, for the screen and `strata context`
 *     /context            lists it as text; `/context drop ID` asks, as the screen and the command line do
 *
 * What does all this is loaded when it is first needed.
 */
import { STEERING } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Layer } from "../../../src/kernel/layer.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import type { SteeringWork } from "./apply.js";

const APPLIED_WITHIN_MS = 2_000;

export function createSteering(context: KernelContext): Record<"applies" | "lists", Layer> {
  const { clock, deferred, files } = context;
  const locate = async (): Promise<string> => (await context.locateRecord()).contextRequests;
  let path: string | undefined;
  let opened: Promise<SteeringWork> | undefined;
  /** Size and time of the log when it was last read. */
  let seen = "";
  const items = createItemWrites(open);

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
    commands: [
      {
        name: "context",
        description: "Strata: what stands in the context, and to drop, pin or bring back some of it",
        async execute({ sessionID, words }) {
          await items.write(sessionID);
          return (await open()).answer(sessionID, words);
        },
      },
    ],
  };

  const lists: Layer = {
    name: `${STEERING}-items`,
    phase: "after",
    isIndispensable: true,
    handlers: {
      context(request) {
        const { isCompaction, sessionID } = request;
        if (isCompaction || !request.isReady()) return undefined;
        items.add(request, clock.now());
        deferred.add(`context items of ${sessionID}`, () => items.write(sessionID));
        return undefined;
      },
    },
  };

  return { applies, lists };

  function open(): Promise<SteeringWork> {
    opened ??= import("./apply.js").then((apply) => apply.createSteeringWork({ ...context, locate }));
    return opened;
  }

  /** `undefined` if nothing was ever asked. */
  async function readLog(): Promise<SteeringWork | undefined> {
    path ??= await locate();
    const stat = await files.stat(path);
    const found = stat ? `${stat.bytes} ${stat.modifiedMs}` : "";
    if (found !== seen) {
      await (await open()).read();
      seen = found;
    }
    return opened;
  }
}

/** The requests behind which the items are still to be written. */
function createItemWrites(open: () => Promise<SteeringWork>) {
  /** By session. */
  const unwritten = new Map<string, { request: ContextRequest; atMs: number }>();
  /** Writes that are going on, by session. */
  const writing = new Map<string, Promise<void>>();

  return {
    add: (request: ContextRequest, atMs: number) => unwritten.set(request.sessionID, { request, atMs }),
    write,
  };

  /** One write after the other; resolves when the file has the last request. */
  async function write(sessionID: string): Promise<void> {
    await writing.get(sessionID);
    const last = unwritten.get(sessionID);
    if (!last) return;
    unwritten.delete(sessionID);
    const written = open()
      .then((work) => work.writeItems(last.request, last.atMs))
      .finally(() => writing.delete(sessionID));
    writing.set(sessionID, written);
    await written;
  }
}
