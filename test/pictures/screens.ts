/**
 * Pictures of OpenCode's real screen with the plugin: a session at three sizes, dark and light, two dialogs, and a
 * recording of the first hour. Everything on them comes from a run with a scripted model.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../host/repository.js";
import { call, type Step, say } from "../host/stage/steps.js";
import {
  askForFigures,
  FILES as FIRST_FILES,
  type Keep,
  playFirstSession,
  playNextDay,
  steerContext,
} from "../host/terminal/first-hour.js";
import type { Cell, Screen } from "../host/terminal/screen.js";
import { SIZES, type Tui } from "../host/terminal/tui.js";
import { openTuiStage, type TuiStage, type TuiStageOptions } from "../host/terminal/tui-stage.js";
import { drawRecording, drawScreen, type Frame } from "./screen-picture.js";

const SHOWN_PROJECT = "~/shop";
const FILES = 9;
/** Prints as much as a run of tests does. */
const TESTS =
  'for n in $(seq 1 1500); do echo "ok $n - order $n has one invoice, and its number is its own"; done';
const RECORDED = { columns: 124, rows: 32 };

const source = (name: string): string =>
  Array.from(
    { length: 260 },
    (_, line) => `export const ${name}${line} = "a line of the shop, number ${line}";`,
  ).join("\n");

const TURNS: readonly [asked: string, answer: string][] = [
  [
    "Why do some invoices have no number?",
    "`createInvoice` takes the number before the order is paid, and gives it back if the payment fails. Two payments at once get the same one, and the second is stored without it.",
  ],
  [
    "Fix it, but leave the tests alone.",
    "Fixed: the number is now drawn inside the transaction that marks the order as paid. The three tests of `invoices.ts` pass.",
  ],
  [
    "Is the same mistake anywhere else?",
    "Yes, once: `createDelivery` draws its number the same way. Shipping notes are printed later, so nobody has noticed yet.",
  ],
];

const openShop = (more: TuiStageOptions = {}): Promise<TuiStage> => {
  const parts = Array.from({ length: FILES }, (_, n) => [`src/part${n}.ts`, source(`part${n}_`)]);
  return openTuiStage({
    ...{ plugin: repository, ...more },
    options: { microCompact: { floor: 2_000 }, autoCompact: { threshold: 60_000 } },
    files: { ...Object.fromEntries(parts), "test.sh": TESTS, ...rememberedFiles(Date.now()) },
    promptCache: { title: "Invoices without a number" },
  });
};

/** Writes the pictures into `folder`. */
export async function drawScreens(folder: string): Promise<void> {
  await using stage = await openShop({ screen: repository });
  const write = (name: string, svg: string): void => writeFileSync(join(folder, name), svg);
  const title = "OpenCode with Strata's sidebar";
  {
    await using tui = await stage.openTui();
    await playTurns(stage, tui);
    await tui.quit();
  }
  for (const isDark of [true, false]) {
    await using tui = await stage.openTui({ args: ["--continue"], isDark });
    await tui.waitFor(TURNS.at(-1)?.[1].slice(-12) ?? "");
    await tui.waitFor(/instead of|context \d/);
    const mode = isDark ? "dark" : "light";
    for (const [name, size] of Object.entries(SIZES)) {
      if (size !== SIZES.wide) tui.resize(size);
      await tui.waitFor(/commands\s*(•|$)/m);
      await tui.waitFor(/cache \d|cache hits/);
      write(`screen-${name}-${mode}.svg`, drawScreen(clean(tui, stage), title));
    }
    if (!isDark) continue;
    tui.resize(SIZES.wide);
    for (const [command, seen] of [
      ["memory", "This session"],
      ["context", "esc"],
    ] as const) {
      await tui.run(`/${command}`);
      await tui.waitFor(seen);
      write(`dialog-${command}.svg`, drawScreen(clean(tui, stage), `/${command} in OpenCode`));
      tui.press("escape");
      await tui.waitWithout(seen === "esc" ? / esc$/m : seen);
    }
  }
}

/** The same turns in OpenCode 2, at the largest and the smallest size; needs STRATA_HOST=2. */
export async function drawScreens2(folder: string): Promise<void> {
  await using stage = await openShop();
  await using tui = await stage.openTui();
  await playTurns(stage, tui);
  await tui.waitFor(/instead of[\s\S]*cache hits/);
  for (const name of ["wide", "narrow"] as const) {
    tui.resize(SIZES[name]);
    await tui.waitFor(name === "wide" ? /cache hits/ : /cache \d/);
    const svg = drawScreen(clean(tui, stage), "OpenCode 2 with Strata's figures");
    writeFileSync(join(folder, `screen-2-${name}.svg`), svg);
  }
}

/** What a turn of the recorded session reads and runs. */
const scriptTurn = ({ project }: TuiStage, turn: number): Step[] => [
  ...[0, 1, 2].map((n) => call("read", { filePath: project.file(`src/part${(turn * 3 + n) % FILES}.ts`) })),
  call("bash", { command: "sh test.sh", description: "Runs the tests" }),
];

/** Plays the turns on the screen. */
async function playTurns(stage: TuiStage, tui: Tui): Promise<void> {
  for (const [turn, [asked, answer]] of TURNS.entries()) {
    stage.model.script(...scriptTurn(stage, turn), say(answer));
    await tui.send(asked);
    await tui.waitFor(answer.replaceAll("`", "").slice(-12));
    await tui.waitWithout("esc interrupt");
  }
}

/** A new user's first hour, as the test of it plays it. */
export async function drawFirstHour(folder: string): Promise<void> {
  await using stage = await openTuiStage({
    ...{ plugin: repository, screen: repository, isCloned: true, files: FIRST_FILES },
    promptCache: { title: "The first hour" },
  });
  const frames: Frame[] = [];
  const watch =
    (tui: Tui): Keep =>
    (seconds) =>
      void frames.push({ screen: clean(tui, stage), seconds });
  {
    await using tui = await stage.openTui({ size: RECORDED });
    await playFirstSession(stage, tui, watch(tui));
    await steerContext(stage, tui, watch(tui));
    await askForFigures(tui, watch(tui));
    await tui.quit();
  }
  await using tui = await stage.openTui({ size: RECORDED });
  await playNextDay(stage, tui, watch(tui));
  await tui.quit();
  writeFileSync(join(folder, "first-hour.svg"), drawRecording(frames, "The first hour with Strata"));
}

/** Neither folders of this machine nor its user; what replaces them is as long. */
function clean(tui: Tui, { project }: TuiStage): Screen {
  const screen = tui.screen();
  const names: [string, string][] = [
    [project.path, SHOWN_PROJECT],
    [project.root, "~"],
  ];
  return { ...screen, cells: screen.cells.map((row) => names.reduce(replaceIn, row)) };
}

/** Characters behind a shorter name move to the left, up to the next gap of two blanks. */
function replaceIn(row: readonly Cell[], [from, to]: [string, string]): readonly Cell[] {
  const text = row.map((cell) => cell.text).join("");
  const at = row.every((cell) => cell.text.length === 1) ? text.indexOf(from) : -1;
  const [first] = row.slice(at);
  if (at === -1 || !first) return row;
  const rest = text.slice(at + from.length);
  const end = at + from.length + (/ {2}|$/.exec(rest)?.index ?? rest.length);
  const words = row.slice(at + from.length, end);
  const blank = { ...first, text: " " };
  const drawn = [...[...to].map((letter) => ({ ...first, text: letter })), ...words];
  const filled = Array.from({ length: end - at - drawn.length }, () => blank);
  return [...row.slice(0, at), ...drawn, ...filled, ...row.slice(end)];
}

/** What the project of the pictures remembers: files of memories of several types and ages. */
const DAY_MS = 86_400_000;

const memories: readonly [type: string, title: string, days: number][] = [
  ["directive", "Never run git push --force on main", 200],
  ["directive", "Run the linter before every commit", 40],
  ["preference", "Answer in short sentences", 150],
  ["preference", "Tabs, not spaces", 12],
  ["feedback", "Do not mock the clock, inject it", 60],
  ["decision", "Postgres instead of SQLite", 500],
  ["decision", "Port 8080, 3000 is taken by the old frontend", 80],
  ["decision", "Prices are integers of cents", 25],
  ["decision", "One queue for mail and invoices", 3],
  ["knowledge", "The test database is emptied at midnight", 300],
  ["knowledge", "Invoices are numbered by the tax office's rule", 20],
  ["knowledge", "The carrier's API answers in Latin-1", 5],
  ["knowledge", "Staging has a tenth of the data", 1],
  ["procedure", "How a release is made", 110],
  ["procedure", "How the search index is built anew", 9],
  ["blocker", "The carrier's sandbox is down until Monday", 2],
  ["idea", "Show delivery dates in the cart", 33],
  ["plan", "Move the images to the new bucket", 6],
];

/** By path in the project. */
export function rememberedFiles(nowMs: number): Record<string, string> {
  return Object.fromEntries(
    memories.map(([type, title, days]) => {
      const created = new Date(nowMs - days * DAY_MS).toISOString();
      const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
      const front = `title: ${JSON.stringify(title)}\ncreated: ${created}\nupdated: ${created}`;
      return [`.opencode/memory/${type}/${name}.md`, `---\n${front}\n---\n${title}.\n`];
    }),
  );
}
