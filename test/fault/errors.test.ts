/**
 * Every file operation of a session in which calls fail again fails once, and the disk fills up at every one of them:
 * what is said behind a result is recorded or not there, what was sent stays as it was, and somebody is told.
 */
import { expect, it } from "vitest";
import type { Message, ToolPart } from "../../src/io/message.js";
import { PROJECT } from "../support/fake-host.js";
import { type Fault, type FaultyFiles, spreadFaults, withFault } from "../support/faulty-files.js";
import { call } from "../support/messages.js";
import { patiently } from "../support/patience.js";
import { createSession } from "../support/session.js";
import { bytesOf } from "../support/view-check.js";
import { openWorld, type World } from "../support/world.js";

const HINT = "[Strata] This very call failed";

async function play(world: World): Promise<number> {
  const session = createSession(world.clock);
  const ran = (command: string, exit: number, output: string): ToolPart =>
    call("bash", output, { startMs: world.clock.now(), state: { input: { command }, metadata: { exit } } });
  const wrong = (): ToolPart => ran("npm test", 1, 'npm error Missing script: "test"');
  session.user("Run the tests.");
  let sent: string[] = [];
  for (const part of [wrong, wrong, () => ran("npm run test", 0, "ok"), wrong]) {
    session.answer([part()]);
    const view = await world.request([...session.messages]);
    expectRecorded(world, view);
    expect(bytesOf(view).slice(0, sent.length)).toEqual(sent);
    sent = bytesOf(view);
    await world.strata.idle();
  }
  return sent.filter((bytes) => bytes.includes(HINT)).length;
}

function expectRecorded(world: World, view: readonly Message[]): void {
  const recorded = world.decisions().flatMap(({ text }) => text ?? []);
  const shown = view.flatMap(({ parts }) =>
    parts
      .map((part) => (part as Partial<ToolPart>).state?.output ?? "")
      .filter((text) => text.includes(HINT)),
  );
  for (const text of shown) expect(recorded.some((one) => text.endsWith(one))).toBe(true);
}

async function playWithFault(fault: Fault) {
  let faulty: FaultyFiles | undefined;
  const world = await openWorld({ wrap: (inner) => (faulty = withFault(inner, fault)) });
  const hints = await play(world);
  const told = (await world.log()) + world.host.logged.join("\n");
  return { world, told, hints, hasFailed: faulty?.hasFailed ?? false };
}

it("a call that fails again is answered at its second and its last failure", async () => {
  const { hints } = await playWithFault({ at: Number.POSITIVE_INFINITY, code: "", lasting: false });
  expect(hints).toBe(2);
});

const operationsOf = spreadFaults({ faults: 2, usual: 1, in: "fault/errors.test.ts" });
for (const lasting of [false, true]) {
  const what = `a full disk at any file operation${lasting ? " and at every write after it" : ""}`;
  it(`a session whose calls fail again and that meets ${what} shows only what is recorded, and somebody is told`, {
    timeout: patiently(120_000),
  }, async () => {
    for (const at of operationsOf(Number(lasting))) {
      const { hasFailed, told } = await playWithFault({ at, code: "ENOSPC", lasting });
      if (!hasFailed) break;
      expect(told, `operation ${at} failed and nobody was told`).toContain("ENOSPC");
    }
  });
}

it("a folder of memories that cannot be written to costs the lines, and not what this process remembers", async () => {
  const world = await openWorld();
  world.files.contents.set(`${PROJECT}/.opencode/memory`, Buffer.from("a file"));
  expect(await play(world)).toBe(2);
  expect((await world.log()).match(/WARN {2}errors .*ENOTDIR/g)).toHaveLength(1);
});
