/** For what may not happen without a line in the savings ledger, and may yet fail after that line is written. */
import { formatError } from "../error.js";
import type { NewSavingsRecord, Savings } from "./savings.js";

/**
 * Writes the record, then acts. If acting fails, a record of nothing under the same key follows: the last of a key
 * counts, so that only what was done is added up. Rejects with the first failure; `act` is not called without the record.
 */
export async function recordBefore(
  savings: Pick<Savings, "recordNow">,
  record: NewSavingsRecord & { key: string },
  act: () => Promise<void>,
): Promise<void> {
  await savings.recordNow(record);
  try {
    await act();
  } catch (thrown) {
    // Awaited, so that the next attempt's record comes after it. On a broken disk the first failure tells enough.
    await savings.recordNow(planNothing(record, thrown)).catch(() => {});
    throw thrown;
  }
}

function planNothing(
  { event, key, layer, session }: NewSavingsRecord & { key: string },
  thrown: unknown,
): NewSavingsRecord {
  const reason = `not done: ${formatError(thrown)}`;
  return { session, layer, event, reason, key, results: 0, tokensFreed: 0, cacheLost: 0, net: 0 };
}
