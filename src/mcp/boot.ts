import { formatOpenConflicts } from "../../layers/5-auto-memory/conflicts.js";
import { formatActive } from "../../layers/5-auto-memory/injection/active-sessions.js";
import { planBoot } from "../../layers/5-auto-memory/injection/boot.js";
import { findLineIDs } from "../../layers/5-auto-memory/injection/line.js";
import { rankMemories } from "../memory/rank.js";
import type { ClientContext } from "./client-context.js";
import { isShownPath } from "./without-private.js";

/** Relative to the project, as the plugin names it. */
const INDEX_PATH = ".opencode/memory/MEMORY.md";

/** What an OpenCode session is shown when it starts, or a sentence that there is nothing. */
export async function formatBoot({ conflicts, shared, instances, session }: ClientContext): Promise<string> {
  const { allowsPrivate, config, memories, project } = shared;
  const nowMs = project.cli.clock.now();
  const all = await memories.list();
  const ranked = rankMemories(all, memories.useOf, nowMs).flatMap((part) => part.memories);
  const open = (await conflicts.open()).filter(({ path }) => allowsPrivate || isShownPath(path));
  const living = config.boot.activeSessions ? await instances.living() : [];
  const block = planBoot(ranked, {
    nowMs,
    indexPath: INDEX_PATH,
    conflicts: formatOpenConflicts(open),
    active: formatActive(living, { ownID: instances.ownID, sessionID: session() }),
    shows: config.boot,
  });
  const ids = new Set(findLineIDs(block ?? ""));
  conflicts.see(all.filter(({ id }) => ids.has(id)));
  return block ?? "Nothing is remembered about this project yet.";
}
