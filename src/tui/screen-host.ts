/**
 * A host's screen, as the pages of Strata use it: OpenCode 1 in `open-1.ts`, OpenCode 2 in `open-2.ts`.
 *
 * Contract: no call throws. A dialog replaces the one before it; closing it answers `undefined` or `false`.
 */
import type { Colour } from "./format-sidebar.js";

export interface ScreenHost {
  /** Folder that the host works in; `undefined` while it is unknown. */
  folder(): string | undefined;
  /** The session on the screen. */
  sessionID(): string | undefined;
  /** Shows this session; `false` if the host cannot. Throws the host's error. */
  openSession(id: string): boolean;
  /** In whatever form the host's elements take. */
  colour(name: Colour): unknown;
  dialogs: Dialogs;
  /** Is the host's screen gone? Then nothing can be drawn, which is no failure. */
  isGone(): boolean;
  /** Runs `run` while a program of its own, such as an editor, may use the terminal. */
  whileSuspended<T>(run: () => Promise<T>): Promise<T>;
}

export interface Dialogs {
  select<Value>(page: SelectPage<Value>): Promise<Value | undefined>;
  confirm(title: string, message: string): Promise<boolean>;
  prompt(title: string, given?: { placeholder?: string; value?: string }): Promise<string | undefined>;
  alert(title: string, message: string): Promise<void>;
  toast(message: string, variant: "info" | "success" | "warning" | "error"): void;
  close(): void;
}

export interface SelectPage<Value> {
  title: string;
  options: readonly SelectOption<Value>[];
  /** The option to begin at. */
  current?: Value;
  /** Keys that choose something of the option at the cursor; without effect in a host whose dialogs have none. */
  keys?: readonly SelectKey<Value>[];
}

export interface SelectKey<Value> {
  key: string;
  /** What it does: "keeps". */
  title: string;
  choose(current: Value): Value;
}

export interface SelectOption<Value> {
  /** About 60 columns; the host cuts it there. */
  title: string;
  value: Value;
  /** Behind the title, muted. */
  description?: string;
  /** At the right edge. */
  footer?: string;
  /** Heading above the options of one section. */
  category?: string;
}
