/** A person steers the context of the real OpenCode: what the model gets, what lies on disk, and what the ledger says. */
import { expect, test, vi } from "vitest";
import type { SavingsRecord } from "../../src/costs/savings.js";
import type { ContextItem, ContextItems } from "../../src/status/context-items.js";
import { lines } from "../support/messages.js";
import { patiently } from "../support/patience.js";
import { explainBreaks, readRecords } from "./stage/break-reasons.js";
import { firstDifference, type ModelRequest } from "./stage/model-request.js";
import { findBreaks } from "./stage/prefix-breaks.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { strata } from "./stage/strata.js";

const QUIET = { microCompact: { enabled: false }, autoCompact: { threshold: 40_000 } };
const FILES = Object.fromEntries(
  ["one", "two", "three", "four", "five", "six"].map((name) => [
    `${name}.txt`,
    `${name} begins\n${lines(500)}`,
  ]),
);

/** Runs the command line in the project; returns what it printed. */
function run(stage: Stage, ...args: string[]): string {
  const { status, stderr, stdout } = strata(stage.project, ...args);
  expect([args, status, stderr]).toEqual([args, 0, expect.not.stringContaining("strata: ")]);
  return stdout;
}

/** As written behind the session's last request; a turn may end a moment earlier. */
async function readItems(stage: Stage, { id }: Session): Promise<ContextItem[]> {
  const before = stage.model.requests.filter(({ sessionID }) => sessionID === id).at(-2)?.at ?? 0;
  const isFresh = ({ time }: ContextItems): boolean => Date.parse(time) >= before;
  const found = await vi.waitUntil(
    () => {
      const { status, stdout } = strata(stage.project, "context", "--json", "--session", id);
      const items = status === 0 ? (JSON.parse(stdout) as ContextItems) : undefined;
      return items && isFresh(items) ? items : undefined;
    },
    { timeout: patiently(20_000), interval: 100 },
  );
  return found.items;
}

async function find(
  stage: Stage,
  session: Session,
  name: string,
  kind: ContextItem["kind"] = "result",
): Promise<ContextItem> {
  const found = (await readItems(stage, session)).find((one) => one.kind === kind && one.name.includes(name));
  if (!found) throw new Error(`no ${kind} of ${name}`);
  return found;
}

/** A turn in which the agent reads these files, one after the other. */
async function readThem(
  stage: Stage,
  session: Session,
  words: string,
  ...names: string[]
): Promise<ModelRequest> {
  const calls = names.map((name) =>
    call("read", { filePath: stage.project.file(`${name}.txt`) }, { id: `read_${name}` }),
  );
  stage.model.script(...calls, say(`I have read ${names.join(" and ")}.`));
  await session.ask(words);
  return stage.model.lastRequest();
}

async function goOn(stage: Stage, session: Session, words: string): Promise<ModelRequest> {
  stage.model.script(say(`Well: ${words}`));
  await session.ask(words);
  return stage.model.lastRequest();
}

const ledger = (stage: Stage, ...events: string[]): SavingsRecord[] =>
  readRecords(stage.project.file(".opencode/strata")).filter(({ event }) => events.includes(event));

/** Every break of a prefix has its line in the ledger. */
function expectExplained(stage: Stage): void {
  const breaks = explainBreaks(
    findBreaks(stage.model.requests),
    readRecords(stage.project.file(".opencode/strata")),
  );
  expect(breaks.filter(({ reason }) => reason === undefined)).toEqual([]);
}

const textOf = ({ messageBytes }: ModelRequest): string => messageBytes.join("\n");

test("what a person drops leaves the requests for ever: the same bytes after a restart and in a fork, and whole on disk", async () => {
  await using stage = await openStage({ options: QUIET, files: FILES });
  const session = await stage.newSession("drop");
  await readThem(stage, session, "Read the first two.", "one", "two");
  const before = await readThem(stage, session, "Now the third.", "three");
  const item = await find(stage, session, "two.txt");
  expect(run(stage, "context", "drop", item.id)).toMatch(
    /will leave the context with your next message: about [\d,]+ tokens fewer in each request/,
  );
  run(
    stage,
    "context",
    "drop",
    (await find(stage, session, "Now the third", "turn")).id,
    "--session",
    session.id,
  );
  const after = await goOn(stage, session, "What now?");
  expect(after.toolResult("read_two")).toMatch(
    /^\[Strata\] Dropped by the user: whole in \.opencode\/tool-results\/\S+\.txt$/,
  );
  expect(stage.read(/whole in (\S+)$/.exec(after.toolResult("read_two"))?.[1] ?? "")).toContain("two begins");
  expect(after.toolResult("read_one")).toContain("one begins");
  expect(after.toolResults().map(({ callID }) => callID)).toEqual(["read_one", "read_two"]);
  const marker =
    /\[Strata\] Dropped by the user: this turn of the agent, [^"\\]*/.exec(textOf(after))?.[0] ?? "";
  expect(stage.read(/whole in (\S+)$/.exec(marker)?.[1] ?? "")).toMatch(
    /three begins[\s\S]*I have read three\./,
  );
  for (const words of ["Read the first two.", "Now the third.", "What now?"])
    expect(after.textOf("user")).toContain(words);
  const roles = after.messages.filter(({ role }) => role !== "system").map(({ role }) => role);
  expect(roles.filter((role, index) => role === "user" && roles[index + 1] === "user")).toEqual([]);
  const freed = ledger(stage, "dropped").reduce((sum, { tokensFreed = 0 }) => sum + tokensFreed, 0);
  const counted = before.promptTokens - after.promptTokens;
  expect(Math.abs(freed - counted) / counted).toBeLessThan(0.1);

  await stage.restart();
  const again = await goOn(stage, stage.session(session.id), "And after the restart?");
  expect(firstDifference(after, again)).toBeUndefined();
  const fork = await goOn(stage, await stage.session(session.id).fork(), "And in the fork?");
  expect(firstDifference(again, fork)).toBeUndefined();
  expectExplained(stage);
  expect(ledger(stage, "dropped").map(({ layer, results }) => [layer, results])).toEqual([
    ["steering", 1],
    ["steering", 1],
  ]);
});

test("an undone cut sends the messages before it again, with the same bytes after a restart and in a fork", async () => {
  await using stage = await openStage({ options: QUIET, files: FILES });
  const session = await stage.newSession("undo");
  await readThem(stage, session, "Read them all.", "one", "two", "three");
  const whole = await readThem(stage, session, "And the last.", "four");
  await session.slash("compact-notes");
  const cut = await goOn(stage, session, "Shorter, please.");
  expect(cut.promptTokens).toBeLessThan(whole.promptTokens * 0.75);
  await readItems(stage, session);
  expect(run(stage, "context undo-cut", "--dry-run")).toContain("Nothing was changed");
  expect(run(stage, "context undo-cut")).toMatch(
    /will be undone: the messages before it are sent again: about [\d,]+ tokens more/,
  );
  const undone = await goOn(stage, session, "All of it again.");
  expect(firstDifference(whole, undone)).toBeUndefined();
  const [{ tokensFreed = 0 } = {} as SavingsRecord] = ledger(stage, "uncut");
  const counted = cut.promptTokens - undone.promptTokens;
  expect(Math.abs(tokensFreed - counted) / Math.abs(counted)).toBeLessThan(0.1);
  await stage.restart();
  const again = await goOn(stage, stage.session(session.id), "And now?");
  expect(firstDifference(undone, again)).toBeUndefined();
  const fork = await goOn(stage, await stage.session(session.id).fork(), "In the fork?");
  expect(firstDifference(again, fork)).toBeUndefined();
  expectExplained(stage);
});
