/** The actions of `memory_update`. */
export const actions = [
  "edit",
  "archive",
  "restore",
  "resolve",
  "reopen",
  "link",
  "unlink",
  "pin",
  "unpin",
] as const;
export type Action = (typeof actions)[number];
