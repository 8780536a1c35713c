/**
 * `npm run demo`: the real OpenCode works on this repository's own files, without the plugin and with it, and the two
 * are compared. Needs no key and no network; leaves behind one folder, whose name it prints.
 *
 *     story.ts          what the user asks and what the agent does
 *     project-files.ts  what it works on
 *     play.ts           one run
 *     outcome.ts        what became of each tool result
 *     check.ts          what must be true of the run with the plugin
 *     progress.ts, table.ts, style.ts  how it is told
 */
import { formatCount } from "../../src/format.js";
import { repository } from "../host/repository.js";
import { checkRun, type Moved } from "./check.js";
import { play, type Run } from "./play.js";
import { createProgress } from "./progress.js";
import { createStyle } from "./style.js";
import { formatComparison, formatMoved, PRICE } from "./table.js";

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
  const progress = createProgress(style);
  title("1. OpenCode without the plugin");
  const bare = await play({ plugin: [], progress });
  title("2. OpenCode with Strata");
  const strata = await play({ plugin: [repository], progress });
  const moved = checkMoved(strata);
  showPreview(moved);
  showTables({ bare, strata, moved });
}

function introduce(): void {
  console.log(`The real OpenCode works on a copy of this repository: once without the plugin, once with it.

The model is scripted: no language model runs here. What it says and which tools it calls is written in
test/demo/story.ts. All else is real: OpenCode, its tools and their results, every request, every size.
Of the tools, mcp_json and mcp_blob come from a real MCP server that makes up its records.

In both runs the agent wants to know the same. What it got whole it has. Where OpenCode cut a result (over 50 KB)
or Strata moved it out (over 30,000 bytes), it looks into the file that is named in its place: requests that count.`);
}

/** Says where to look when something is wrong. */
function checkMoved(strata: Run): Moved[] {
  try {
    return checkRun(strata);
  } catch (thrown) {
    if (strata.kept !== undefined) console.error(`\nWhat the plugin wrote is in ${strata.kept}`);
    throw thrown;
  }
}

function showPreview(moved: readonly Moved[]): void {
  const shown = findLargest(moved);
  title(
    `What the model sees in the place of the ${formatCount(shown.bytes)} bytes of ${shown.args.command ?? shown.tool}`,
  );
  console.log(shown.text.replace(/^/gm, "  | "));
}

interface Shown {
  bare: Run;
  strata: Run;
  moved: readonly Moved[];
}

function showTables({ bare, strata, moved }: Shown): void {
  title("What was sent to the model, in tokens");
  console.log(`${formatComparison(bare, strata)}

  The scripted model counts 4 bytes as 1 token. Its prompt cache works like a provider's: cached is what a request
  has in common, from its first byte on, with one before. Priced as uncached ${PRICE.uncached}, cached ${PRICE.cached}, output ${PRICE.output}, in
  tokens of input. Checked: with Strata each request began with all of the one before it, not a byte changed.
  These are the figures of this story; another task has others.`);

  title("What left the context, and where it lies");
  console.log(`${formatMoved(moved, strata.projectPath)}

  ${strata.kept}
    tool-results/            these files: the results whole, as OpenCode gave them (Read stops at 50 KB)
    strata/strata.log        what the plugin did
    strata/savings      the same, for programs
    strata/state/decisions/  the previews, word for word

  This is a copy that stays; the project, ${strata.projectPath}, is removed.
  Open one: less ${findLargest(moved).file}`);
}

function findLargest(moved: readonly Moved[]): Moved {
  return moved.reduce((largest, one) => (one.bytes > largest.bytes ? one : largest));
}
