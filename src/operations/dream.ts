/** Tidies the memories of the project by rules, since only OpenCode may ask a model; and takes changes of memory back. */
import * as z from "zod";
import { runDream } from "../../layers/6-dream/dream.js";
import { formatCounts, formatDream, formatUndone, undoChange } from "../../layers/6-dream/page.js";
import { StrataError } from "../base/error.js";
import { requireProject } from "./core.js";
import { defineOperation, flag, REFUSED } from "./operation.js";
import { openLocks, openOwnState } from "./project.js";

const input = z.object({ dryRun: flag.default(false).describe("shows what would change") });

export const dream = defineOperation(input, async (core, { dryRun }) => {
  const project = requireProject(core);
  const { clock, folders, log, memories } = core;
  const { files } = openOwnState(project);
  const { config } = await project.settings();
  const locks = openLocks(project, "cli dream", files);
  const outcome = await runDream(
    { clock, files, folders, locks, log, memories },
    { maxRuntimeMs: config.dream.maxRuntime, ...(dryRun && { isDry: true }) },
  );
  if (outcome.kind === "refused" || outcome.kind === "failed")
    throw new StrataError(REFUSED, `did not dream: ${outcome.why}`);
  const { changes, findings, oldNotes = 0 } = outcome.report;
  const lines = [
    changes.length + findings.length + oldNotes === 0 ? "Nothing to change." : formatDream(outcome.report),
  ];
  if (changes.length + oldNotes > 0 && outcome.kind === "planned")
    lines.push("Nothing was changed: this was a dry run.");
  else if (changes.length > 0) lines.push(`${formatCounts(changes)}; ${core.nameOf("undo")} reverts it.`);
  return { text: lines.join("\n"), data: outcome };
});

/* undo */

const undoInput = z.object({
  run: z
    .string()
    .optional()
    .meta({ value: "id" })
    .describe("undoes this dream or change; DREAMS.md and strata memory history list the ids"),
});

export const undo = defineOperation(undoInput, async (core, { run }) => {
  const undone = await undoChange(core, {}, run);
  if (undone.kind === "nothing" && run !== undefined) throw new StrataError(REFUSED, undone.why);
  const isWhole = undone.kind === "undone" && undone.left.length === 0;
  return { text: formatUndone(undone), data: undone, isProblem: !isWhole };
});
