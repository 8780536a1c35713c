/**
 * Sizes of long tests. The usual run uses smaller sizes and lists them at its end, with the command for full size,
 * `npm run test:long`.
 */
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Size {
  /** What is counted, and in which test: "kills of OpenCode in kill.test.ts". */
  of: string;
  usual: number;
  long: number;
  /** Why the usual run uses fewer. */
  because: string;
}

export const SMALLER_FORMS = "smaller-forms.txt";

/** Whether this run has the full sizes. */
export const isLong = process.env.STRATA_TEST_LONG !== undefined;

/** The size for this run. Smaller sizes are listed at the end of the run. */
export function sizeOf({ because, long, of, usual }: Size): number {
  if (isLong) return long;
  appendFileSync(join(tmpdir(), SMALLER_FORMS), `${usual} of ${long} ${of}: ${because}\n`);
  return usual;
}
