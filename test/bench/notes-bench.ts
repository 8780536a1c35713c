/**
 * What the notes are worth when they take the place of history: of the identifiers, paths and numbers that later
 * answers lean on, the share that the notes of that moment hold, and their size as the model gets them.
 *
 *     npm run bench:notes -- FOLDER [names] [--missing]
 *
 * FOLDER has recorded sessions, as for bench:sessions. `--missing` lists what the notes do not hold.
 */
import { parseArgs } from "node:util";
import { readSessions } from "../sessions/read-sessions.js";
import { formatMissing, formatTable, measureSession } from "./measure-notes.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { missing: { type: "boolean", default: false } },
});
const [folder, ...names] = positionals;
if (folder === undefined) console.log("skipped: expected a folder with recorded sessions");
else {
  const rows = [];
  for (const session of readSessions(folder, names)) rows.push(await measureSession(session));
  console.log(formatTable(rows));
  if (values.missing) console.log(formatMissing(rows));
}
