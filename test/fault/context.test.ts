/**
 * Every file operation of a session that spills, clears, reminds, cuts and keeps notes fails once, and the disk fills
 * up at every one of them: every view can be sent, what it names is on disk and recorded, somebody is told, and what
 * was sent changes only with a record.
 */
import { describe, expect, it } from "vitest";
import { estimateTextTokens } from "../../src/context/context-size.js";
import type { Message } from "../../src/io/message.js";
import { PROJECT } from "../support/fake-host.js";
import { type Fault, type FaultyFiles, spreadFaults, withFault } from "../support/faulty-files.js";
import { call, lines } from "../support/messages.js";
import { patiently } from "../support/patience.js";
import { createSession } from "../support/session.js";
import { bytesOf, expectView } from "../support/view-check.js";
import { openWorld, type World } from "../support/world.js";

const HOUR = 3_600_000;
const options = {
  microCompact: { floor: 0, keepRecent: 1 },
  sessionMemory: { goalRefresh: 3, goalDistance: 0 },
  autoCompact: { threshold: 16_000 },
};
/** In JSON, where a back slash is two. */
const NAMED =
  /(?:\/|C:\\\\)project(?:\/|\\\\)\.opencode(?:\/|\\\\)(?:tool-results|session-memory)(?:\/|\\\\)[\w-]+\.(?:txt|md)/g;

/** What stands in the view because of us, in one text. */
function readOurs(view: readonly Message[]): string {
  const text = JSON.stringify(view.map(({ parts }) => parts));
  return text.includes("[Strata]") ? text : "";
}

function expectKept(world: World, view: readonly Message[], messages: readonly Message[]): void {
  const added = world.decisions().filter(({ outcome }) => outcome === "extended");
  expectView(
    view,
    messages,
    added.reduce((sum, { text = "" }) => sum + estimateTextTokens(text) + 1, 0),
  );
  const named = new Set(readOurs(view).match(NAMED));
  for (const path of named)
    expect(world.files.contents.has(path.replaceAll("\\\\", "\\")), `${path} is named and not there`).toBe(
      true,
    );
  const recorded = world.decisions().flatMap(({ text }) => text ?? []);
  const known = (text: string): boolean => recorded.some((one) => text.includes(one));
  for (const { parts } of view) {
    for (const part of parts as readonly { text?: string; state?: { output?: string } }[]) {
      const text = part.state?.output ?? part.text ?? "";
      if (text.includes("[Strata]"))
        expect(known(text), `shown and not recorded: ${text.slice(0, 90)}`).toBe(true);
    }
  }
}

/** One session with everything in it; the view of each request. */
async function play(world: World): Promise<void> {
  const session = createSession(world.clock);
  let sent: string[] = [];
  const send = async (): Promise<void> => {
    const departures = world.ledger("ses_1", "cleared", "cut", "compacted").length;
    const view = await world.request([...session.messages]);
    expectKept(world, view, session.messages);
    const bytes = bytesOf(view);
    if (world.ledger("ses_1", "cleared", "cut", "compacted").length === departures)
      expect(bytes.slice(0, sent.length)).toEqual(sent);
    sent = bytes;
    await world.strata.idle();
  };
  session.user("Port the parser. Never use eval.");
  await send();
  session.answer([call("bash", lines(900)), call("bash", lines(40))]);
  await send();
  session.answer([call("read", lines(41), { state: { input: { filePath: `${PROJECT}/a.ts` } } })], {
    sent: 9_000,
  });
  await send();
  session.answer([call("bash", lines(42))], { sent: 9_000 });
  world.clock.advance(HOUR);
  await send();
  session.answer([call("bash", lines(43))], { sent: 15_000 });
  await send();
  session.answer([call("bash", lines(700))], { sent: 15_500, text: "Half of it is done." });
  session.user("go on");
  await send();
  session.answer([], { sent: 9_000, text: "All of it is done." });
  session.user("thanks");
  await send();
}

async function playWithFault(fault: Fault) {
  let faulty: FaultyFiles | undefined;
  const world = await openWorld({ options, wrap: (inner) => (faulty = withFault(inner, fault)) });
  world.files.contents.set(`${PROJECT}/a.ts`, Buffer.from("export const a = 1;"));
  await play(world);
  const told = (await world.log()) + world.host.logged.join("\n");
  return { world, told, count: faulty?.count ?? 0, hasFailed: faulty?.hasFailed ?? false };
}

it("a session without a fault has every decision made that can be made", async () => {
  const { world, count } = await playWithFault({ at: Number.POSITIVE_INFINITY, code: "", lasting: false });
  const made = new Set(world.decisions().map(({ outcome }) => outcome));
  expect([...made].sort()).toEqual(["cleared", "cut", "extended", "kept", "replaced"]);
  expect(count).toBeGreaterThan(60);
});

const CODES = ["ENOSPC", "EACCES", "EIO"];
const operationsOf = spreadFaults({ faults: 6, usual: 1, in: "fault/context.test.ts" });
for (const [index, code] of CODES.entries()) {
  for (const lasting of [false, true]) {
    const what = `${code} at any file operation${lasting ? " and at every write after it" : ""}`;
    it(`a session that meets ${what} shows only what is recorded, and somebody is told`, {
      timeout: patiently(120_000),
    }, async () => {
      for (const at of operationsOf(index)) {
        const { hasFailed, told, world } = await playWithFault({ at, code, lasting });
        if (!hasFailed) break;
        expect(told, `operation ${at} failed and nobody was told`).toContain(code);
        // Another process, on a disk that is well again, shows the same and goes on.
        const again = await openWorld({ options, files: world.files, clock: world.clock });
        await play(again);
      }
    });
  }
}

describe("a folder that cannot be written to", () => {
  for (const folder of ["strata", "session-memory", "tool-results", "strata/state", "strata/savings"]) {
    it(`.opencode/${folder} costs what lies in it, and nothing that the context names`, async () => {
      const world = await openWorld({ options });
      world.files.contents.clear();
      world.files.contents.set(`${PROJECT}/.opencode/${folder}`, Buffer.from("a file"));
      const broken = await openWorld({ options, files: world.files, clock: world.clock });
      await play(broken);
      const told = (await broken.log().catch(() => "")) + broken.host.logged.join("\n");
      expect(told).toContain("ENOTDIR");
    });
  }
});
