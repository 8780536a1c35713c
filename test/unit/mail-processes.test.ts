/** Messages between processes that are killed in the middle of sending and of taking. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { DecisionBatch } from "../../src/context/decision-batch.js";
import { systemClock as clock } from "../../src/io/clock.js";
import { createChance } from "../support/chance.js";
import { patiently } from "../support/patience.js";
import { type Child, startChild } from "../support/processes/child.js";
import { sizeOf } from "../support/sizes.js";

const SESSIONS = 4;
const MESSAGES = sizeOf({
  usual: 40,
  long: 250,
  of: "messages from each of 4 processes in unit/mail-processes.test.ts",
  because: "they are killed on the way",
});
const KILLS = 3;
const TIME_MS = patiently(60_000);

let folder: string;
const children: Child[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "strata-mail-"));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await rm(folder, { recursive: true, force: true });
});

function start(number: number, turn: number): Child {
  const child = startChild("mail-user.ts", folder, ...[number, SESSIONS, MESSAGES, turn].map(String));
  children.push(child);
  return child;
}

const countTurns = ({ lines }: Child): number =>
  Math.max(0, ...lines.filter((line) => line.startsWith("turn ")).map((line) => Number(line.slice(5))));

/** Kills it in turns that chance names, before, in or after a delivery, and starts it again, until it has written all. */
async function live(number: number): Promise<Child> {
  const chance = createChance(number + 1);
  let turn = 0;
  let child = start(number, turn);
  for (let kill = 0; kill < KILLS; kill++) {
    await child.line(`turn ${turn + 1 + chance(12)}`);
    if (chance(2) === 0) await clock.pause(chance(8));
    await child.kill();
    turn = Math.max(turn, countTurns(child));
    child = start(number, turn);
  }
  await child.line("sent");
  return child;
}

/** What stands in the requests of a session, by sender, in the order of its turns. */
async function readDelivered(): Promise<Map<string, string[]>> {
  const delivered = new Map<string, string[]>();
  for (const name of await readdir(join(folder, "decisions"))) {
    const text = await readFile(join(folder, "decisions", name), "utf8");
    for (const line of text.trimEnd().split("\n")) {
      const { decisions, session } = JSON.parse(line) as DecisionBatch;
      for (const decision of decisions) {
        for (const [, id, from] of (decision.text ?? "").matchAll(/^--- (\S+) from (\S+) /gm)) {
          const way = `${from} to ${session}`;
          delivered.set(way, [...(delivered.get(way) ?? []), id ?? ""]);
        }
      }
    }
  }
  return delivered;
}

it(
  "messages between processes that are killed at random are delivered once each, and in order from each sender",
  async () => {
    const last = await Promise.all(Array.from({ length: SESSIONS }, (_, number) => live(number)));
    // Twice: the first may have begun before the last message was written.
    for (const child of last) for (const _ of [1, 2]) await child.line("taken 0");
    const delivered = await readDelivered();
    for (let from = 0; from < SESSIONS; from++) {
      const others = Array.from({ length: SESSIONS }, (_, number) => number).filter((to) => to !== from);
      for (const [index, to] of others.entries()) {
        const sent = Array.from({ length: MESSAGES }, (_, n) => n).filter((n) => n % others.length === index);
        expect(delivered.get(`ses_${from} to ses_${to}`)).toEqual(sent.map((n) => `n-${n}`));
      }
    }
    expect(children).toHaveLength(SESSIONS * (KILLS + 1));
  },
  TIME_MS,
);
