/** Which OpenCode a run of the host tests drives: 1, or 2 if STRATA_HOST says so. Both play the same tests. */
export const HOST: WhichHost = process.env.STRATA_HOST === "2" ? 2 : 1;

export type WhichHost = 1 | 2;
