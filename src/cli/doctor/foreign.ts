import { formatError } from "../../error.js";
import type { Project } from "../project.js";
import { findForeign } from "../trust/find-foreign.js";
import { type Finding, fine, note, warning } from "./finding.js";

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
