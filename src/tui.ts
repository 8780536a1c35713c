/** Entry that OpenCode's TUI loads. Only puts the parts together. */
import { homedir } from "node:os";
import { readVariables } from "./host/environment.js";
import { openScreen } from "./host/screen.js";
import { systemClock as clock } from "./io/clock.js";
import { nodeFiles as files } from "./io/node-files.js";
import { type Api, openInOpenCode1 } from "./tui/open-1.js";
import { openInOpenCode2 } from "./tui/open-2.js";
import type { ScreenOptions } from "./tui/screen.js";

function planOptions(): ScreenOptions {
  const env = readVariables();
  return { clock, files, env, home: env.HOME || homedir() };
}

/** OpenCode 1 calls this if a `tui.json` names the package. Never rejects: without it the TUI is as it was. */
async function tui(api?: unknown, given?: unknown): Promise<void> {
  await openInOpenCode1(api as Api, given, planOptions()).catch(() => {});
}

/** OpenCode 2. Never throws. */
function setup(context: unknown): (() => void) | undefined {
  const end = openScreen(context);
  const endPages = openInOpenCode2(context, planOptions());
  if (!end && !endPages) return undefined;
  return () => {
    end?.();
    endPages?.();
  };
}

export default { id: "opencode-strata", tui, setup };
