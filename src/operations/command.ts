import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";
import { StrataError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Host } from "../io/host.js";
import type { Get } from "../io/post.js";
import type { LayerDefinition } from "../kernel/layer-context.js";

/** How a command ended, for the shell. */
export const exitCodes = {
  fine: 0,
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
  folder: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  style: Style;
  /** Who makes changes, for locks and ledger; default "cli". */
  instance?: string;
  /** The folder of this package, if it is a checkout, a copy of one or installed globally: not in a project. */
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
  /** Waits for one key, in lower case; absent if nobody is there to press it. */
  press?(question: string): Promise<string>;
  /** Writes raw text to the terminal; absent if standard error is not one. */
  draw?: (text: string) => void;
  /** Standard input and output for a protocol; absent if a person is at the keyboard. */
  streams?: { input: Readable; output: Writable };
}

/** Option values by long name in camel case; options not given are absent. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

export type Run = (cli: CliContext, options: OptionValues, args: readonly string[]) => Promise<ExitCode>;

export type Option = readonly [flags: string, what: string];

/** A command as its help shows it. Its code is loaded when it is called. */
export interface Command {
  /** Its words; the first may be a group's: `candidates keep`. */
  name: string;
  summary: string;
  /** As in `"[words...]"`; absent if the command takes none. */
  arguments?: string;
  /** A function if they are those of an operation, which is loaded only for its own command. */
  options: readonly Option[] | (() => Promise<readonly Option[]>);
  example: string;
  /** What can stand first among its arguments, for completion: one of these words, or a memory. */
  first?: readonly string[] | "memory" | "archived memory";
  /** Other words for it. */
  aliases?: readonly string[];
  /** Its names until 0.2, which still work and say the new one. */
  was?: readonly string[];
  /** If the old name was for several: what its first argument is for this one. */
  wasFor?: RegExp;
  /** It only reads, whatever its options: no other command is suggested for a mistyped word. */
  reads?: true;
  /** What to do instead, after wrong usage. */
  hint?: string;
  load(): Promise<{ run: Run }>;
}

const MOST_WORDS_OF_A_NAME = 3;

/** The command that the words begin with, by its name, an old name or an alias: the longest that fits. */
export function findCalled(commands: readonly Command[], words: readonly string[]) {
  for (let count = Math.min(MOST_WORDS_OF_A_NAME, words.length); count > 0; count--) {
    const phrase = words.slice(0, count).join(" ");
    const rest = words.slice(count);
    const command = commands.find(
      ({ aliases = [], name, was = [], wasFor }) =>
        name === phrase ||
        aliases.includes(phrase) ||
        (was.includes(phrase) && (wasFor?.test(rest[0] ?? "") ?? true)),
    );
    if (command) return { command, phrase, rest };
  }
  return undefined;
}

export const readOptions = async ({ options }: Command): Promise<readonly Option[]> =>
  typeof options === "function" ? options() : options;

/** Asks for completions, as the scripts of `strata completion` do. */
export const COMPLETE = "__complete";

export const JSON_OPTION = ["--json", "prints JSON"] as const;

/** What the option does that commands have which write a file that the user names. */
export const FORCE = "replaces the file if it exists";

/**
 * Writes a file that the user has named, relative to the working directory; returns its path. Rejects if something is
 * there, unless `isForced`.
 */
export async function writeNew(
  { files, folder }: Pick<CliContext, "files" | "folder">,
  name: string,
  contents: string | Uint8Array,
  isForced: boolean,
): Promise<string> {
  const path = resolve(folder, name);
  const why = `${path} already exists; choose another file, or replace it with --force`;
  if (isForced) await files.writeWhole(path, contents, { mode: "kept" });
  else if (!(await files.create(path, contents))) throw new StrataError("IN_THE_WAY", why);
  return path;
}

/* Checks what an option was given. Each throws `WRONG_ARGUMENT`, which ends the command with 2 before it does anything. */

export const WRONG_ARGUMENT = "WRONG_ARGUMENT";

type Given = string | boolean | undefined;

/** The whole number given to an option, or `usual`. */
export function readWhole(
  option: string,
  given: Given,
  { least, most, usual }: { least: number; most: number; usual: number },
): number {
  if (given === undefined) return usual;
  const value = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  const why = `${option} must be a whole number from ${least} to ${most}, not "${given}"`;
  throw new StrataError(WRONG_ARGUMENT, why);
}

/** Words separated by commas. */
export const readList = (given: string): string[] =>
  given
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** Styles a text, or returns it unchanged where no colours are wanted. */
export type Style = Record<"bold" | "dim" | "green" | "yellow" | "red", (text: string) => string>;

/** By default, colours if standard output is a terminal and NO_COLOR is not set. */
export function createStyle(isWanted = process.stdout.isTTY === true && !process.env.NO_COLOR): Style {
  const mark = (name: keyof Style) => (text: string) => (isWanted ? styleText(name, text) : text);
  const [bold, dim, green] = [mark("bold"), mark("dim"), mark("green")];
  return { bold, dim, green, yellow: mark("yellow"), red: mark("red") };
}

export const plainStyle = createStyle(false);

/* A progress bar for work of more than a second; on a terminal only, and removed at the end. */

export const CLEARED = "\r\u001b[K";

const SHOWN_AFTER_MS = 1_000;
const REDRAWN_AFTER_MS = 100;
const WIDTH = 24;

/** Silent for the first second; then shows the label, and the bar as soon as `step` was called. */
export function createProgress({ clock, draw }: Pick<CliContext, "clock" | "draw">, label: string) {
  if (!draw) return { step(_done: number, _all: number) {}, end() {} };
  const begunMs = clock.now();
  let drawnMs: number | undefined;
  const show = (text: string): void => {
    drawnMs = clock.now();
    draw(`${CLEARED}${text}`);
  };
  const stop = clock.after(SHOWN_AFTER_MS, () => drawnMs === undefined && show(`${label} …`));
  return {
    step(done: number, all: number) {
      const nowMs = clock.now();
      const isEarly = nowMs - begunMs < SHOWN_AFTER_MS;
      const isSoon = drawnMs !== undefined && nowMs - drawnMs < REDRAWN_AFTER_MS;
      if (!isEarly && !isSoon) show(formatBar(label, done, all));
    },
    end() {
      stop();
      if (drawnMs !== undefined) draw(CLEARED);
    },
  };
}

/** Runs work with a progress bar that Ctrl-C ends: the work looks at `signal` between two steps. */
export async function runLong<T>(
  cli: Pick<CliContext, "clock" | "draw" | "onInterrupt">,
  label: string,
  work: (stop: AbortController, step: (done: number, all: number) => void) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const release = cli.onInterrupt?.(() => stop.abort());
  const progress = createProgress(cli, label);
  try {
    return await work(stop, progress.step);
  } finally {
    progress.end();
    release?.();
  }
}

function formatBar(label: string, done: number, all: number): string {
  const share = all === 0 ? 1 : Math.min(1, done / all);
  const filled = Math.round(share * WIDTH);
  return `${label} ${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${Math.floor(share * 100)} %`;
}
