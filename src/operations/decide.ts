/** Operations by which a person decides what waits: a conflict between two versions, an item of the agenda. */
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { PERSON } from "../project/other-instances.js";
import type { Core } from "./core.js";
import { openAgenda } from "./handover/agenda.js";
import { defineOperation, REFUSED, text } from "./operation.js";
import type { Project } from "./project.js";
import { choices, decide as decideConflict, readOpen, requireConflict } from "./reconcile.js";
import { openConflictLog } from "./record-rivals.js";

function requireProject({ project }: Core): Project {
  if (project) return project;
  throw new StrataError(REFUSED, "this is not done in a session; use strata in a terminal, or the page");
}

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

const itemInput = z.object({ id: text("must be the id of an agenda item") });

export const claim = defineOperation(itemInput, async (core, { id }) => ({
  text: `Claimed: ${(await openAgenda(requireProject(core), core.memories).claim(id, PERSON)).text}`,
}));

export const release = defineOperation(itemInput, async (core, { id }) => ({
  text: `Released: ${(await openAgenda(requireProject(core), core.memories).release(id, PERSON)).text}`,
}));
