/** `strata history`: every change of one memory. */
import { parseID } from "../../memory/id.js";
import { exitCodes, type Run } from "../command.js";
import { requireMemory, withMemories } from "../memories.js";

export const run: Run = async (surroundings, { json }, args) =>
  withMemories(surroundings, async (memories) => {
    const words = args.join(" ");
    // What is gone altogether still has its lines.
    const id = parseID(words) ? words : (await requireMemory(memories, words)).id;
    const lines = await memories.history(id);
    if (json) surroundings.say(JSON.stringify(lines, null, 2));
    else if (lines.length === 0) surroundings.say(`No change of ${id} is known.`);
    for (const { at, before, after, by, from, operation, path, reason, run, session } of json ? [] : lines) {
      const what =
        before === null ? "made" : after === null ? "gone" : from === undefined ? "changed" : `from ${from}`;
      const why = [session, run && `run ${run}`, reason].filter(Boolean).join(", ");
      surroundings.say(
        `${at.slice(0, 19).replace("T", " ")}  ${by.padEnd(7)} ${operation.padEnd(10)} ${what}, ${path}${why === "" ? "" : `  (${why})`}`,
      );
    }
    return lines.length > 0 ? exitCodes.fine : exitCodes.problems;
  });
