import { formatError } from "../../error.js";
import type { AcceptedPlaces } from "../../trust/accepted.js";
import type { Surroundings } from "../command.js";
import { findForeign } from "../trust/find-foreign.js";
import { type Finding, fine, note, warning } from "./finding.js";

const MOST_NAMED = 3;

/** Memories that count as nobody's words until the user accepts them. */
export async function checkForeign(
  surroundings: Surroundings,
  project: string,
  accepted: AcceptedPlaces,
): Promise<Finding> {
  const ids = await findForeign(surroundings, project, accepted).catch(formatError);
  if (typeof ids === "string") return warning(`the memories cannot be looked at: ${ids}`);
  if (ids.length === 0) return fine("no memory waits to be accepted");
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : "";
  return note(
    `${ids.length === 1 ? "1 memory" : `${ids.length} memories`} came with the repository and ${ids.length === 1 ? "is" : "are"} not shown as your words: ${ids.slice(0, MOST_NAMED).join(", ")}${more}`,
    "strata trust shows them, strata trust --yes makes them yours",
  );
}
