/**
 * Follows the screen file of the session on the screen: one `stat` a second, read only when it has changed.
 *
 *     no file, no session      nothing is shown
 *     damaged or half a file   what was shown of this session stays
 */

import { toPrintable } from "../base/printable.js";
import { parseJson } from "../base/records.js";
import type { Clock } from "../io/clock.js";
import { decodeText, type Files } from "../io/files.js";
import { isFileName, planFolders } from "../project/folders.js";
import { parseSessionScreen, type SessionScreen, screenPath } from "../status/session-screen.js";

export interface Watch {
  /** Looks now, and then every second. Never throws. */
  start(): void;
  /** Looks now, once. Never rejects. */
  look(): Promise<void>;
  stop(): void;
}

export interface WatchOptions {
  clock: Clock;
  files: Pick<Files, "statItself" | "readFrom">;
  /** Root of the project; `undefined` while there is none. Never rejects. */
  findProject(): Promise<string | undefined>;
  sessionID(): string | undefined;
  /** Is called when something else is to be shown. */
  show(now: SessionScreen | undefined, sessionID: string | undefined): void;
  complain(what: string, thrown: unknown): void;
}

const EVERY_MS = 1_000;
/** A screen file has less than 10 KB. */
const MOST_BYTES = 256 * 1024;

export function createWatch(options: WatchOptions): Watch {
  const { clock, complain, files, findProject, sessionID, show } = options;
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let last: { session: string | undefined; stamp: string | undefined } | undefined;
  let looking: Promise<void> | undefined;

  const lookOnce = (): Promise<void> => {
    looking ??= look()
      .catch((thrown) => complain("the figures cannot be read", thrown))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };

  return {
    start: () => void repeat(),
    look: lookOnce,
    stop() {
      isStopped = true;
      cancel?.();
    },
  };

  async function repeat(): Promise<void> {
    await lookOnce();
    if (!isStopped) cancel = clock.after(EVERY_MS, () => void repeat());
  }

  async function look(): Promise<void> {
    const session = sessionID();
    const project = session === undefined ? undefined : await findProject();
    const isNamed = session !== undefined && isFileName(session);
    const path = project !== undefined && isNamed ? screenPath(planFolders(project), session) : undefined;
    const stat = path === undefined ? undefined : await files.statItself(path);
    const stamp = stat?.kind === "file" ? `${stat.modifiedMs} ${stat.changedMs} ${stat.bytes}` : undefined;
    const isSame = last !== undefined && last.session === session && last.stamp === stamp;
    if (isSame || isStopped) return;
    const isOther = last?.session !== session;
    last = { session, stamp };
    const bytes =
      path === undefined || stamp === undefined
        ? undefined
        : await files.readFrom(path, 0, { links: "refused", maxBytes: MOST_BYTES });
    if (isStopped || sessionID() !== session) return;
    const shown = bytes && readScreen(decodeText(bytes));
    if (shown || isOther || stamp === undefined) show(shown, session);
  }
}

/** Its words made safe for a terminal: any process may have written the file. `undefined` if a part is missing or wrong. */
export function readScreen(text: string): SessionScreen | undefined {
  const screen = parseSessionScreen(parseJson(text));
  return (
    screen && {
      ...screen,
      ...(screen.title !== undefined && { title: toPrintable(screen.title) }),
      ...(screen.breaker !== undefined && { breaker: toPrintable(screen.breaker) }),
      background: screen.background.map((one) => toPrintable(one)),
      warnings: screen.warnings.map((one) => toPrintable(one)),
    }
  );
}
