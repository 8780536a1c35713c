/**
 * What recorded sessions cost in the real OpenCode, without the plugin and with it.
 *
 *     npm run bench:sessions -- FOLDER [names] [--window 200000] [--pauses] [--options JSON] [--simulate]
 *         [--model NAME] [--out FOLDER]
 *
 * FOLDER has the sessions, one JSON file each in the form of test/sessions/recorded-session.ts; all of them are played,
 * or those named. `--pauses` lets the recorded time pass between requests, without waiting. `--options` are options of
 * the plugin. `--simulate` plays them in this process, in seconds, rather than in OpenCode. There, `--model` tells the
 * plugin a model of test/sessions/prices.ts with its prices; what it costs is in the table of models.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withStrata } from "../demo/play.js";
import { type Comparison, compare } from "../sessions/comparison.js";
import { PRICES, type Price } from "../sessions/prices.js";
import { type RecordedSession, readSessions } from "../sessions/recorded-session.js";
import { type ReplayOptions, replay } from "../sessions/replay.js";
import type { Replay } from "../sessions/request-record.js";
import { formatSessions, writeReport } from "../sessions/table.js";
import { readHostTools } from "../sessions/tool-definitions.js";
import { readOpening } from "./session-simulation/opening.js";
import { simulate } from "./session-simulation/simulate.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    window: { type: "string", default: "200000" },
    pauses: { type: "boolean", default: false },
    options: { type: "string" },
    simulate: { type: "boolean", default: false },
    model: { type: "string" },
    out: { type: "string" },
  },
});

type Arm = Pick<ReplayOptions, "plugin" | "options">;
type Told = NonNullable<ReplayOptions["onTurn"]>;
type Player = (session: RecordedSession, onTurn: Told) => Promise<Replay>;

const [folder, ...names] = positionals;
if (folder === undefined)
  console.log("skipped: no recorded sessions; expected npm run bench:sessions -- FOLDER [names]");
else await run(readSessions(folder, names));

async function run(sessions: readonly RecordedSession[]): Promise<void> {
  const out = values.out ?? (await mkdtemp(join(tmpdir(), "strata-sessions-")));
  const options = values.options === undefined ? {} : { options: JSON.parse(values.options) };
  const createPlayer = await choosePlayer(sessions);
  const playBare = await createPlayer({});
  const playStrata = await createPlayer({ plugin: withStrata, ...options });
  const comparisons: Comparison[] = [];
  let tables = "";
  for (const session of sessions) {
    const { id } = session;
    const bare = await playBare(session, tell(id, "bare"));
    const strata = await playStrata(session, tell(id, "with Strata"));
    comparisons.push({ id, bare, strata });
    console.log(
      formatSessions(compare([{ id, bare, strata }]))
        .split("\n")
        .at(-1),
    );
    // After each session, so that a run that is broken off leaves what it has.
    tables = await writeReport(out, comparisons, describeRun());
  }
  console.log(`\n${tables}\n\nsessions.md and figures.json are in ${out}`);
}

/** Plays sessions in OpenCode, or in this process. */
async function choosePlayer(sessions: readonly RecordedSession[]): Promise<(arm: Arm) => Promise<Player>> {
  const window = Number(values.window);
  const tools = await readHostTools();
  const model = findModel(values.model);
  const given = { window, hasPauses: values.pauses, ...(model && { model }) };
  return async (arm) => {
    if (!values.simulate) return (session, onTurn) => replay(session, { ...given, ...arm, tools, onTurn });
    const opening = await readOpening(sessions, { hostTools: tools, ...arm });
    return (session, onTurn) => simulate(session, { ...given, ...arm, opening, onTurn });
  };
}

function findModel(name: string | undefined): Price | undefined {
  if (name === undefined) return undefined;
  const found = PRICES.find(({ model }) => model === name);
  if (found && values.simulate) return found;
  const known = PRICES.map(({ model }) => model).join(", ");
  throw new Error(`--model "${name}": expected --simulate and one of ${known}`);
}

/** Shows the turn on a terminal. */
function tell(id: string, arm: string): Told {
  return (turn, turns) => {
    const end = turn === turns ? "\r\u001b[K" : "";
    if (process.stderr.isTTY) process.stderr.write(`\r${id}, ${arm}: turn ${turn} of ${turns}   ${end}`);
  };
}

function describeRun(): string {
  const where = values.simulate ? "simulated" : "in the real OpenCode";
  const pauses = values.pauses ? "pauses as recorded" : "no pauses";
  const settings = values.options === undefined ? "default settings" : `settings ${values.options}`;
  const model = values.model === undefined ? "" : `, ${values.model}`;
  return `Recorded sessions ${where}${model}, a window of ${values.window} tokens, ${pauses}, ${settings}`;
}
