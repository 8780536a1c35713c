/** `strata dream`: tidies the memories of the project by rules; only OpenCode may ask a model. */
import { type DreamOutcome, runDream } from "../../../layers/6-dream/dream.js";
import { formatCounts, formatDream } from "../../../layers/6-dream/page.js";
import { type CliContext, type ExitCode, exitCodes, type Run } from "../../operations/command.js";
import { withMemories } from "../../operations/open-memories.js";
import { openLocks, openOwnState, openProject } from "../../operations/project.js";

export const run: Run = async (cli, { dryRun, json }) => {
  const project = await openProject(cli);
  const { folders, log } = project;
  return withMemories(project, async (memories) => {
    const { files } = openOwnState(project);
    const { config } = await project.settings();
    const parts = {
      clock: cli.clock,
      files,
      folders,
      locks: openLocks(project, "cli dream", files),
      log,
      memories,
    };
    const outcome = await runDream(parts, {
      maxRuntimeMs: config.dream.maxRuntime,
      ...(dryRun === true && { isDry: true }),
    });
    return report(cli, outcome, json === true);
  });
};

function report({ say, warn }: CliContext, outcome: DreamOutcome, asJSON: boolean): ExitCode {
  if (asJSON) say(JSON.stringify(outcome, null, 2));
  if (outcome.kind === "refused" || outcome.kind === "failed") {
    if (!asJSON) warn(`strata: did not dream: ${outcome.why}`);
    return exitCodes.failed;
  }
  const { changes, findings, oldNotes = 0 } = outcome.report;
  if (!asJSON) {
    if (changes.length + findings.length + oldNotes === 0) say("Nothing to change.");
    else say(formatDream(outcome.report));
    if (changes.length + oldNotes > 0 && outcome.kind === "planned")
      say("Nothing was changed: this was a dry run.");
    else if (changes.length > 0) say(`${formatCounts(changes)}; strata undo reverts it.`);
  }
  return exitCodes.fine;
}
