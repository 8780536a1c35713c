/** What somebody does with Strata in the first hour, on the real screen: played by a test, and recorded for the README. */
import { call, say } from "../stage/steps.js";
import type { Tui } from "./tui.js";
import type { TuiStage } from "./tui-stage.js";

/** A file that is large enough to leave the context. */
export const ORDERS = Array.from({ length: 1_500 }, (_, n) => `order ${n} has invoice ${n * 7}`).join("\n");
export const FILES = { "orders.txt": ORDERS };

/** Told at each step, with the seconds that a reader needs for it. */
export type Keep = (seconds: number) => void;

const isSeen =
  (tui: Tui, pattern: RegExp): (() => boolean) =>
  () =>
    pattern.test(tui.sidebar());

async function ask({ model }: TuiStage, tui: Tui, words: string, answer: string): Promise<void> {
  model.script(say(answer));
  await tui.send(words);
  await tui.waitFor(answer);
  await tui.waitWithout("esc interrupt");
}

/** A large result leaves the context; a sentence is remembered, and taken back by one key; another stays. */
export async function playFirstSession(stage: TuiStage, tui: Tui, keep: Keep): Promise<void> {
  stage.model.script(call("read", { filePath: stage.project.file("orders.txt") }, { id: "orders" }));
  keep(1);
  await ask(stage, tui, "Does every order in orders.txt have an invoice?", "Yes, each of them has.");
  await tui.waitFor(isSeen(tui, /instead of [\d.]+K \(−\d+ %\)/));
  keep(3);
  await ask(stage, tui, "Never run the importer on Fridays.", "I will not.");
  await tui.waitFor(/remembered: Never run[\s\S]*memory-undo/);
  keep(2.5);
  tui.press("ctrl+x");
  tui.type("z");
  await tui.waitFor("Take back the last change of memory");
  keep(2);
  tui.press("enter");
  await tui.waitFor("directive/never-run-importer-fridays");
  keep(2);
  tui.press("enter");
  await tui.waitWithout("Taken back");
  await ask(stage, tui, "From now on the dev server listens on port 8080.", "Noted: 8080.");
  await tui.waitFor("remembered: The dev server");
  await tui.waitFor(isSeen(tui, /1 memory/));
  keep(2.5);
}

/** The result is dropped and brought back; the next message does it. */
export async function steerContext(stage: TuiStage, tui: Tui, keep: Keep): Promise<void> {
  for (const [action, row, words, answer] of [
    ["Drop", /read orders\.txt +turn 1/, "Go on without it.", "As you wish."],
    ["Expand", /read orders\.txt +turn 1, .*dropped/, "Now look again.", "Here it is."],
  ] as const) {
    await openItem(tui, row, keep);
    await tui.waitFor(`${action} …`);
    keep(2);
    tui.press("enter");
    // A toast of the step before may still say when it counts.
    await tui.waitFor(`${action}?`);
    keep(2);
    tui.press("enter");
    await tui.waitFor(`${action.toLowerCase()} asked for`);
    tui.press("escape");
    await tui.waitWithout(/Context: .* tokens/);
    await ask(stage, tui, words, answer);
    keep(1.5);
  }
}

/** Opens the list until the item is what its row must say: the list is written after the answer. */
async function openItem(tui: Tui, row: RegExp, keep: Keep): Promise<void> {
  for (;;) {
    await tui.run("/context");
    await tui.waitFor(/Context: .* tokens/);
    keep(1.5);
    tui.type("orders.txt");
    const screen = await tui.waitFor(/read orders\.txt +turn 1/);
    if (row.test(screen)) break;
    tui.press("escape");
    await tui.waitWithout(/Context: .* tokens/);
  }
  tui.press("enter");
}

/** What did it save? */
export async function askForFigures(tui: Tui, keep: Keep): Promise<void> {
  await tui.run("/memory");
  await tui.waitFor(/This session[\s\S]*saved +−?\d+ %/);
  keep(3);
  tui.press("escape");
  await tui.waitWithout("This session");
}

/** A new session knows what the one before was told. */
export async function playNextDay(stage: TuiStage, tui: Tui, keep: Keep): Promise<void> {
  keep(1);
  await ask(stage, tui, "On which port does the dev server listen?", "On port 8080.");
  await tui.waitFor(isSeen(tui, /memory +\d+/));
  keep(3);
}
