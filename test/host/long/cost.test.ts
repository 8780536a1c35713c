/** What a long session costs: the demo's 40 turns in the real OpenCode, without the plugin and with it. */

import { expect, test } from "vitest";
import { formatCount } from "../../../src/base/format.js";
import { type Figures, measureRun } from "../../demo/figures.js";
import { play, withStrata } from "../../demo/play.js";
import { patiently } from "../../support/patience.js";
import { explainBreaks } from "../stage/break-reasons.js";
import { findBreaks } from "../stage/prefix-breaks.js";

/** What the host keeps for an undo takes its time, and no token. */
const QUICK = { hasSnapshots: false };
/**
 * The most that a session with the plugin may cost, as a part of what it costs without. A quiet machine has 0.39; on a
 * busy one results that could not be moved in time stay.
 */
const MOST_OF_PRICE = 0.41;
/** Nine minutes were seen on a busy machine. */
const BOTH_PLAYS_MS = patiently(900_000);

test(
  "forty turns cost about two fifths of the bare host's, without a model call for a summary",
  async () => {
    const bare = measureRun(await play(QUICK));
    const run = await play({ ...QUICK, plugin: withStrata });
    const strata = measureRun(run);
    report({ bare, strata });
    const unexplained = explainBreaks(findBreaks(run.requests), run.records).filter(
      ({ reason }) => reason === undefined,
    );
    expect(unexplained.map(({ request }) => request)).toEqual([]);
    expect(bare.summarizing).toBeGreaterThanOrEqual(2);
    expect(strata.uncached).toBeLessThanOrEqual(bare.uncached);
    expect.soft(strata.summarizing).toBe(0);
    expect.soft(strata.price / bare.price).toBeLessThanOrEqual(MOST_OF_PRICE);
  },
  BOTH_PLAYS_MS,
);

function report(runs: Record<string, Figures>): void {
  for (const [name, { tokensSent, largestRequest, price, seconds }] of Object.entries(runs)) {
    process.stdout.write(
      `${name}: ${formatCount(tokensSent)} tokens sent, the largest request ${formatCount(largestRequest)}, ` +
        `price ${formatCount(price)}, ${seconds.toFixed(1)} s\n`,
    );
  }
}
