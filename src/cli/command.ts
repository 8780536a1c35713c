/** What a command of `strata` is. */
import type { LayerDefinition } from "../layer-definition.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { Style } from "./style.js";

/** How a command ended, as the shell sees it. */
export const exitCodes = {
  /** Done, and nothing is wrong. */
  fine: 0,
  /** Done, and something was found that wants looking after. */
  problems: 1,
  /** Not understood: wrong arguments. Nothing was done. */
  usage: 2,
  /** It could not be done; the message says why. */
  failed: 3,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Where a command runs, all of which tests replace. */
export interface Surroundings {
  files: Files;
  clock: Clock;
  /** The folder in which it was called. */
  folder: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  style: Style;
  /** Every layer there is. Only loaded by what asks about them. */
  loadLayers(): Promise<readonly LayerDefinition[]>;
  /** Prints to standard output, which is for what was asked for. */
  say(text: string): void;
  /** Prints to standard error, which is for everything else. */
  warn(text: string): void;
  /** Writes to the terminal as it is; absent where standard error is none. */
  draw?: (text: string) => void;
}

/** Values of the options by their long names, in camel case; those not given are absent. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

export type Run = (
  surroundings: Surroundings,
  options: OptionValues,
  args: readonly string[],
) => Promise<ExitCode>;

/** A command as its help shows it. What it does is loaded when it is called. */
export interface Command {
  name: string;
  summary: string;
  /** As in `"[words...]"`; without it the command takes none. */
  arguments?: string;
  /** Flags and what they do. */
  options: readonly (readonly [flags: string, what: string])[];
  example: string;
  load(): Promise<{ run: Run }>;
}

/** Option of every command that reads. */
export const JSON_OPTION = ["--json", "JSON for programs"] as const;
