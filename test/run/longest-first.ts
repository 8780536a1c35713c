import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files, longest first: if one of them started last, it would run alone at the end. */
const LONGEST = [
  "host/long/mcp-writers",
  "host/long/kill",
  "host/long/long-session",
  "host/long/doctor",
  "host/long/loops",
  "host/forty-turns",
  "host/package",
  "fault/context",
  "property/view",
];

/**
 * Runs the slowest files first, the others by the duration of earlier runs or by size. Files of a project stay together:
 * a worker goes on with the next file only if it is of the same project.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = [...new Set(files.map(({ project }) => project.name))].sort();
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return index === -1 ? LONGEST.length : index;
    };
    const placeOf = (file: TestSpecification): number =>
      projects.indexOf(file.project.name) * (LONGEST.length + 1) + rank(file);
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other));
  }
}
