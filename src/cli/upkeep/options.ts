/** Options of commands that change many memories. */
export const MATCH_OPTION = ["--match <words>", "all with these words in id, title, tags or text"] as const;
export const AGE_OPTION = ["--older-than <days>", "all unchanged for this many days"] as const;
