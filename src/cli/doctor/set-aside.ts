import { listSetAside } from "../../memory/store/pending.js";
import type { Surroundings } from "../command.js";
import { listPlaces } from "../memory-files.js";
import { type Finding, warning } from "./finding.js";

/** Half-done changes of memory that were none: somebody has put them there. */
export async function checkSetAside(
  surroundings: Pick<Surroundings, "env" | "files" | "home">,
  project: string,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { state } of listPlaces(surroundings, project))
    for (const path of await listSetAside(surroundings.files, state).catch(() => []))
      findings.push(
        warning(
          `${path} was refused as a change of memory that was begun, and nothing of it was done`,
          "look where it comes from, a repository perhaps, and delete it",
        ),
      );
  return findings;
}
