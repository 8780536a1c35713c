/**
 * Strata on a host's screen, whichever it is: the figures that are drawn, and the pages that open. Deciding where they are
 * drawn and what opens them is left to the host's own file.
 */
import { formatError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { SessionScreen } from "../status/session-screen.js";
import type { Actions } from "./actions.js";
import { createDrawing, type Solid } from "./draw.js";
import { formatFooter, formatSidebar } from "./format-sidebar.js";
import type { Page } from "./page.js";
import { createProjectRoot } from "./project-root.js";
import { createRemembered } from "./remembered.js";
import type { ScreenHost } from "./screen-host.js";
import { createWatch } from "./watch.js";

export interface ScreenOptions {
  clock: Clock;
  files: Files;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** No call throws or rejects. */
export interface Screen {
  /** For a slot of the sidebar; counts as shown until the slot is removed. */
  drawSidebar(): unknown;
  /** For a slot beside the prompt; empty while the sidebar is shown. The short form is for one with little room. */
  drawFooter(isShort?: boolean): unknown;
  open(page: Page, words?: string): void;
  /** A turn has ended: what was remembered in it is told. */
  endTurn(): void;
  stop(): void;
}

/** Memories are stored behind the turn; those that wait for a model take longer. */
const REMEMBERED_AFTER_MS = [3_000, 15_000];
const MOST_TITLES = 2;
const MOST_COMPLAINTS = 50;
const UNDO_COMMAND = "strata.undo";

export function createScreen(host: ScreenHost, solid: Solid, options: ScreenOptions): Screen {
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
  const teller = createTeller({ clock, complain, files, findProject, host });
  let actions: Promise<Actions> | undefined;
  let drawnSidebars = 0;
  watch.start();

  return {
    drawSidebar: () =>
      attempt(() => {
        // Read from the signal, this would make the slot draw itself again for ever.
        setSidebars(++drawnSidebars);
        solid.onCleanup(() => setSidebars(--drawnSidebars));
        return drawing.lines(() => formatSidebar(shown()));
      }, null),
    drawFooter: (isShort) => drawing.lines(() => (sidebars() > 0 ? [] : formatFooter(shown(), isShort))),
    open(page, words = "") {
      void openNow(page, words).catch((thrown) => {
        complain(`/${page} cannot be opened`, thrown);
        attempt(
          () => host.dialogs.toast(`/${page} cannot be opened: ${formatError(thrown)}`, "error"),
          undefined,
        );
      });
    },
    endTurn() {
      void watch.look();
      teller.lookSoon();
    },
    stop() {
      watch.stop();
      teller.stop();
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
function createTeller({
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
      const { complainIn } = await import("./log.js");
      if (project !== undefined) await complainIn(project, message, seams);
    })().catch(() => {});
  };
}
