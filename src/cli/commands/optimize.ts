/** `strata optimize`: what `strata validate` found and what can be mended without losing anything. */
import { join } from "node:path";
import { planFolders } from "../../folders.js";
import { type ExitCode, exitCodes, type Run } from "../command.js";
import { requireProject } from "../project.js";
import { readSettings } from "../settings.js";
import { inspectMemory } from "../validate/find-flaws.js";
import { countFlaws, type Flaw, formatPath } from "../validate/flaw.js";
import { mendAll, planMends } from "../validate/mend.js";

export const run: Run = async (surroundings, { execute, json }) => {
  const { say, style, warn } = surroundings;
  const project = await requireProject(surroundings);
  const { config } = await readSettings(surroundings, project);
  const limits = config.autoMemory;
  const { flaws } = await inspectMemory(surroundings, project, config);
  const mendable = flaws.filter(({ mends }) => mends);
  const left = flaws.filter(({ level, mends }) => !mends && level !== "note");
  const usesFolder = join(planFolders(project).strata, "state", "memory", "uses");
  if (!json) for (const line of formatPlan(mendable, project)) say(line);
  const steps = execute ? planMends(mendable) : [];
  const failed = (await mendAll(surroundings, steps, { limits, usesFolder })).filter(
    ({ failure }) => failure,
  );
  if (json) {
    const shown = mendable.map(({ file, mends = [], what }) => ({
      file,
      what,
      mends: mends.map(({ says }) => says),
    }));
    const failures = failed.map(({ failure, mend: { says } }) => ({ says, failure }));
    say(JSON.stringify({ project, isDone: execute === true, mends: shown, failures, left }, null, 2));
  } else {
    if (mendable.length === 0) say("Nothing to mend.");
    else if (!execute) say("Nothing was changed; --execute does exactly this.");
    else say(`Done: ${steps.length - failed.length} of ${steps.length} steps.`);
    for (const { failure, mend } of failed) warn(`${style.red("Failed")}  ${mend.says}: ${failure}`);
    if (left.length > 0) say(`For you to decide: ${countFlaws(left)}; strata validate names them.`);
  }
  const isWell = failed.length === 0 && left.length === 0 && (execute === true || mendable.length === 0);
  return isWell ? exitCodes.fine : (exitCodes.problems satisfies ExitCode);
};

/** A line for each flaw, with all that is done about it. */
function formatPlan(flaws: readonly Flaw[], project: string): string[] {
  return flaws.map(
    ({ file, mends = [], what }) =>
      `${formatPath(file, project)}: ${what}; ${mends.map(({ says }) => says).join(", and ")}`,
  );
}
