/**
 * The sizes of long tests. The usual run plays them in a smaller form, and says at its end which and how to run them
 * at full size; `npm run test:long` plays them whole.
 */
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Size {
  /** What is counted, and by which test: "kills of OpenCode in kill.test.ts". */
  of: string;
  usual: number;
  long: number;
  /** Why the usual run has fewer. */
  because: string;
}

export const SMALLER_FORMS = "smaller-forms.txt";

/** The size for this run. A smaller one is noted for the end of the run. */
export function sizeOf({ because, long, of, usual }: Size): number {
  if (process.env.STRATA_TEST_LONG) return long;
  appendFileSync(join(tmpdir(), SMALLER_FORMS), `${usual} of ${long} ${of}: ${because}\n`);
  return usual;
}
