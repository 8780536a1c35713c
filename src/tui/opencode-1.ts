/**
 * The screen of OpenCode 1 (measured with 1.18.33): its dialogs, colours and keys. Only the part of its API that is used
 * here is declared.
 */
import type { Colour } from "./format-sidebar.js";
import type { Dialogs, ScreenHost, SelectKey, SelectPage } from "./screen-host.js";

export interface Api {
  ui: {
    DialogAlert(props: { title: string; message: string; onConfirm?: () => void }): unknown;
    DialogConfirm(props: {
      title: string;
      message: string;
      onConfirm?: () => void;
      onCancel?: () => void;
    }): unknown;
    DialogPrompt(props: {
      title: string;
      placeholder?: string;
      value?: string;
      onConfirm?: (value: string) => void;
    }): unknown;
    DialogSelect<Value>(props: {
      title: string;
      options: HostOption<Value>[];
      onSelect?: (option: HostOption<Value>) => void;
      onMove?: (option: HostOption<Value>) => void;
      current?: Value;
    }): unknown;
    toast(toast: {
      message: string;
      title?: string;
      variant?: "info" | "success" | "warning" | "error";
      duration?: number;
    }): void;
    dialog: {
      replace(render: () => never, onClose?: () => void): void;
      clear(): void;
      setSize(size: "medium" | "large" | "xlarge"): void;
      readonly open: boolean;
    };
  };
  state: { readonly path: { readonly directory: string } };
  route: { readonly current: { readonly name: string; readonly params?: Readonly<Record<string, unknown>> } };
  theme: { readonly current: object };
  renderer: Terminal;
  keymap: Keymap;
  keys: { formatBindings(bindings: readonly never[] | undefined): string | undefined };
  event: { on(type: "session.idle", listener: () => void): () => void };
  lifecycle: { readonly signal: AbortSignal; onDispose(run: () => void): () => void };
  slots: { register(plugin: { order?: number; slots: Record<string, SlotRender> }): string };
}

export type SlotRender = (context: never, props: { readonly session_id?: string }) => unknown;

interface HostOption<Value> {
  title: string;
  value: Value;
  description?: string;
  footer?: string;
  category?: string;
}

export interface Keymap {
  /** The command of the highest priority runs first; one that returns `false` leaves it to the next of its name. */
  registerLayer(layer: {
    priority?: number;
    commands: readonly Command[];
    bindings: readonly { key: string; cmd: string }[];
  }): unknown;
  getCommandBindings(query: {
    visibility: "registered";
    commands: readonly string[];
  }): ReadonlyMap<string, readonly never[]>;
}

export interface Command {
  name: string;
  title: string;
  desc?: string;
  category: string;
  namespace?: "palette";
  slashName?: string;
  hidden?: boolean;
  run(): unknown;
}

export interface Terminal {
  suspend(): void;
  resume(): void;
  requestRender(): void;
  readonly currentRenderBuffer?: { clear(): void };
  readonly currentFocusedEditor?: Editor | null;
  readonly isDestroyed?: boolean;
}

/** The input in which the user types. */
export interface Editor {
  readonly plainText: string;
  clear(): void;
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
    colour: (name) => Reflect.get(api.theme.current, COLOURS[name]),
    keysOf(command) {
      try {
        const query = { visibility: "registered", commands: [command] } as const;
        return api.keys.formatBindings(api.keymap.getCommandBindings(query).get(command)) || undefined;
      } catch {
        return undefined;
      }
    },
    dialogs: createDialogs(api),
    isGone: () => api.lifecycle.signal.aborted || api.renderer.isDestroyed === true,
    whileSuspended: (run) => whileSuspended(api.renderer, run),
  };
}

/** As OpenCode 1 does for its own editor. */
async function whileSuspended<T>(terminal: Terminal, run: () => Promise<T>): Promise<T> {
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

/** Returns what takes the keys away again. */
function addKeys<Value>(
  keymap: Keymap,
  keys: readonly SelectKey<Value>[],
  press: (key: SelectKey<Value>) => void,
): unknown {
  if (keys.length === 0) return undefined;
  const nameOf = ({ key }: SelectKey<Value>): string => `strata.select.${key}`;
  return keymap.registerLayer({
    priority: OVER_DIALOGS,
    commands: keys.map((one) => ({
      ...{ name: nameOf(one), title: one.title, category: "Strata", hidden: true },
      run: () => press(one),
    })),
    bindings: keys.map((one) => ({ key: one.key, cmd: nameOf(one) })),
  });
}

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
      const chosen = await open<Value | undefined>("large", undefined, (answer) => {
        release ??= addKeys(keymap, keys, (key) => current !== undefined && answer(key.choose(current)));
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
