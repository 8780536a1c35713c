/** Waits for all of them, so that nothing goes on behind the caller, then rejects with the first failure if there is one. */
export async function settleAll<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
