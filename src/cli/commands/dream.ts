/** `strata dream`: tidies the memories of the project by rules alone; a model is only asked within OpenCode. */
import { createDreams, type DreamOutcome } from "../../../layers/6-dream/dream.js";
import { formatCounts, formatDream } from "../../../layers/6-dream/dreams-page.js";
import { planFolders } from "../../folders.js";
import { findSecretIn } from "../../memory/secret-gate.js";
import { type ExitCode, exitCodes, type Run, type Surroundings } from "../command.js";
import { openLocks, withMemories } from "../memories.js";
import { openOwnIn } from "../own.js";
import { readSettings } from "../settings.js";

export const run: Run = async (surroundings, { dryRun, json }) =>
  withMemories(surroundings, async (memories, project) => {
    const { clock, warn } = surroundings;
    const { files } = openOwnIn(surroundings, project);
    const { config } = await readSettings(surroundings, project);
    const report = (_source: string, message: string): void => warn(`strata: ${message}`);
    const dreams = createDreams({
      clock,
      files,
      folders: planFolders(project),
      locks: openLocks({ ...surroundings, files }, "cli dream"),
      log: { error: report, warn: report, info() {}, debug() {} },
      memories,
      check: { findFault: findSecretIn },
    });
    const outcome = await dreams.run({
      maxRuntimeMs: config.dream.maxRuntime,
      ...(dryRun === true && { isDry: true }),
    });
    return tell(surroundings, outcome, json === true);
  });

function tell({ say, warn }: Surroundings, outcome: DreamOutcome, asJSON: boolean): ExitCode {
  if (asJSON) say(JSON.stringify(outcome, null, 2));
  if (outcome.kind === "refused" || outcome.kind === "failed") {
    if (!asJSON) warn(`strata: no dream: ${outcome.why}`);
    return exitCodes.failed;
  }
  const { changes, findings } = outcome.report;
  if (!asJSON) {
    if (changes.length + findings.length === 0) say("Nothing to change.");
    else say(formatDream(outcome.report));
    if (outcome.kind === "planned") say("Nothing was changed; without --dry-run it is.");
    else if (changes.length > 0) say(`${formatCounts(changes)}; strata undo takes it back.`);
  }
  return exitCodes.fine;
}
