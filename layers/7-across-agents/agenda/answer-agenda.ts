/** `/agenda`; loaded at the first use. */
import { StrataError } from "../../../src/base/error.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { Leases } from "../leases/leases.js";
import { formatAgenda } from "./format-agenda.js";
import { createAgenda } from "./read-agenda.js";

export interface AgendaAnswerOptions
  extends Pick<LayerContext, "clock" | "files" | "folders" | "instances" | "memories" | "sessions"> {
  leases: Leases;
}

/** Older items are only counted, unless `--all` is given. */
export const USUAL_DAYS = 30;

export async function answerAgenda(
  options: AgendaAnswerOptions,
  { sessionID, words }: { sessionID: string; words: string },
): Promise<string> {
  const { clock, instances, memories } = options;
  const agenda = createAgenda({
    ...options,
    listMemories: () => memories.list(),
    living: instances.living,
  });
  const [action = "", id, ...more] = words.trim().split(/\s+/);
  if (action === "" || action === "--all") {
    const days = action === "" ? USUAL_DAYS : undefined;
    return formatAgenda(await agenda.read(), { nowMs: clock.now(), days, command: "/agenda" });
  }
  if ((action !== "claim" && action !== "release") || id === undefined || more.length > 0)
    throw new StrataError(
      "WRONG_WORDS",
      `expected nothing, --all, or claim or release and an id, "${words.trim()}" came. /agenda lists the ids`,
    );
  const item = await agenda[action](id, sessionID);
  return action === "claim" ? `Claimed for this session: ${item.text}` : `Released: ${item.text}`;
}
