/** What the pages have in common. */
import type { SessionScreen } from "../status/session-screen.js";
import type { Actions } from "./actions.js";
import type { ScreenHost } from "./screen-host.js";
import type { PageName } from "./submitted.js";

/** OpenCode 1.18.33 shows so many columns of a row's title. */
export const ROW_COLUMNS = 61;

/** What opens a page. */
export interface Opening {
  /** Loads the store's code. */
  loadActions(): Promise<Actions>;
  host: ScreenHost;
  /** The figures of the session on the screen. */
  shown: SessionScreen | undefined;
  nowMs(): number;
}

/** What a page works with. */
export interface Pages extends Opening {
  actions: Actions;
}

export type Page = PageName | "memories" | "undo";
