/** What steering does once it is needed: applies what people asked for, writes the items, answers `/context`. */
import { formatError, StrataError } from "../../../src/base/error.js";
import { STEERING } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import {
  ACTIONS,
  type Action,
  type ContextRequestLine,
  findWanted,
  formatCost,
  formatItems,
  planItemsPath,
  readContextItems,
  requireAction,
} from "../../../src/status/context-items.js";
import { createContextRequests } from "../../../src/status/context-requests.js";
import { createAct, type Outcome } from "./act.js";
import { createReadView } from "./context-view.js";
import { formatView } from "./items.js";

const SHOWN_ITEMS = 15;
const WIDTH = 100;
const LISTING = "/context";

export type SteeringWork = ReturnType<typeof createSteeringWork>;

/** `locate` returns the path of the log. */
export function createSteeringWork(context: KernelContext & { locate(): Promise<string> }) {
  const { background, files, folders, log, toasts } = context;
  const requests = createContextRequests(context);
  const act = createAct(context);
  const readView = createReadView(context);
  let waiting: readonly ContextRequestLine[] = [];
  /** Requests that are answered, whether or not that could be written. */
  const answered = new Set<string>();

  return {
    /** Reads the log again. Rejects with the system's error. */
    async read(): Promise<void> {
      waiting = (await requests.read()).waiting.filter(({ id }) => !answered.has(id));
    },

    isWaiting: (sessionID: string): boolean => waiting.some(({ session }) => session === sessionID),

    /**
     * Applies what waits for the request's session; returns whether decisions were made. Rejects if a file, the ledger or a
     * decision cannot be written, or the signal is aborted; what was not applied by then waits for the next request.
     */
    async apply(request: ContextRequest, signal: AbortSignal): Promise<boolean> {
      let hasChanged = false;
      for (const line of waiting.filter(({ session }) => session === request.sessionID)) {
        signal.throwIfAborted();
        const outcome = await act(request, line, signal);
        if (!outcome) continue;
        hasChanged ||= outcome.outcome === "done";
        tell(line, outcome);
      }
      return hasChanged;
    },

    /** Writes what stands in the session's context since the request of this time. Never rejects. */
    async writeItems(request: ContextRequest, atMs: number): Promise<void> {
      const { history, sessionID } = request;
      const path = planItemsPath(folders, sessionID);
      try {
        // By the next request all of this one is cached.
        const view = await readView(request, history.messages.length);
        const time = new Date(atMs).toISOString();
        const items = await formatView(view, { session: sessionID, time }, () => files.stat(path));
        await files.writeWhole(path, JSON.stringify(items));
      } catch (thrown) {
        log.warn(STEERING, `cannot write ${path}, the screen shows an earlier state: ${formatError(thrown)}`);
      }
    },

    /** `/context`, for people who have no screen half: lists the items, or asks to change one. */
    async answer(sessionID: string, words: string): Promise<string> {
      const found = await readContextItems(files, folders, sessionID);
      if (!found) return "Nothing is known of this session's context yet: send a message first.";
      const asked = readWords(words.trim());
      if (!asked) return formatItems(found, { command: LISTING, most: SHOWN_ITEMS, width: WIDTH });
      const { action, item } = asked;
      const wanted = findWanted(found.items, action, item, LISTING);
      const cost = requireAction(wanted, action);
      await requests.ask({ session: sessionID, action, item: wanted.id });
      return `${formatCost(wanted, action, cost)}\nIt is done before your next message is sent.`;
    },
  };

  /** Behind the request: the decision is on disk by now, and asking for it again would change nothing. */
  function tell(line: ContextRequestLine, outcome: Outcome): void {
    const { action, id, item, session } = line;
    answered.add(id);
    waiting = waiting.filter((one) => one.id !== id);
    const isDone = outcome.outcome === "done";
    const what = isDone ? outcome.text : `${action} ${item} was not possible: ${outcome.text}`;
    log.info(STEERING, `${session}: ${what}`);
    toasts.show(what, isDone ? "info" : "warning");
    void background.add(() =>
      requests
        .settle(line, outcome)
        .catch((thrown) =>
          log.warn(STEERING, `cannot record what became of ${action} ${item}: ${formatError(thrown)}`),
        ),
    );
  }
}

/** What the words behind `/context` ask for; `undefined` if there are none. */
function readWords(words: string): { action: Action; item: string | undefined } | undefined {
  if (words === "") return undefined;
  const [first, item, ...more] = words.split(/\s+/);
  const action = ACTIONS.find((one) => one === first);
  if (action && more.length === 0) return { action, item };
  throw new StrataError(
    "WRONG_WORDS",
    `expected nothing, or one of ${ACTIONS.join(", ")} and an id, "${words}" came. /context lists the ids`,
  );
}
