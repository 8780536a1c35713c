/** `strata undo`: takes back what was last done to memory. */
import { formatUndone, takeBack } from "../../../layers/6-dream/take-back.js";
import { planFolders } from "../../folders.js";
import { keepLaterState } from "../../record/later-state.js";
import { exitCodes, type Run } from "../command.js";
import { withMemories } from "../memories.js";

export const run: Run = async (surroundings, { run: wanted }) =>
  withMemories(surroundings, async (memories, project) => {
    const { clock, say, warn } = surroundings;
    const report = (_source: string, message: string): void => warn(`strata: ${message}`);
    const log = { error: report, warn: report, info() {}, debug() {} };
    const files = keepLaterState(surroundings.files, log);
    const undone = await takeBack(
      { clock, files, folders: planFolders(project), log, memories },
      {},
      typeof wanted === "string" ? wanted : undefined,
    );
    if (undone.kind === "nothing" && typeof wanted === "string") {
      warn(`strata: ${undone.why}`);
      return exitCodes.failed;
    }
    say(formatUndone(undone));
    const isWhole = undone.kind === "undone" && undone.left.length === 0;
    return isWhole ? exitCodes.fine : exitCodes.problems;
  });
