import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files whose tests take longest, the longest first: begun last, one of them would run alone at the end. */
const LONGEST = [
  "host/long-session",
  "host/cost",
  "host/savings",
  "host/kill",
  "host/doctor",
  "host/doctor-installations",
  "host/loops",
  "host/dream",
  "fault/context",
  "property/view",
];

/** Begins with the longest files, then goes by what earlier runs took, or by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
