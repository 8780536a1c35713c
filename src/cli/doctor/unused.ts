/** Memories and changes of memory that are not used: refused ones, and those that wait for the user to accept them. */

import { formatError } from "../../base/error.js";
import { listSetAside } from "../../memory/store/pending.js";
import { type Finding, fine, note, warning } from "../../operations/doctor/finding.js";
import { listPlaces } from "../../operations/memory-files.js";
import type { Project } from "../../operations/project.js";
import { findForeign } from "../trust/find-foreign.js";

const REFUSED = "was refused as a pending change of memory, and nothing of it was done";
const FIND_OUT = "find out where it comes from, perhaps the repository, and delete it";

export async function checkSetAside(project: Project): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { state } of listPlaces(project))
    for (const path of await listSetAside(project.cli.files, state).catch(() => []))
      findings.push(warning(`${path} ${REFUSED}`, FIND_OUT));
  return findings;
}

const MOST_NAMED = 3;

/** Memories that do not count as the user's words until the user accepts them. */
export async function checkForeign(project: Project): Promise<Finding> {
  const ids = await findForeign(project).catch(formatError);
  if (typeof ids === "string") return warning(`the memories cannot be read: ${ids}`);
  if (ids.length === 0) return fine("no memories wait for your acceptance");
  const came = ids.length === 1 ? "1 memory came" : `${ids.length} memories came`;
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : "";
  return note(
    `${came} with the repository and will not be shown as your words: ${ids.slice(0, MOST_NAMED).join(", ")}${more}`,
    "strata trust lists them, strata trust --yes accepts them",
  );
}
