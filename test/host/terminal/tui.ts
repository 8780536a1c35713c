/** OpenCode's real TUI in a project, as its user has it. */
import { patiently } from "../../support/patience.js";
import { countStart, findHost, isolation, prepareFolders } from "../stage/opencode.js";
import type { Project } from "../stage/project.js";
import { createMark, killStrays } from "../stage/strays.js";
import { HOST } from "../stage/which-host.js";
import { formatScreen } from "./screen.js";
import { openTerminal, type PseudoTerminal, type Size } from "./terminal.js";

/** With a sidebar, without one, and the smallest that people use. */
export const SIZES = {
  wide: { columns: 160, rows: 45 },
  middle: { columns: 100, rows: 30 },
  narrow: { columns: 80, rows: 24 },
} as const satisfies Record<string, Size>;

/** Columns of the host's sidebar, at the right of wide terminals. */
export const SIDEBAR = 42;

export interface TuiOptions {
  size?: Size;
  isDark?: boolean;
  /** Such as `--continue`. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export interface Tui extends PseudoTerminal {
  /** Types a message, waits until the prompt shows it, and presses Enter. */
  send(text: string): Promise<void>;
  /** The same with a slash command. */
  run(command: string): Promise<void>;
  /** Text of the columns of the sidebar. */
  sidebar(): string;
  /** Ends OpenCode as a user does whose prompt is empty; resolves with its exit code. */
  quit(): Promise<number | null>;
}

const START_MS = 30_000;
/** What the prompt shows when it takes input; that of OpenCode 2 takes a message once it knows the model. */
const READY = HOST === 2 ? / · \S+ Mock\s/ : /Ask anything|ctrl\+p commands/;

/** Starts OpenCode; resolves when its prompt takes input. */
export async function openTui(
  project: Project,
  { args = [], env = {}, isDark = true, size = SIZES.wide }: TuiOptions = {},
): Promise<Tui> {
  await prepareFolders(project);
  countStart(HOST);
  const mark = createMark();
  const terminal = await openTerminal({
    ...size,
    command: [findHost(), ...(HOST === 2 ? ["--standalone"] : []), ...args],
    cwd: project.path,
    env: { ...isolation(project), ...mark, ...env },
    isDark,
  });
  const close = async (): Promise<void> => {
    await terminal.close();
    await killStrays(mark);
  };
  try {
    await terminal.waitFor(READY, START_MS);
  } catch (error) {
    await close();
    throw error;
  }
  const send = async (text: string): Promise<void> => {
    terminal.type(text);
    await terminal.waitFor(text.trimEnd().slice(-SHOWN));
    terminal.press("enter");
  };
  return {
    ...terminal,
    send,
    // The space closes the list of commands, in which Enter would choose one.
    run: (command) => send(`${command} `),
    sidebar() {
      const screen = terminal.screen();
      return formatScreen(screen, screen.columns - SIDEBAR);
    },
    async quit() {
      const timer = setTimeout(() => void terminal.close(), patiently(QUIT_MS));
      terminal.press("ctrl+c");
      const code = await terminal.ended;
      clearTimeout(timer);
      await close();
      return code;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Characters of a typed text that are waited for: so many are never wrapped. */
const SHOWN = 12;
const QUIT_MS = 10_000;
