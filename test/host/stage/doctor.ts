/** Runs `strata doctor` in a project, with OpenCode in the PATH. */
import type { Finding, Section } from "../../../src/operations/doctor/machine.js";
import type { Project } from "./project.js";
import { runStrata, type StrataOptions, type StrataRun } from "./strata.js";

export type DoctorRun = StrataRun;
export type DoctorOptions = StrataOptions;

export const runDoctor = (
  project: Project,
  args: readonly string[] = [],
  options: DoctorOptions = {},
): Promise<DoctorRun> => runStrata(project, ["doctor", ...args], options);

/** All findings of a run with `--json`, and those of the proof. */
export function readFindings({ out }: Pick<DoctorRun, "out">): {
  findings: readonly Finding[];
  proof: readonly Finding[];
} {
  const sections: Section[] = JSON.parse(out).sections;
  return {
    findings: sections.flatMap(({ findings }) => [...findings]),
    proof: sections.find(({ title }) => title === "Proof")?.findings ?? [],
  };
}
