/** Maximum number of tasks in one call of `fork`; they run in parallel. */
export const MOST_TASKS = 5;
