/**
 * What recorded sessions cost with other numbers in layer 2 than the learned ones, in the simulation:
 *
 *     npm run bench:policies -- FOLDER [names] [--window 200000]
 *
 * Then each repository is left out in turn: the numbers that were best on the others are measured on it. The best have
 * the lowest price with all look-ups paid.
 */
import { parseArgs } from "node:util";
import { defineMicroCompact } from "../../layers/2-micro-compact/index.js";
import { LEARNED, type Patience } from "../../layers/2-micro-compact/patience.js";
import { stack } from "../../layers/index.js";
import type { Stack } from "../../src/layer-definition.js";
import { withStrata } from "../demo/play.js";
import { sum } from "../sessions/bill.js";
import { type Figures, measureReplay } from "../sessions/figures.js";
import { type RecordedSession, readSessions } from "../sessions/recorded-session.js";
import { readHostTools } from "../sessions/tool-definitions.js";
import { readOpening } from "./session-simulation/opening.js";
import { simulate } from "./session-simulation/simulate.js";

/** In place of the learned ones. */
const TRIED: readonly Partial<Patience>[] = [
  {},
  { perUnusedAnswer: 0.35, withinTurn: 1, grace: 1 },
  { perUnusedAnswer: 0.5, withinTurn: 0.3, grace: 1 },
  { perUnusedAnswer: 0.5, withinTurn: 0.5 },
  { perUnusedAnswer: 1, grace: 2 },
  { perUnusedAnswer: 1.5, withinTurn: 0.2 },
  { perUnusedAnswer: 1.5, withinTurn: 0.5, grace: 5 },
  { perMistake: 0 },
];

/** What one session came to, bare and with one policy. */
interface Played {
  repository: string;
  bare: Figures;
  strata: Figures;
}

interface Tried {
  policy: Patience;
  played: readonly Played[];
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { window: { type: "string", default: "200000" } },
});
const [folder, ...names] = positionals;
if (folder === undefined)
  console.log("skipped: no recorded sessions; expected npm run bench:policies -- FOLDER [names]");
else await run(readSessions(folder, names));
// The plugin's tokenizer has a thread that would keep this process for half a minute.
process.exit();

async function run(sessions: readonly RecordedSession[]): Promise<void> {
  const hostTools = await readHostTools();
  const window = Number(values.window);
  const opening = await readOpening(sessions, { hostTools });
  const bare = new Map<string, Figures>();
  for (const session of sessions)
    bare.set(session.id, measureReplay(await simulate(session, { opening, window })));
  const withPlugin = await readOpening(sessions, { hostTools, plugin: withStrata });
  const tried: Tried[] = [];
  for (const changed of TRIED) {
    const policy = { ...LEARNED, ...changed };
    const given = { opening: withPlugin, window, plugin: withStrata, layers: withPatience(policy) };
    const played: Played[] = [];
    for (const session of sessions) {
      const strata = measureReplay(await simulate(session, given));
      played.push({ repository: nameRepository(session), bare: bare.get(session.id) ?? strata, strata });
    }
    tried.push({ policy, played });
    console.log(format(policy, played));
  }
  leaveOut(tried);
}

function withPatience(policy: Patience): Stack {
  const layer = defineMicroCompact(policy);
  return { ...stack, layers: stack.layers.map((one) => (one.name === layer.name ? layer : one)) };
}

/** Sessions of one repository are numbered. */
const nameRepository = ({ id }: RecordedSession): string => id.replace(/-\d+$/, "");

function leaveOut(tried: readonly Tried[]): void {
  const all = tried[0]?.played ?? [];
  const got = [...new Set(all.map(({ repository }) => repository))].flatMap((repository) => {
    const rest = tried.map(({ played }) => upperOf(played.filter((one) => one.repository !== repository)));
    const best = tried[rest.indexOf(Math.min(...rest))];
    const left = best?.played.filter((one) => one.repository === repository) ?? [];
    if (best) console.log(`left out ${repository}: ${format(best.policy, left)}`);
    return left;
  });
  console.log(`all that were left out: ${describe(got)}`);
}

/** Price with all look-ups paid, as a share of the bare host's. */
function upperOf(played: readonly Played[]): number {
  return sum(played.map(({ strata }) => strata.upperPrice)) / sum(played.map(({ bare }) => bare.price));
}

function format(
  { grace, perMistake, perUnusedAnswer, withinTurn }: Patience,
  played: readonly Played[],
): string {
  const policy = `per answer ${perUnusedAnswer}, within the turn ${withinTurn}, grace ${grace}, per mistake ${perMistake}`;
  return `${policy}: ${describe(played)}`;
}

function describe(played: readonly Played[]): string {
  const ratio = sum(played.map(({ strata }) => strata.price)) / sum(played.map(({ bare }) => bare.price));
  const leaning = sum(played.map(({ strata }) => strata.leaningAnswers));
  const looks = sum(played.map(({ strata }) => strata.looks));
  return `ratio ${ratio.toFixed(3)}, upper ${upperOf(played).toFixed(3)}, leaning ${leaning}, looks ${looks}`;
}
