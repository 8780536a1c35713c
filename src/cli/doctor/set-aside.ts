import { listSetAside } from "../../memory/store/pending.js";
import { listPlaces } from "../memory-files.js";
import type { Project } from "../project.js";
import { type Finding, warning } from "./finding.js";

/** About a pending change that was invalid and therefore renamed. */
export const REFUSED_CHANGE = {
  what: "was refused as a pending change of memory, and nothing of it was done",
  todo: "find out where it comes from, perhaps the repository, and delete it",
} as const;

export async function checkSetAside(project: Project): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { state } of listPlaces(project))
    for (const path of await listSetAside(project.cli.files, state).catch(() => []))
      findings.push(warning(`${path} ${REFUSED_CHANGE.what}`, REFUSED_CHANGE.todo));
  return findings;
}
