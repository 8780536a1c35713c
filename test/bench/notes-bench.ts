/**
 * What the notes are worth when they take the place of history: of the identifiers, paths and numbers that later
 * answers lean on, the share that the notes of that moment hold, and their size as the model gets them.
 *
 *     npm run bench:notes -- FOLDER [--only REPO,REPO] [--against CHECKOUT] [--missing] [--show SESSION]
 *
 * FOLDER has recorded sessions: `{ id, source: { repo }, cwd, turns: [{ user, steps: [{ say?, calls: [{ tool, args,
 * result, error? }] }] }] }`. `--against` is a checkout whose notes are measured beside these, `--missing` lists what
 * the notes do not hold, `--show` prints the last notes of a session.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatMissing, formatTable, measureSession, openMeasured } from "./recorded/measure-notes.js";
import { readRecorded } from "./recorded/recorded-session.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    against: { type: "string" },
    missing: { type: "boolean", default: false },
    show: { type: "string" },
  },
});
const [folder] = positionals;
if (folder === undefined || !existsSync(folder)) {
  console.log(`skipped: expected a folder with recorded sessions; came ${folder ?? "nothing"}`);
  process.exit(0);
}

const only = values.only?.split(",");
const sessions = readRecorded(folder).filter(({ source }) => !only || only.includes(source.repo));
const checkouts = [
  ...(values.against === undefined ? [] : [values.against]),
  join(import.meta.dirname, "../.."),
];
for (const checkout of checkouts) {
  const create = await openMeasured(checkout);
  const rows = [];
  for (const session of sessions) rows.push(await measureSession(session, create));
  console.log(formatTable(checkout === values.against ? "before" : "now", rows));
  if (values.missing) console.log(formatMissing(rows));
  for (const row of rows) if (row.id === values.show) console.log(row.last);
}
