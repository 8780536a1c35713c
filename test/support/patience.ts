const slowness = Number(process.env.STRATA_TEST_SLOWNESS ?? 1);

/** The bound of a wait, longer if the machine was slow when the run began. */
export const patiently = (boundMs: number): number => Math.ceil(boundMs * slowness);
