/**
 * What recorded sessions cost, without the plugin, with it, and with two simple policies. docs/bench.md says how.
 *
 *     npm run bench:sessions -- FOLDER [names] [--host] [--window 200000] [--pauses] [--options JSON] [--model NAME]
 *         [--free] [--mask LAST/EVERY] [--summary TOKENS] [--out FOLDER]
 *
 * FOLDER has the sessions, or is one's file, in a form that test/sessions/read-sessions.ts reads; all of them are played,
 * or those named. They are simulated in this process; with `--host`, OpenCode itself plays them, without and with the
 * plugin. `--pauses` lets the recorded time pass between requests, without waiting. `--options` are options of the plugin.
 * `--model` tells the plugin a model of src/costs/prices.ts with its prices, and `--free` a price of 0, as of a subscription.
 * The bill stays the same; what the requests cost at each list of prices is in the table of models.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withStrata } from "../demo/play.js";
import { type Comparison, compare } from "../sessions/comparison.js";
import { readOpening } from "../sessions/opening.js";
import { NO_PRICE, PRICE_LISTS } from "../sessions/prices.js";
import { readSessions } from "../sessions/read-sessions.js";
import type { RecordedSession } from "../sessions/recorded-session.js";
import { type ReplayOptions, replay } from "../sessions/replay.js";
import type { Replay } from "../sessions/request-record.js";
import { type ArmChoice, simulateSession, USUAL_MODEL } from "../sessions/simulate-session.js";
import { formatArms, formatSessions, writeReport } from "../sessions/table.js";
import { readHostTools } from "../sessions/tool-definitions.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    window: { type: "string", default: "200000" },
    pauses: { type: "boolean", default: false },
    options: { type: "string" },
    host: { type: "boolean", default: false },
    simulate: { type: "boolean", default: false },
    model: { type: "string" },
    free: { type: "boolean", default: false },
    mask: { type: "string", default: "5/10" },
    summary: { type: "string", default: "80000" },
    out: { type: "string" },
  },
});

type Told = NonNullable<ReplayOptions["onTurn"]>;
type Player = (session: RecordedSession, onTurn: Told) => Promise<Replay>;

const BARE = "bare";
const STRATA = "with Strata";

const [folder, ...names] = positionals;
if (folder === undefined)
  console.log("skipped: no recorded sessions; expected npm run bench:sessions -- FOLDER [names]");
else await run(readSessions(folder, names));

async function run(sessions: readonly RecordedSession[]): Promise<void> {
  const out = values.out ?? (await mkdtemp(join(tmpdir(), "strata-sessions-")));
  const players = await planArms(sessions);
  const arms = new Map([...players.keys()].map((arm): [string, Replay[]] => [arm, []]));
  const comparisons: Comparison[] = [];
  let tables = "";
  for (const session of sessions) {
    const { id } = session;
    for (const [arm, play] of players) arms.get(arm)?.push(await play(session, tell(id, arm)));
    const [bare, strata] = [arms.get(BARE)?.at(-1), arms.get(STRATA)?.at(-1)];
    if (!bare || !strata) continue;
    comparisons.push({ id, bare, strata });
    console.log(
      formatSessions(compare([{ id, bare, strata }]))
        .split("\n")
        .at(-1),
    );
    // After each session, so that a run that is broken off leaves what it has.
    tables = await writeReport(out, comparisons, `${describeRun()}\n\n${formatArms(arms)}`);
  }
  console.log(`\n${tables}\n\n${formatArms(arms)}\n\nsessions.md and figures.json are in ${out}`);
}

/** How each arm is played: in this process, or the first two in OpenCode. */
async function planArms(sessions: readonly RecordedSession[]): Promise<Map<string, Player>> {
  const window = Number(values.window);
  const hostTools = await readHostTools();
  const model = findModel(values);
  const given = { window, hasPauses: values.pauses, ...(model && { model }) };
  const options = values.options === undefined ? {} : JSON.parse(values.options);
  const plugin = { plugin: withStrata, options };
  if (values.host) {
    const inHost = (arm: Pick<ReplayOptions, "plugin" | "options">): Player => {
      return (session, onTurn) => replay(session, { ...given, ...arm, tools: hostTools, onTurn });
    };
    return new Map([
      [BARE, inHost({})],
      [STRATA, inHost(plugin)],
    ]);
  }
  const alone = await readOpening(sessions, { hostTools });
  const withPlugin = await readOpening(sessions, { hostTools, ...plugin });
  const simulated = (arm: ArmChoice, opening = alone): Player => {
    return (session, onTurn) => simulateSession(session, { ...given, arm, opening, onTurn });
  };
  const [last = 0, every = 1] = values.mask.split("/").map(Number);
  const summaryAt = Number(values.summary);
  return new Map([
    [BARE, simulated("bare")],
    [STRATA, simulated({ plugin: options }, withPlugin)],
    [`results of the last ${last} answers, cleared every ${every}`, simulated({ mask: { last, every } })],
    [`a model's summary at ${summaryAt} tokens`, simulated({ summaryAt })],
  ]);
}

function findModel({ free, model: name, host }: typeof values): ReplayOptions["model"] {
  if (name === undefined && !free) return undefined;
  const found = PRICE_LISTS.find(({ model }) => model === name);
  const known = PRICE_LISTS.map(({ model }) => model).join(", ");
  if (host) throw new Error("--model and --free: expected no --host");
  if (name !== undefined && !found) throw new Error(`--model "${name}": expected one of ${known}`);
  return { id: found?.model ?? USUAL_MODEL.modelID, cost: found && !free ? found.cost : NO_PRICE };
}

/** Shows the turn on a terminal. */
function tell(id: string, arm: string): Told {
  return (turn, turns) => {
    const end = turn === turns ? "\r\u001b[K" : "";
    if (process.stderr.isTTY) process.stderr.write(`\r${id}, ${arm}: turn ${turn} of ${turns}   ${end}`);
  };
}

function describeRun(): string {
  const where = values.host ? "in the real OpenCode" : "simulated";
  const pauses = values.pauses ? "pauses as recorded" : "no pauses";
  const settings = values.options === undefined ? "default settings" : `settings ${values.options}`;
  const model = `${values.model === undefined ? "" : `, ${values.model}`}${values.free ? ", a price of 0" : ""}`;
  return `Recorded sessions ${where}${model}, a window of ${values.window} tokens, ${pauses}, ${settings}`;
}
