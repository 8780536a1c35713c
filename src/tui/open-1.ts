/**
 * Strata in the TUI of OpenCode 1 (measured with 1.18.33):
 *
 *     sidebar_content        the block of figures
 *     session_prompt_right   one figure, where the sidebar is hidden
 *     palette and keys       the pages
 *     input.submit           /memory and the like open their page; all else is left to the host
 *
 * The server half offers most of these slash commands, and OpenCode lists a command of the keymap beside one of the
 * server with the same name. So only names that the server half lacks are given to the keymap; of the others, what is
 * submitted is taken before it is sent.
 */
import { loadSolid, type Solid } from "./draw.js";
import type { Colour } from "./format-sidebar.js";
import { CATEGORY, planKeys, readSubmitted, screenCommands } from "./page.js";
import {
  createComplaints,
  createProjectRoot,
  createScreen,
  type Screen,
  type ScreenOptions,
} from "./screen.js";
import type { Dialogs, ScreenHost, SelectOption, SelectPage } from "./screen-host.js";

/** Between the host's own context block (100) and its list of MCP servers (200). */
const SIDEBAR_ORDER = 150;
/** Before the host's own command of that name. */
const BEFORE_HOST = 10;

/** Rejects in a host without any of this. What fails otherwise is in Strata's log. */
export async function openInOpenCode1(
  api: Api,
  given: unknown,
  options: ScreenOptions,
  load: () => Promise<Solid> = loadSolid,
): Promise<void> {
  const host = createOpenCode1(api);
  try {
    const screen = createScreen(host, await load(), options);
    api.lifecycle.onDispose(() => screen.stop());
    const slots = {
      sidebar_content: () => screen.drawSidebar(),
      session_prompt_right: () => screen.drawFooter(),
    };
    api.slots.register({ order: SIDEBAR_ORDER, slots });
    registerCommands(api, given, screen);
  } catch (thrown) {
    const findProject = createProjectRoot({ ...options, folder: host.folder });
    createComplaints({ ...options, findProject })("the sidebar and pages cannot be shown", thrown);
  }
}

function registerCommands(api: Api, given: unknown, screen: Screen): void {
  api.keymap.registerLayer({
    commands: screenCommands.map(({ name, page, slash, title }) => ({
      ...{ name, title, category: CATEGORY, namespace: "palette" },
      ...(slash !== undefined && { slashName: slash }),
      run: () => screen.open(page),
    })),
    bindings: planKeys(given),
  });
  api.keymap.registerLayer({
    priority: BEFORE_HOST,
    // The return key, and the palette's entry.
    commands: ["input.submit", "prompt.submit"].map((name) => ({
      ...{ name, title: "Submit", category: "Prompt", hidden: true },
      run: () => takeSubmitted(api, screen),
    })),
    bindings: [],
  });
}

/** `false` leaves the prompt to the host. Must not return a promise, which would count as done. */
function takeSubmitted(api: Api, screen: Screen): boolean {
  try {
    const editor = api.ui.dialog.open ? undefined : api.renderer.currentFocusedEditor;
    const submitted = editor ? readSubmitted(editor.plainText) : undefined;
    if (!editor || !submitted) return false;
    // The page of /memory has no use for words, so they stay in the prompt.
    if (submitted.page !== "memory" || submitted.words === "") editor.clear();
    screen.open(submitted.page, submitted.words);
    return true;
  } catch {
    return false;
  }
}

/* The part of its API that is used here. */

export interface Api {
  ui: {
    DialogAlert(props: DialogProps): unknown;
    DialogConfirm(props: DialogProps & { onCancel?: () => void }): unknown;
    DialogPrompt(props: {
      title: string;
      placeholder?: string;
      value?: string;
      onConfirm?: (value: string) => void;
    }): unknown;
    DialogSelect<Value>(props: {
      title: string;
      options: SelectOption<Value>[];
      onSelect?: (option: SelectOption<Value>) => void;
      onMove?: (option: SelectOption<Value>) => void;
      current?: Value;
    }): unknown;
    toast(toast: { message: string; variant?: "info" | "success" | "warning" | "error" }): void;
    dialog: {
      replace(render: () => never, onClose?: () => void): void;
      clear(): void;
      setSize(size: "medium" | "large" | "xlarge"): void;
      readonly open: boolean;
    };
  };
  state: { readonly path: { readonly directory: string } };
  route: {
    readonly current: { readonly name: string; readonly params?: Readonly<Record<string, unknown>> };
    navigate(name: "session", params: { sessionID: string }): void;
  };
  theme: { readonly current: object };
  renderer: {
    suspend(): void;
    resume(): void;
    requestRender(): void;
    readonly currentRenderBuffer?: { clear(): void };
    /** The input in which the user types. */
    readonly currentFocusedEditor?: { readonly plainText: string; clear(): void } | null;
    readonly isDestroyed?: boolean;
  };
  keymap: {
    /** The command of the highest priority runs first; one that returns `false` leaves it to the next of its name. */
    registerLayer(layer: {
      priority?: number;
      commands: readonly Command[];
      bindings: readonly { key: string; cmd: string }[];
    }): unknown;
  };
  lifecycle: { readonly signal: AbortSignal; onDispose(run: () => void): () => void };
  slots: { register(plugin: { order?: number; slots: Record<string, () => unknown> }): string };
}

interface DialogProps {
  title: string;
  message: string;
  onConfirm?: () => void;
}

export interface Command {
  name: string;
  title: string;
  category: string;
  namespace?: "palette";
  slashName?: string;
  hidden?: boolean;
  run(): unknown;
}

/** Names in OpenCode's themes. */
const COLOURS: Readonly<Record<Colour, string>> = {
  text: "text",
  muted: "textMuted",
  accent: "primary",
  good: "success",
  warning: "warning",
  bad: "error",
  kind1: "secondary",
  kind2: "success",
  kind3: "primary",
  kind4: "info",
  kind5: "warning",
  kind6: "accent",
  kind7: "error",
};

export function createOpenCode1(api: Api): ScreenHost {
  return {
    folder: () => api.state.path.directory || undefined,
    sessionID() {
      const { name, params } = api.route.current;
      return name === "session" && typeof params?.sessionID === "string" ? params.sessionID : undefined;
    },
    openSession(sessionID) {
      api.route.navigate("session", { sessionID });
      return true;
    },
    colour: (name) => Reflect.get(api.theme.current, COLOURS[name]),
    dialogs: createDialogs(api),
    isGone: () => api.lifecycle.signal.aborted || api.renderer.isDestroyed === true,
    whileSuspended: (run) => whileSuspended(api.renderer, run),
  };
}

/** As OpenCode 1 does for its own editor. */
async function whileSuspended<T>(terminal: Api["renderer"], run: () => Promise<T>): Promise<T> {
  terminal.suspend();
  terminal.currentRenderBuffer?.clear();
  try {
    return await run();
  } finally {
    terminal.currentRenderBuffer?.clear();
    terminal.resume();
    terminal.requestRender();
  }
}

/** Before the dialog's own keys, as long as it is open. */
const OVER_DIALOGS = 1_000;

/** Each of the host's dialogs as a promise. A dialog is open until the next one or `close`. */
function createDialogs({ keymap, ui }: Api): Dialogs {
  /** `render` gets the function that answers. */
  const open = <T>(
    size: "medium" | "large",
    closed: T,
    render: (answer: (value: T) => void) => unknown,
  ): Promise<T> =>
    new Promise((resolve) => {
      // The element is the host's own, which only its types can name.
      ui.dialog.replace(
        () => render(resolve) as never,
        () => resolve(closed),
      );
      ui.dialog.setSize(size);
    });
  return {
    async select<Value>(page: SelectPage<Value>) {
      const { keys = [], options } = page;
      let current = page.current ?? options[0]?.value;
      let release: unknown;
      const hint = keys.map(({ key, title }) => `${key} ${title}`).join(", ");
      const addKeys = (answer: (value: Value) => void): unknown =>
        keymap.registerLayer({
          priority: OVER_DIALOGS,
          commands: keys.map(({ choose, key, title }) => ({
            ...{ name: `strata.select.${key}`, title, category: CATEGORY, hidden: true },
            run: () => current !== undefined && answer(choose(current)),
          })),
          bindings: keys.map(({ key }) => ({ key, cmd: `strata.select.${key}` })),
        });
      const chosen = await open<Value | undefined>("large", undefined, (answer) => {
        release ??= keys.length > 0 && addKeys(answer);
        return ui.DialogSelect<Value>({
          title: [page.title, hint].filter(Boolean).join(": "),
          options: [...options],
          onSelect: ({ value }) => answer(value),
          onMove: ({ value }) => {
            current = value;
          },
          ...(page.current !== undefined && { current: page.current }),
        });
      });
      if (typeof release === "function") release();
      return chosen;
    },
    confirm: (title, message) =>
      open("large", false, (answer) =>
        ui.DialogConfirm({ title, message, onConfirm: () => answer(true), onCancel: () => answer(false) }),
      ),
    prompt: (title, given = {}) =>
      open<string | undefined>("large", undefined, (answer) =>
        ui.DialogPrompt({ title, ...given, onConfirm: answer }),
      ),
    alert: (title, message) =>
      open("large", undefined, (answer) =>
        ui.DialogAlert({ title, message, onConfirm: () => answer(undefined) }),
      ),
    toast(message, variant) {
      ui.toast({ message: `Strata: ${message}`, variant });
    },
    close: () => ui.dialog.clear(),
  };
}
