/**
 * Strata on a host's screen, whichever it is: the figures that are drawn, and the pages that open. Deciding where they are
 * drawn and what opens them is left to the host's own file.
 */
import { join } from "node:path";
import { formatError } from "../base/error.js";
import { toPrintable } from "../base/printable.js";
import { parseJson } from "../base/shape.js";
import type { Clock } from "../io/clock.js";
import { decodeText, type Files } from "../io/files.js";
import { formatLogLine } from "../io/log.js";
import { requireProjectRoot } from "../operations/project.js";
import { isFileName, planFolders } from "../project/folders.js";
import { parseSessionScreen, type SessionScreen, screenPath } from "../status/session-screen.js";
import type { Actions } from "./actions.js";
import { createDrawing, type Solid } from "./draw.js";
import { formatFooter, formatSidebar } from "./format-sidebar.js";
import type { Page } from "./page.js";
import type { ScreenHost } from "./screen-host.js";

export interface ScreenOptions {
  clock: Clock;
  files: Files;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

const MOST_COMPLAINTS = 50;

export type Screen = ReturnType<typeof createScreen>;

/** No call throws or rejects. */
export function createScreen(host: ScreenHost, solid: Solid, options: ScreenOptions) {
  const { clock, env, files, home } = options;
  const [shown, setShown] = solid.createSignal<SessionScreen | undefined>(undefined);
  const [sidebars, setSidebars] = solid.createSignal(0);
  const folder = (): string | undefined => attempt(() => host.folder(), undefined);
  const findProject = createProjectRoot({ clock, files, folder, home });
  const complain = createComplaints({ clock, files, findProject, isGone: host.isGone });
  const attempt = <T>(run: () => T, otherwise: T, what = "the host's screen"): T => {
    try {
      return run();
    } catch (thrown) {
      complain(what, thrown);
      return otherwise;
    }
  };
  const draw = createDrawing(solid, host, (run, otherwise) =>
    attempt(run, otherwise, "the figures cannot be drawn"),
  );
  const sessionID = (): string | undefined => attempt(() => host.sessionID(), undefined);
  const watch = createWatch({ clock, files, findProject, sessionID, show: setShown, complain });
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
        return draw(() => formatSidebar(shown()));
      }, null),
    /** For a slot beside the prompt; empty while the sidebar is shown. The short form is for one with little room. */
    drawFooter: (isShort?: boolean): unknown =>
      draw(() => (sidebars() > 0 ? [] : formatFooter(shown(), isShort))),
    open(page: Page, words = ""): void {
      void openNow(page, words).catch((thrown) => {
        complain(`/${page} cannot be opened`, thrown);
        attempt(
          () => host.dialogs.toast(`/${page} cannot be opened: ${formatError(thrown)}`, "error"),
          undefined,
        );
      });
    },
    stop: watch.stop,
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

/** While Strata has written nothing there, another folder may turn out to be the root. */
const UNSURE_MS = 10_000;

interface ProjectRootOptions extends Pick<ScreenOptions, "clock" | "files" | "home"> {
  /** Folder that the host works in. */
  folder(): string | undefined;
}

type FindProject = () => Promise<string | undefined>;

/** Finds the root of the project as the command line does. `undefined` if there is none. Never rejects. */
export function createProjectRoot({ clock, files, folder, home }: ProjectRootOptions): FindProject {
  let known: { folder: string; root: string | undefined; untilMs: number } | undefined;
  return async () => {
    const place = folder();
    if (place === undefined) return undefined;
    if (known?.folder === place && clock.now() < known.untilMs) return known.root;
    const root = await requireProjectRoot({ files, folder: place, home }).catch(() => undefined);
    const written = root && (await files.stat(join(root, ".opencode", "strata")).catch(() => undefined));
    const untilMs = written ? Number.POSITIVE_INFINITY : clock.now() + UNSURE_MS;
    known = { folder: place, root, untilMs };
    return root;
  };
}

type Complain = (what: string, thrown: unknown) => void;

interface ComplaintsOptions extends Pick<ScreenOptions, "clock" | "files"> {
  findProject: FindProject;
  isGone?: () => boolean;
}

/** Each complaint once, in Strata's log, if Strata has written anything there: standard output is the host's screen. */
export function createComplaints({ clock, files, findProject, isGone }: ComplaintsOptions): Complain {
  const told = new Set<string>();
  return (what, thrown) => {
    const message = `${what}: ${formatError(thrown)}`;
    if (isGone?.() || told.has(message) || told.size >= MOST_COMPLAINTS) return;
    told.add(message);
    void write(message).catch(() => {});
  };

  async function write(message: string): Promise<void> {
    const project = await findProject();
    const folder = project && join(project, ".opencode", "strata");
    if (!folder || (await files.statItself(folder))?.kind !== "folder") return;
    await files.appendLine(join(folder, "strata.log"), formatLogLine(clock.now(), "warn", "screen", message));
  }
}

/** More than a file of figures has. */
const MOST_BYTES = 256 * 1024;

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
  show(now: SessionScreen | undefined): void;
  complain(what: string, thrown: unknown): void;
}

const EVERY_MS = 1_000;

export function createWatch(options: WatchOptions) {
  const { clock, complain, files, findProject, sessionID, show } = options;
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let last: { session: string | undefined; stamp: string | undefined } | undefined;

  const lookOnce = (): Promise<void> =>
    look().catch((thrown) => complain("the figures cannot be read", thrown));

  return {
    /** Looks now, and then every second. Never throws. */
    start: () => void repeat(),
    /** Looks once. Never rejects. */
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
    if (shown || isOther || stamp === undefined) show(shown);
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
