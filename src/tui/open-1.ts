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
import { formatError } from "../base/error.js";
import { loadSolid, type Solid } from "./draw.js";
import { type Api, createOpenCode1, type SlotRender } from "./opencode-1.js";
import { type Page, readSubmitted } from "./page.js";
import { complainIn, createProjectRoot } from "./project-root.js";
import { createScreen, type Screen, type ScreenOptions } from "./screen.js";

/** Between the host's own context block (100) and its list of MCP servers (200). */
const SIDEBAR_ORDER = 150;
/** Before the host's own command of that name. */
const BEFORE_HOST = 10;

/** Rejects in a host without any of this. What fails otherwise is in Strata's log. */
export async function openInOpenCode1(api: Api, given: unknown, options: ScreenOptions): Promise<void> {
  const folder = (): string | undefined => api.state.path.directory || undefined;
  try {
    openOn(api, given, { solid: await loadSolid(), options });
  } catch (thrown) {
    const project = await createProjectRoot({ ...options, folder })();
    const what = `the sidebar and pages cannot be shown in this OpenCode: ${formatError(thrown)}`;
    if (project !== undefined) await complainIn(project, what, options);
  }
}

export function openOn(
  api: Api,
  given: unknown,
  { options, solid }: { options: ScreenOptions; solid: Solid },
): void {
  const screen = createScreen(createOpenCode1(api), solid, options);
  const off = api.event.on("session.idle", () => screen.endTurn());
  api.lifecycle.onDispose(() => {
    off();
    screen.stop();
  });
  const slots: Record<string, SlotRender> = {
    sidebar_content: () => screen.drawSidebar(),
    session_prompt_right: () => screen.drawFooter(),
  };
  api.slots.register({ order: SIDEBAR_ORDER, slots });
  registerCommands(api, given, screen);
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

/* The commands of the screen half: names, titles and keys. */

export interface ScreenCommand {
  name: string;
  title: string;
  page: Page;
  /** Where the server half offers no command of that name. */
  slash?: string;
  /** Behind the leader key; these letters are free in OpenCode 1.18.33 and 2.0.15. */
  key?: string;
}

export const CATEGORY = "Strata";

export const screenCommands: readonly ScreenCommand[] = [
  { name: "strata.memory", title: "Strata: figures and memory", page: "memory", key: "<leader>o" },
  { name: "strata.context", title: "Strata: see and steer the context", page: "context", key: "<leader>k" },
  { name: "strata.memories", title: "Strata: memories", page: "memories" },
  { name: "strata.recall", title: "Strata: search memories and notes", page: "recall" },
  { name: "strata.candidates", title: "Strata: keep or drop candidates", page: "keep" },
  { name: "strata.notes", title: "Strata: notes on this session", page: "notes", slash: "notes" },
  {
    name: "strata.undo",
    title: "Strata: take back the last change of memory",
    page: "undo",
    key: "<leader>z",
  },
];

/**
 * The keys in force. The `keys` of the plugin's options in tui.json replace them by the name's last part, such as
 * `{ "memory": "f6", "context": "none" }`.
 */
export function planKeys(options: unknown): { key: string; cmd: string }[] {
  const given = (options as { keys?: unknown } | null | undefined)?.keys;
  const wanted = typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
  return screenCommands.flatMap(({ key, name }) => {
    const own = wanted[name.slice("strata.".length)];
    const chosen = typeof own === "string" ? own.trim() : key;
    return chosen === undefined || chosen === "" || chosen === "none" ? [] : [{ key: chosen, cmd: name }];
  });
}
