/** Waits for all promises, so that no work outlives the call, then rejects with the first failure, if any. */
export async function settleAll<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
