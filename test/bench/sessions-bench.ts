/**
 * What recorded sessions cost in the real OpenCode, without the plugin and with it.
 *
 *     npm run bench:sessions -- FOLDER [names] [--window 200000] [--pauses] [--options JSON] [--simulate] [--out FOLDER]
 *
 * FOLDER has the sessions, one JSON file each in the form of test/sessions/recorded-session.ts; all of them are played,
 * or those named. `--pauses` lets the recorded time pass between requests, without waiting. `--options` are options of
 * the plugin. `--simulate` plays them in this process, in seconds, rather than in OpenCode.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withStrata } from "../demo/play.js";
import { type Comparison, compare } from "../sessions/comparison.js";
import { type RecordedSession, readSessions } from "../sessions/recorded-session.js";
import { type ReplayOptions, replay } from "../sessions/replay.js";
import { writeReport } from "../sessions/report.js";
import type { Replay } from "../sessions/request-record.js";
import { formatSessions, formatTotal } from "../sessions/table.js";
import { readHostTools } from "../sessions/tool-definitions.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    window: { type: "string", default: "200000" },
    pauses: { type: "boolean", default: false },
    options: { type: "string" },
    out: { type: "string" },
  },
});
const [folder, ...names] = positionals;
if (folder === undefined) {
  console.log("skipped: no recorded sessions; expected npm run bench:sessions -- FOLDER [names]");
  process.exit(0);
}

const window = Number(values.window);
const sessions = readSessions(folder, names);
const out = values.out ?? (await mkdtemp(join(tmpdir(), "strata-sessions-")));
const tools = await readHostTools();
const options: ReplayOptions = { tools, window, hasPauses: values.pauses };
const pluginOptions = values.options === undefined ? {} : { options: JSON.parse(values.options) };

const comparisons: Comparison[] = [];
for (const session of sessions) {
  const bare = await playAloud(session, "bare", options);
  const strata = await playAloud(session, "with Strata", {
    ...options,
    ...pluginOptions,
    plugin: withStrata,
  });
  comparisons.push({ id: session.id, bare, strata });
  console.log(
    formatSessions(compare(comparisons.slice(-1)))
      .split("\n")
      .at(-1),
  );
  // After each session, so that a run that is broken off leaves what it has.
  await writeReport(out, comparisons, describeRun());
}
const tables = await writeReport(out, comparisons, describeRun());
console.log(
  `\n${tables}\n\n${formatTotal(compare(comparisons))}\n\nsessions.md, figures.json and sessions.svg are in ${out}`,
);

async function playAloud(session: RecordedSession, arm: string, given: ReplayOptions): Promise<Replay> {
  const onTurn = (turn: number, turns: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${session.id}, ${arm}: turn ${turn} of ${turns}   `);
  };
  const played = await replay(session, { ...given, onTurn });
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  return played;
}

function describeRun(): string {
  const pauses = values.pauses ? "pauses as recorded" : "no pauses";
  const own = values.options === undefined ? "default settings" : `settings ${values.options}`;
  return `Recorded sessions in the real OpenCode, a window of ${window} tokens, ${pauses}, ${own}`;
}
