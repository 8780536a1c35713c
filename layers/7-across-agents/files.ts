import { type FileKind, STATE_DAYS } from "../../src/kernel/file-kinds.js";

const STATE = ".opencode/strata/state";
const MAIL_DAYS = 30;

export const files: readonly FileKind[] = [
  { path: `${STATE}/leases.json` },
  {
    path: `${STATE}/edits/<day>.jsonl`,
    expiry: { what: "edits of a past day", days: STATE_DAYS, atStart: true },
  },
  {
    path: `${STATE}/mail/<id>.jsonl`,
    expiry: { what: "out-of-date messages", days: MAIL_DAYS, atStart: true },
  },
  // Expires as the messages beside it, whose pattern it matches.
  { path: `${STATE}/mail/<id>.cursor.jsonl` },
];
