import type { Readable, Writable } from "node:stream";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Get } from "../io/get.js";
import type { Host } from "../io/host.js";
import type { LayerDefinition } from "../kernel/layer-definition.js";
import type { Style } from "./style.js";

/** How a command ended, for the shell. */
export const exitCodes = {
  /** Done, no problems. */
  fine: 0,
  /** Done, and problems were found. */
  problems: 1,
  /** Wrong arguments; nothing was done. */
  usage: 2,
  /** Failed; the message says why. */
  failed: 3,
  /** Stopped by Ctrl-C, as shells report it; what was done is whole. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Everything a command reaches outside itself; tests replace all of it. */
export interface CliContext {
  files: Files;
  clock: Clock;
  /** The working directory. */
  folder: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  style: Style;
  /** Who makes changes, for locks and ledger; default "cli". */
  instance?: string;
  /** The folder of this package if it is a checkout or a copy of one, not an installed package. */
  packageFolder?: string;
  /** Every layer there is; loaded only by what asks for them. */
  loadLayers(): Promise<readonly LayerDefinition[]>;
  /** Prints a result to standard output. */
  say(text: string): void;
  /** Prints anything else to standard error. */
  warn(text: string): void;
  /** Opens a file or an address in the program that the system has for it. Rejects if there is none. */
  openFile(path: string): Promise<void>;
  /**
   * Calls `stop` at the first Ctrl-C or SIGTERM, until the function returned is called. A second one ends the process.
   */
  onInterrupt?(stop: () => void): () => void;
  /** Replaces the network; in tests only. */
  get?: Get;
  /** Replaces the model; in tests only. */
  generate?: Host["generate"];
  /** Asks a question that is answered with yes or no; absent if nobody is there to answer. */
  ask?(question: string): Promise<boolean>;
  /** Writes raw text to the terminal; absent if standard error is not one. */
  draw?: (text: string) => void;
  /** Standard input and output for a protocol; absent if a person is at the keyboard. */
  streams?: { input: Readable; output: Writable };
}

/** Option values by long name in camel case; options not given are absent. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

export type Run = (cli: CliContext, options: OptionValues, args: readonly string[]) => Promise<ExitCode>;

/** A command as its help shows it. Its code is loaded when it is called. */
export interface Command {
  name: string;
  summary: string;
  /** As in `"[words...]"`; absent if the command takes none. */
  arguments?: string;
  options: readonly (readonly [flags: string, what: string])[];
  example: string;
  /** What can stand first among its arguments, for completion: one of these words, or a memory. */
  first?: readonly string[] | "memory" | "archived memory";
  /**
   * Other words for it, each with the options that it stands for. One that can stand first among the arguments means the
   * command with that argument.
   */
  aliases?: readonly string[];
  /** It only reads, whatever its options: no other command is suggested for a mistyped word. */
  reads?: true;
  /** What to do instead, after wrong usage. */
  hint?: string;
  load(): Promise<{ run: Run }>;
}

/** The command with this name or alias. */
export const findCommand = (commands: readonly Command[], word: string): Command | undefined =>
  commands.find(({ aliases = [], name }) => [name, ...aliases].some((one) => one.split(" ")[0] === word));

/** Asks for completions, as the scripts of `strata completion` do. */
export const COMPLETE = "__complete";

/** Option of every command that reads. */
export const JSON_OPTION = ["--json", "prints JSON"] as const;

/** Options of commands that change many memories. */
export const MATCH_OPTION = ["--match <words>", "all with these words in id, title, tags or text"] as const;
export const AGE_OPTION = ["--older-than <days>", "all unchanged for this many days"] as const;
