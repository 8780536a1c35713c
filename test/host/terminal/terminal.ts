/**
 * A program in a terminal of a given size, without native parts: `script` of util-linux gives it a pseudo-terminal,
 * `stty` sets the size, and a headless xterm reads what it draws and answers what it asks.
 *
 * - Waits end as soon as the screen fits, are bounded, and fail with the screen.
 * - The program ends with `close`, and with this process, even if that is killed.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import xterm from "@xterm/headless";
import { patiently } from "../../support/patience.js";
import { entrust } from "../stage/keeper.js";
import { type Colours, DARK, formatScreen, LIGHT, paletteColour, readScreen, type Screen } from "./screen.js";

export interface Size {
  columns: number;
  rows: number;
}

export interface TerminalOptions extends Size {
  /** The program and its arguments. */
  command: readonly string[];
  cwd: string;
  /** All of the program's environment, apart from what describes the terminal. */
  env: Readonly<Record<string, string>>;
  /** Whether the terminal has a dark background; it tells a program that asks. */
  isDark?: boolean;
}

export type Key = keyof typeof KEYS | `ctrl+${string}`;

/** What the screen must show: a text, a pattern, or anything else. */
export type Wanted = string | RegExp | ((screen: Screen) => boolean);

export interface PseudoTerminal extends AsyncDisposable {
  /** Of the program, which leads its own process group. */
  readonly pid: number;
  /** The whole screen, one line for each row. */
  text(): string;
  screen(): Screen;
  /** Types characters; control characters as they are. */
  type(text: string): void;
  press(...keys: Key[]): void;
  /** Clears the screen, so that what it shows next was drawn for this size. */
  resize(size: Size): void;
  /** Resolves with the screen's text when it shows this; rejects with it after `timeoutMs` (20 s, more on a slow machine). */
  waitFor(wanted: Wanted, timeoutMs?: number): Promise<string>;
  /** Resolves when the screen no longer shows this. */
  waitWithout(unwanted: string | RegExp, timeoutMs?: number): Promise<string>;
  /** Resolves with the program's exit code. */
  readonly ended: Promise<number | null>;
  /** Kills the program and its children. */
  close(): Promise<void>;
}

/** Bytes that a terminal without the newer keyboard protocols sends. */
const KEYS = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  backspace: "\x7f",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
  end: "\x1b[F",
};

/** Private sequence in which the shell names the program's pid and its terminal. */
const INTRODUCTION = 7_777;
const START_MS = 10_000;
const WAIT_MS = 20_000;

/** Resolves when the program has been started. */
export async function openTerminal(options: TerminalOptions): Promise<PseudoTerminal> {
  const { columns, cwd, env, rows } = options;
  const child = spawn(
    "script",
    ["--quiet", "--return", "--flush", "--command", formatCommand(options), "/dev/null"],
    {
      cwd,
      env: { ...env, SHELL: "/bin/sh", TERM: "xterm-256color", COLORTERM: "truecolor" },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    },
  );
  const own = options.isDark === false ? LIGHT : DARK;
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
  const view = watch(terminal, child, own);
  const releases = [entrust({ group: child.pid ?? 0 })];
  let isOver = false;
  void view.ended.then(() => {
    isOver = true;
  });
  const close = async (): Promise<void> => {
    // After it has ended, its pid may belong to another process.
    for (const pid of isOver ? [] : [introduced.pid, child.pid]) killGroup(pid);
    await view.ended;
    for (const release of releases.splice(0)) release();
    terminal.dispose();
  };
  const introduced = { pid: 0, path: "" };
  terminal.parser.registerOscHandler(INTRODUCTION, (text) => {
    const [pid, path] = text.split(";");
    Object.assign(introduced, { pid: Number(pid), path });
    releases.push(entrust({ group: introduced.pid }));
    return true;
  });
  try {
    await view.waitFor(() => introduced.pid > 0, START_MS);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...view,
    pid: introduced.pid,
    type: (text) => void child.stdin.write(text),
    press: (...keys) => void child.stdin.write(keys.map(formatKey).join("")),
    resize(size) {
      terminal.resize(size.columns, size.rows);
      terminal.write("\x1b[2J");
      const [height, width] = [String(size.rows), String(size.columns)];
      execFileSync("stty", ["-F", introduced.path, "rows", height, "columns", width]);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The size is set, and the program named, before it starts in the shell's place. */
function formatCommand({ columns, command, rows }: TerminalOptions): string {
  const introduce = `printf '\\033]${INTRODUCTION};%d;%s\\007' $$ "$(tty)"`;
  return `stty rows ${rows} columns ${columns} -echo; ${introduce}; exec ${command.map(quote).join(" ")}`;
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

function formatKey(key: Key): string {
  if (key in KEYS) return KEYS[key as keyof typeof KEYS];
  return String.fromCharCode((key.toUpperCase().at(-1) ?? "").charCodeAt(0) - 64);
}

type View = Pick<PseudoTerminal, "ended" | "screen" | "text" | "waitFor" | "waitWithout">;

function watch(terminal: InstanceType<typeof xterm.Terminal>, child: ChildProcess, own: Colours): View {
  const watchers = new Set<() => void>();
  const screen = (): Screen => readScreen(terminal, own);
  const text = (): string => formatScreen(screen());
  let complaint = "";
  let hasEnded = false;
  answer(terminal, child, own);
  child.stderr?.setEncoding("utf8").on("data", (more: string) => {
    complaint += more;
  });
  child.stdout?.on("data", (bytes: Uint8Array) => terminal.write(bytes, look));
  child.stdin?.on("error", () => {});
  const ended = once(child, "close").then(
    ([code]) => {
      hasEnded = true;
      look();
      return code as number | null;
    },
    (error: Error) => {
      complaint += error.message;
      hasEnded = true;
      look();
      return null;
    },
  );

  /** A frame that is being drawn is not looked at. */
  function look(): void {
    if (terminal.modes.synchronizedOutputMode && !hasEnded) return;
    for (const watcher of watchers) watcher();
  }

  function wait(fits: () => boolean, what: string, timeoutMs: number): Promise<string> {
    const boundMs = patiently(timeoutMs);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => fail(`not seen within ${boundMs} ms`), boundMs);
      const finish = (): void => {
        clearTimeout(timer);
        watchers.delete(watcher);
      };
      const fail = (why: string): void => {
        finish();
        reject(new Error(`${what} was ${why}. The screen:\n${text()}\n${complaint}`));
      };
      const watcher = (): void => {
        if (fits()) {
          finish();
          resolve(text());
        } else if (hasEnded) fail("not seen before the program ended");
      };
      watchers.add(watcher);
      watcher();
    });
  }

  return {
    ended,
    screen,
    text,
    waitFor: (wanted, timeoutMs = WAIT_MS) =>
      wait(() => shows(screen(), wanted), describe(wanted), timeoutMs),
    waitWithout: (unwanted, timeoutMs = WAIT_MS) =>
      wait(() => !shows(screen(), unwanted), `a screen without ${describe(unwanted)}`, timeoutMs),
  };
}

function shows(screen: Screen, wanted: Wanted): boolean {
  if (typeof wanted === "function") return wanted(screen);
  const text = formatScreen(screen);
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}

const describe = (wanted: Wanted): string =>
  typeof wanted === "function"
    ? "what was waited for"
    : typeof wanted === "string"
      ? `"${wanted}"`
      : `${wanted}`;

/** Answers what a program asks: xterm by itself, except for its colours, which a headless one does not have. */
function answer(terminal: InstanceType<typeof xterm.Terminal>, child: ChildProcess, own: Colours): void {
  const send = (text: string): void => void child.stdin?.write(text);
  terminal.onData(send);
  const asked: [code: number, colour: string][] = [
    [10, own.ink],
    [11, own.paper],
  ];
  for (const [code, colour] of asked)
    terminal.parser.registerOscHandler(code, (text) => {
      if (text === "?") send(`\x1b]${code};${formatColour(colour)}\x1b\\`);
      return true;
    });
  terminal.parser.registerOscHandler(4, (text) => {
    for (const [, index] of text.matchAll(/(\d+);\?/g))
      send(`\x1b]4;${index};${formatColour(paletteColour(Number(index)))}\x1b\\`);
    return true;
  });
}

/** `#ff8000` → `rgb:ffff/8080/0000` */
const formatColour = (colour: string): string =>
  `rgb:${[1, 3, 5].map((at) => colour.slice(at, at + 2).repeat(2)).join("/")}`;

function killGroup(pid: number | undefined): void {
  if (!pid) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Every process of the group has ended.
  }
}
