/** Tasks of one call of `fork`, which are worked on side by side. */
export const MOST_TASKS = 5;
