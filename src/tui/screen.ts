/**
 * Strata on a host's screen, whichever it is: the figures that are drawn, and the pages that open. Deciding where they are
 * drawn and what opens them is left to the host's own file.
 */
import { join } from "node:path";
import { formatError } from "../base/error.js";
import { toPrintable } from "../base/printable.js";
import { isRecord, parseJson, string } from "../base/shape.js";
import type { Clock } from "../io/clock.js";
import { decodeText, type Files } from "../io/files.js";
import { isFileName, planFolders } from "../project/folders.js";
import { parseSessionScreen, type SessionScreen, screenPath } from "../status/session-screen.js";
import type { Actions } from "./actions.js";
import { createDrawing, type Solid } from "./draw.js";
import { formatFooter, formatSidebar } from "./format-sidebar.js";
import type { Page } from "./page.js";
import { complainIn, createProjectRoot } from "./project-root.js";
import type { ScreenHost } from "./screen-host.js";

export interface ScreenOptions {
  clock: Clock;
  files: Files;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** Memories are stored behind the turn; those that wait for a model take longer. */
const REMEMBERED_AFTER_MS = [3_000, 15_000];
const MOST_TITLES = 2;
const MOST_COMPLAINTS = 50;
const UNDO_COMMAND = "strata.undo";

export type Screen = ReturnType<typeof createScreen>;

/** No call throws or rejects. */
export function createScreen(host: ScreenHost, solid: Solid, options: ScreenOptions) {
  const { clock, env, files, home } = options;
  const [shown, setShown] = solid.createSignal<SessionScreen | undefined>(undefined);
  const [sidebars, setSidebars] = solid.createSignal(0);
  const folder = (): string | undefined => attempt(() => host.folder(), undefined);
  const findProject = createProjectRoot({ clock, files, folder, home });
  const complain = createComplaints({ clock, files, findProject, isGone: host.isGone });
  const attempt = <T>(run: () => T, otherwise: T): T => {
    try {
      return run();
    } catch (thrown) {
      complain("the host's screen", thrown);
      return otherwise;
    }
  };
  const drawing = createDrawing(solid, host, (thrown) => complain("the figures cannot be drawn", thrown));
  const sessionID = (): string | undefined => attempt(() => host.sessionID(), undefined);
  const watch = createWatch({ clock, files, findProject, sessionID, show: setShown, complain });
  const notifier = createNotifier({ clock, complain, files, findProject, host });
  let actions: Promise<Actions> | undefined;
  let drawnSidebars = 0;
  watch.start();

  return {
    /** For a slot of the sidebar; counts as shown until the slot is removed. */
    drawSidebar: (): unknown =>
      attempt(() => {
        // Read from the signal, this would make the slot draw itself again for ever.
        setSidebars(++drawnSidebars);
        solid.onCleanup(() => setSidebars(--drawnSidebars));
        return drawing.lines(() => formatSidebar(shown()));
      }, null),
    /** For a slot beside the prompt; empty while the sidebar is shown. The short form is for one with little room. */
    drawFooter: (isShort?: boolean): unknown =>
      drawing.lines(() => (sidebars() > 0 ? [] : formatFooter(shown(), isShort))),
    open(page: Page, words = ""): void {
      void openNow(page, words).catch((thrown) => {
        complain(`/${page} cannot be opened`, thrown);
        attempt(
          () => host.dialogs.toast(`/${page} cannot be opened: ${formatError(thrown)}`, "error"),
          undefined,
        );
      });
    },
    /** A turn has ended: what was remembered in it is told. */
    endTurn(): void {
      void watch.look();
      notifier.lookSoon();
    },
    stop(): void {
      watch.stop();
      notifier.stop();
    },
  };

  async function openNow(page: Page, words: string): Promise<void> {
    const { openPage } = await import("./pages.js");
    const told = (thrown: unknown): void => complain(`/${page} failed`, thrown);
    await openPage(
      { page, words, complain: told },
      { host, shown: shown(), loadActions, nowMs: () => clock.now() },
    );
  }

  function loadActions(): Promise<Actions> {
    actions ??= import("./actions.js").then(({ createActions }) =>
      createActions({
        ...{ clock, env, files, home },
        folder: () => folder() ?? home,
        whileSuspended: host.whileSuspended,
      }),
    );
    return actions;
  }
}

/** Tells what was remembered, a while after a turn. */
function createNotifier({
  clock,
  complain,
  files,
  findProject,
  host,
}: {
  clock: Clock;
  complain: Complain;
  files: Files;
  findProject: () => Promise<string | undefined>;
  host: ScreenHost;
}) {
  const remembered = createRemembered(files, clock.now());
  let waiting: (() => void)[] = [];

  async function look(): Promise<void> {
    try {
      const project = await findProject();
      const titles = project === undefined ? [] : await remembered.look(project);
      if (titles.length > 0) host.dialogs.toast(formatRemembered(titles, host.keysOf(UNDO_COMMAND)), "info");
    } catch (thrown) {
      complain("what was remembered cannot be told", thrown);
    }
  }

  return {
    lookSoon() {
      for (const cancel of waiting) cancel();
      waiting = REMEMBERED_AFTER_MS.map((ms) => clock.after(ms, () => void look()));
    },
    stop() {
      for (const cancel of waiting) cancel();
    },
  };
}

/** "remembered: we deploy on Fridays (ctrl+x z takes it back)". Pure. */
export function formatRemembered(titles: readonly string[], keys: string | undefined): string {
  const shown = titles.slice(0, MOST_TITLES).join("; ");
  const more = titles.length > MOST_TITLES ? ` and ${titles.length - MOST_TITLES} more` : "";
  return `remembered: ${shown}${more} (${keys ?? "/memory-undo"} takes it back)`;
}

type Complain = (what: string, thrown: unknown) => void;

/** Each complaint once, in Strata's log. */
function createComplaints({
  findProject,
  isGone,
  ...seams
}: {
  clock: Clock;
  files: Files;
  findProject: () => Promise<string | undefined>;
  isGone: () => boolean;
}): Complain {
  const told = new Set<string>();
  return (what, thrown) => {
    const message = `${what}: ${formatError(thrown)}`;
    if (isGone() || told.has(message) || told.size >= MOST_COMPLAINTS) return;
    told.add(message);
    void (async () => {
      const project = await findProject();
      if (project !== undefined) await complainIn(project, message, seams);
    })().catch(() => {});
  };
}

/*
 * What was remembered since the last look, from the ledgers of the project's memories. Looked for when a turn has ended,
 * and only in files that have grown.
 */

/** More than a turn adds. */
const MOST_BYTES = 256 * 1024;
/** What is stored behind a turn. All else has an answer of its own on the screen. */
const UNASKED = "extract";
const FOLDERS = [
  [".opencode", "memory", "ledger"],
  [".opencode", "memory", "private", "ledger"],
  [".opencode", "strata", "state", "memory", "internal", "ledger"],
];

/** `beganMs`: what was added before is not told. */
export function createRemembered(files: Pick<Files, "list" | "statItself" | "readFrom">, beganMs: number) {
  const began = new Date(beganMs).toISOString();
  /** Length of each ledger at the last look. */
  const ends = new Map<string, number>();

  return {
    /** Titles of memories added since the last look, oldest first; the first look goes back to the beginning. */
    async look(project: string): Promise<readonly string[]> {
      const titles: string[] = [];
      for (const folder of FOLDERS.map((parts) => join(project, ...parts)))
        for (const name of await files.list(folder).catch(() => []))
          titles.push(...(await readGrown(join(folder, name))));
      return [...new Set(titles)];
    },
  };

  async function readGrown(path: string): Promise<string[]> {
    const stat = path.endsWith(".jsonl") ? await files.statItself(path) : undefined;
    if (stat?.kind !== "file") return [];
    const from = ends.get(path) ?? Math.max(0, stat.bytes - MOST_BYTES);
    ends.set(path, stat.bytes);
    if (stat.bytes <= from) return [];
    const bytes = await files.readFrom(path, from, { links: "refused", maxBytes: MOST_BYTES });
    return bytes === undefined ? [] : findTitles(decodeText(bytes), began);
  }
}

/** Titles of the memories that these lines of a ledger have added since then. Pure. */
function findTitles(lines: string, began: string): string[] {
  return lines.split("\n").flatMap((text) => {
    const value = parseJson(text);
    const line = isRecord(value) ? value : {};
    const { at, contents, path } = line;
    const isAdded = line.by === "strata" && line.before === null && line.from === undefined;
    if (!isAdded || line.operation !== UNASKED || !string(contents) || !string(path)) return [];
    return string(at) && at >= began ? [toPrintable(findTitle(contents) ?? path.replace(/\.md$/, ""))] : [];
  });
}

const findTitle = (contents: string): string | undefined =>
  /^---\n(?:.*\n)*?title: *(?:"([^"\n]*)"|'([^'\n]*)'|([^\n]*))\n/u
    .exec(contents)
    ?.slice(1)
    .find((one) => one !== undefined)
    ?.trim() || undefined;

/*
 * Follows the screen file of the session on the screen: one `stat` a second, read only when it has changed.
 *
 *     no file, no session      nothing is shown
 *     damaged or half a file   what was shown of this session stays
 */

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

export function createWatch(options: WatchOptions) {
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
    /** Looks now, and then every second. Never throws. */
    start: () => void repeat(),
    /** Looks now, once. Never rejects. */
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
