/**
 * `npm run demo`: the real OpenCode works on this repository's own files for 40 turns, without the plugin and with
 * it, and the two are compared; then OpenCode 2 does the same. Needs no key and no network; leaves behind one folder, whose name it prints.
 *
 *     story.ts, chapters.ts, facts.ts   what the user asks and what the agent does
 *     project-files.ts                  what it works on
 *     agent.ts                          the scripted agent, and how it looks at what it no longer has
 *     play.ts                           one run; tests use it too
 *     outcome.ts, figures.ts            what became of each tool result, and of the whole
 *     check.ts                          what must be true of the run with the plugin
 *     table.ts                          how it is told
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatCount } from "../../src/base/format.js";
import { createStyle } from "../../src/operations/command.js";
import { HOST } from "../host/stage/which-host.js";
import { type Checked, checkRun, type Moved } from "./check.js";
import { measureRun, PRICE } from "./figures.js";
import { type PlayOptions, play, type Run, withStrata } from "./play.js";
import {
  describeCall,
  formatBreaks,
  formatComparison,
  formatFacts,
  formatHeading,
  formatMoved,
  formatTurn,
  type Report,
  writeReport,
} from "./table.js";

/** Of what was moved out, so many are shown. */
const SHOWN_RESULTS = 5;
/** Of the prefix breaks. */
const SHOWN_BREAKS = 20;

const style = createStyle();
const title = (text: string): void => console.log(`\n${style.bold(`== ${text}`)}`);

process.exitCode = await run();

async function run(): Promise<number> {
  try {
    await demonstrate();
    return 0;
  } catch (thrown) {
    console.error(`\nThe demo failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return 1;
  }
}

async function demonstrate(): Promise<void> {
  introduce();
  const folder = await mkdtemp(join(tmpdir(), "strata-demo-"));
  const kept = join(folder, ".opencode");
  title(`1. OpenCode ${HOST} without the plugin`);
  const bare = await playAloud({});
  title(`2. OpenCode ${HOST} with Strata`);
  const strata = await playAloud({ plugin: withStrata, keepIn: kept });
  const checked = checkAloud(strata, kept);
  showPreview(checked.moved, strata);
  showFacts(bare, strata);
  await showFigures({ bare, strata, checked, folder });
}

function introduce(): void {
  console.log(`The real OpenCode ${HOST} works on a copy of this repository for 40 turns, in a window of 200,000 tokens: once without
the plugin, once with it. That takes about two minutes.

The model is scripted: no language model runs here. What it says and which tools it calls is written in
test/demo. All else is real: OpenCode, its tools and their results, every request, every size, and when
OpenCode finds its window full and compacts. The tools mcp_json and mcp_blob come from a real MCP server.

In both runs the agent wants to know the same. What stands whole in the request it just uses. What it did not
get whole, or what is gone since, it looks up when it needs it: requests that count against the run.`);
}

async function playAloud(options: PlayOptions): Promise<Run> {
  console.log(formatHeading());
  return play({
    ...options,
    onTurn: (turn, requests) => console.log(formatTurn(turn, requests, style)),
  });
}

/** Says where to look when something is wrong. */
function checkAloud(strata: Run, kept: string): Checked {
  try {
    return checkRun(strata, kept);
  } catch (thrown) {
    console.error(`\nWhat the plugin wrote is in ${kept}`);
    throw thrown;
  }
}

function showPreview(moved: readonly Moved[], { projectPath }: Run): void {
  const shown = moved.reduce((largest, one) => (one.bytes > largest.bytes ? one : largest));
  title(
    `What the model sees in the place of the ${formatCount(shown.bytes)} bytes of ${describeCall(shown.call, projectPath)}`,
  );
  console.log(shown.text.replace(/^/gm, "  | "));
}

function showFacts(bare: Run, strata: Run): void {
  title(
    "What the user said in the first turns: is it word for word in the last request, and in a new session's?",
  );
  console.log(formatFacts(bare, strata));
  console.log("\n  A summary, where OpenCode asked for one, is scripted too, and repeats them.");
}

interface Shown {
  bare: Run;
  strata: Run;
  checked: Checked;
  /** Where what stays is. */
  folder: string;
}

async function showFigures({ bare, strata, checked, folder }: Shown): Promise<void> {
  const { moved, breaks } = checked;
  const report: Report = { bare: measureRun(bare), strata: measureRun(strata), breaks };
  await writeReport(folder, report, { bare, strata });
  title("What was sent to the model, in tokens");
  console.log(`${formatComparison(report.bare, report.strata)}

  The scripted model counts 4 bytes as 1 token. Its prompt cache works like a provider's: cached is what a request
  has in common, from its first byte on, with one before. Priced as uncached ${PRICE.uncached}, cached ${PRICE.cached}, output ${PRICE.output}, in
  tokens of input. These are the figures of this story; another task has others. Recorded sessions of real work, for
  which npm run bench:sessions has its own table, save less.`);

  title("Where a request with Strata did not begin with all of the one before, and why");
  console.log(formatBreaks(breaks, SHOWN_BREAKS));

  title(`The largest of the ${moved.length} results that left the context at once, and where they lie`);
  console.log(`${formatMoved(moved, strata.projectPath, SHOWN_RESULTS)}

  ${folder}
    table.txt, figures.json   the figures above
    .opencode/tool-results/   these files: the results whole, as OpenCode gave them
    .opencode/session-memory/ the notes on the session, as they stood at its end
    .opencode/strata/         what the plugin did: its log, its records, its decisions

  The files of the plugin are a copy that stays; the project, ${strata.projectPath}, is removed.`);
}
