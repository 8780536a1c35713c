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
import { CATEGORY, planKeys, screenCommands } from "./commands.js";
import { loadSolid, type Solid } from "./draw.js";
import { type Api, createOpenCode1, type SlotRender } from "./opencode-1.js";
import { createProjectRoot } from "./project-root.js";
import { createScreen, type Screen, type ScreenOptions } from "./screen.js";
import { readSubmitted } from "./submitted.js";

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
    const { complainIn } = await import("./log.js");
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
