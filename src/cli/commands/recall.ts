/** `strata recall`: the search that the agent has, for people. */
import PQueue from "p-queue";
import { planFolders } from "../../folders.js";
import { effectiveImportance } from "../../memory/rank.js";
import { formatFound } from "../../memory/search/found.js";
import { createMemorySearch } from "../../memory/search/search.js";
import type { Clock } from "../../seams/clock.js";
import { readType, readWhole } from "../arguments.js";
import { exitCodes, type Run } from "../command.js";
import { withMemories } from "../memories.js";
import { openOwnIn } from "../own.js";

const USUAL_LIMIT = 10;
const MOST_HITS = 1_000;

export const run: Run = async (surroundings, { archived, json, limit, type: wanted }, args) => {
  const { clock, files, say, warn } = surroundings;
  const text = args.join(" ").trim();
  const type = readType(wanted);
  if (text === "" && type === undefined) {
    warn("strata: say what is to be found: strata recall 'which port', or strata recall --type decision");
    return exitCodes.usage;
  }
  const most = readWhole("--limit", limit, { usual: USUAL_LIMIT, least: 1, most: MOST_HITS });
  return withMemories(surroundings, async (memories, project) => {
    const log = { error: report, warn: report, info() {}, debug() {} };
    const search = createMemorySearch({
      memories,
      clock: keepAwake(clock),
      files,
      log,
      background: new PQueue({ concurrency: 1 }),
      sessionMemory: planFolders(project).sessionMemory,
      sessions: openOwnIn(surroundings, project).sessions,
      importanceOf: (memory) => effectiveImportance(memory, memories.useOf(memory.id), clock.now()),
    });
    const found = await search.find({
      limit: most,
      ...(text !== "" && { text }),
      ...(type !== undefined && { type }),
      ...(archived === true && { archived }),
    });
    if (json) say(JSON.stringify({ found }, null, 2));
    else if (found.length === 0) say("Nothing found.");
    else say(found.map((one) => formatFound(one, clock.now())).join("\n"));
    return exitCodes.fine;
  });

  function report(_source: string, message: string): void {
    warn(`strata: ${message}`);
  }
};

/** Between two slices of an index nothing else holds the process: here somebody waits for it. */
function keepAwake(clock: Clock): Clock {
  return {
    ...clock,
    after(delayMs, action) {
      let isCancelled = false;
      void clock.pause(delayMs).then(() => isCancelled || action());
      return () => {
        isCancelled = true;
      };
    },
  };
}
