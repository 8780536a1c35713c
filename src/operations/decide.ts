/** By this a person decides a conflict between two versions of a memory. */
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { requireProject } from "./core.js";
import { defineOperation, REFUSED, text } from "./operation.js";
import { choices, decide as decideConflict, readOpen, requireConflict } from "./reconcile.js";
import { openConflictLog } from "./record-rivals.js";

const decideInput = z.object({
  name: text("must name a conflict"),
  keep: z.enum(choices, `must be one of ${choices.join(", ")}`).describe("the version that holds"),
});

export const decide = defineOperation(decideInput, async (core, { keep, name }) => {
  const { files, memories } = core;
  const log = await openConflictLog(requireProject(core));
  const deciding = { cli: { env: {}, files }, memories, log };
  const conflict = requireConflict(await readOpen(deciding), name);
  const refusal = await decideConflict(deciding, conflict, keep);
  if (refusal !== undefined) throw new StrataError(REFUSED, refusal);
  const { inUse, record } = conflict;
  return { text: `Decided: ${record.title}`, data: { memory: inUse } };
});
