/** Entry that OpenCode's TUI loads. Only puts the parts together. */
import { openScreen } from "./host/screen.js";

/** OpenCode 1 calls this if a `tui.json` names the package. It shows nothing. */
async function tui(): Promise<void> {}

export default { id: "opencode-strata", tui, setup: openScreen };
