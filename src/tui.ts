/** The screen half as OpenCode loads it: puts the parts together and does nothing else. */
import { sayNoPort } from "./host/screen.js";

/** OpenCode 1 calls it where a `tui.json` names the package; there is nothing to show. */
async function tui(): Promise<void> {}

export default { id: "opencode-strata", tui, setup: sayNoPort };
