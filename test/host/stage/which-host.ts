/** Which OpenCode a run drives: 1, or 2 if STRATA_HOST or the command line says so. Both play the same tests. */
export const HOST: WhichHost =
  process.env.STRATA_HOST === "2" || process.argv.includes("--opencode-2") ? 2 : 1;

export type WhichHost = 1 | 2;
