/** Tidies the memories of the project by rules, since only OpenCode may ask a model; and takes changes of memory back. */
import * as z from "zod";
import { runDream } from "../../layers/6-dream/dream.js";
import { formatCounts, formatDream, formatUndone, undoChange } from "../../layers/6-dream/page.js";
import { listExpired } from "../../layers/6-dream/put-away.js";
import { StrataError } from "../base/error.js";
import { kernelFiles } from "../kernel/file-kinds.js";
import { withdraw } from "./context.js";
import { defineOperation, flag, option, REFUSED, requireProject } from "./operation.js";
import { openOwnState } from "./own-state.js";
import { openLocks } from "./project.js";

const input = z.object({ dryRun: flag.default(false).describe("shows what would change") });

export const dream = defineOperation(input, async (core, { dryRun }) => {
  const project = requireProject(core);
  const { clock, folders, log, memories } = core;
  const { files } = openOwnState(project);
  const { config } = await project.settings();
  const locks = openLocks(project, "cli dream", files);
  const { loadLayers } = project.cli;
  const world = { clock, files, folders, processes: project.processes };
  const kinds = async () => [...kernelFiles, ...(await loadLayers()).flatMap((layer) => layer.files)];
  const outcome = await runDream(
    {
      ...{ clock, files, folders, locks, log, memories },
      listExpired: async () => listExpired(world, await kinds()),
    },
    { maxRuntimeMs: config.dream.maxRuntime, ...(dryRun && { isDry: true }) },
  );
  if (outcome.kind === "refused" || outcome.kind === "failed")
    throw new StrataError(REFUSED, `did not dream: ${outcome.why}`);
  const { changes, moves } = outcome.report;
  const count = changes.length + moves.length;
  const lines = [count === 0 ? "Nothing to change." : formatDream(outcome.report)];
  if (count > 0 && outcome.kind === "planned") lines.push("Nothing was changed: this was a dry run.");
  else if (count > 0) lines.push(`${formatCounts(outcome.report)}; ${core.nameOf("undo")} reverts it.`);
  return { text: lines.join("\n"), data: outcome };
});

const undoInput = z.object({
  run: option(
    z.string(),
    "id",
    "undoes this dream or change; DREAMS.md and strata memory history list the ids",
  ),
});

export const undo = defineOperation(undoInput, async (core, { run }) => {
  const withdrawn = run === undefined ? undefined : await withdraw(core, run);
  if (withdrawn) return withdrawn;
  const undone = await undoChange(core, {}, run);
  if (undone.kind === "nothing" && run !== undefined) throw new StrataError(REFUSED, undone.why);
  const isWhole = undone.kind === "undone" && undone.left.length === 0;
  return { text: formatUndone(undone), data: undone, isProblem: !isWhole };
});
