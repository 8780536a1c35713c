/**
 * Every file operation of a turn fails once, and the disk fills up at every one of them: the turn goes on, what the
 * context names is on disk, and somebody is told.
 */
import { describe, expect, it } from "vitest";
import { rules } from "../support/disk-rules.js";
import { PROJECT } from "../support/fake-host.js";
import { type FaultyFiles, spreadFaults, withFault } from "../support/faulty-files.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, lines, outputs, pathIn, user } from "../support/messages.js";
import { openWorld, type World } from "../support/world.js";

const large = lines(900);
const WHOLE = lines(1_600);
const HOST_FILE = "/data/opencode/tool-output/tool_1";
const LOG = rules.toNative(`${PROJECT}/.opencode/strata/strata.log`);
const DECISIONS = `${PROJECT}/.opencode/strata/state/decisions/2026-11-21.jsonl`;

const cutByHost = call(
  "bash",
  `...output truncated...\n\nFull output saved to: ${HOST_FILE}\n\n${lines(100)}`,
  {
    state: { metadata: { truncated: true, outputPath: HOST_FILE } },
  },
);
const turnOne = [user("go"), answer([call("bash", large), call("read", lines(60)), cutByHost])];
const turnTwo = [...turnOne, answer([call("grep", lines(1_000))])];

/** What a turn may look like: each output its original, or a preview whose file is whole on disk. */
function expectIntact(world: World, shown: readonly string[], originals: readonly string[]): void {
  expect(shown).toHaveLength(originals.length);
  for (const [index, text] of shown.entries()) {
    if (text === originals[index]) continue;
    const path = pathIn(text);
    expect(path).toMatch(/^(\/|C:\\)project.\.opencode.tool-results.\S+\.txt$/);
    const stored = world.files.text(path);
    expect([originals[index], WHOLE]).toContain(stored);
    expect(world.files.text(DECISIONS)).toContain(JSON.stringify(path));
  }
}

async function playWithFault(fault: { at: number; code: string; lasting: boolean }) {
  const files = createMemoryFiles({ [HOST_FILE]: WHOLE });
  let faulty: FaultyFiles | undefined;
  const world = await openWorld({ files, wrap: (inner) => (faulty = withFault(inner, fault)) });
  await world.strata.dispatcher.ask("event", { type: "session.created", properties: {} }, undefined);
  const first = outputs(await world.request(turnOne));
  const second = outputs(await world.request(turnTwo));
  const told = (await world.log()) + world.host.logged.join("\n");
  return { world, first, second, told, hasFailed: faulty?.hasFailed ?? false };
}

const operationsOf = spreadFaults({ faults: 6, usual: 1, in: "fault/disk.test.ts" });
for (const [index, code] of ["ENOSPC", "EACCES", "EIO"].entries()) {
  for (const lasting of [false, true]) {
    const what = `${code} at any file operation${lasting ? " and at every write after it" : ""}`;
    it(`a turn that meets ${what} goes on, and what its context names is on disk`, async () => {
      let last = 0;
      for (const at of operationsOf(index)) {
        last = at;
        const { world, first, second, told, hasFailed } = await playWithFault({ at, code, lasting });
        expectIntact(world, first, outputs(turnOne));
        expectIntact(world, second, outputs(turnTwo));
        // What has been sent once is sent again, byte for byte.
        expect(second.slice(0, first.length), `operation ${at}`).toEqual(first);
        if (!hasFailed) break;
        expect(told, `operation ${at} failed and nobody was told`).toContain(code);
      }
      expect(last).toBeGreaterThan(15);
    });
  }
}

it("a file that another program has open, as on Windows, costs no turn and no result, whichever it is", async () => {
  for (let n = 0, all = 1; n < all; n++) {
    const world = await openWorld();
    const first = outputs(await world.request(turnOne));
    const paths = [...world.files.contents.keys()].filter((path) => path.startsWith(`${PROJECT}/.opencode/`));
    all = paths.length;
    world.files.held.set(paths[n] ?? "", true);
    const second = outputs(await world.request(turnTwo));
    expectIntact(world, second, outputs(turnTwo));
    expect(second.slice(0, first.length), paths[n]).toEqual(first);
    world.files.held.clear();
    const again = await world.restart();
    const third = outputs(await again.request(turnTwo));
    expectIntact(again, third, outputs(turnTwo));
    expect(third.slice(0, first.length), paths[n]).toEqual(first);
    if (n === all - 1) expect(all).toBeGreaterThan(5);
  }
});

describe("a folder that cannot be written to", () => {
  it("a file in the place of tool-results leaves the originals in the context and says why", async () => {
    const files = createMemoryFiles({ [`${PROJECT}/.opencode/tool-results`]: "a file" });
    const world = await openWorld({ files });
    expect(outputs(await world.request(turnOne))).toEqual(outputs(turnOne));
    expect(await world.log()).toContain("ERROR tool-results  cannot move a bash result of");
  });

  it("a file in the place of .opencode costs everything but the turn, and the host's log says why", async () => {
    const files = createMemoryFiles({ [`${PROJECT}/.opencode`]: "a file" });
    const world = await openWorld({ files });
    expect(outputs(await world.request(turnOne))).toEqual(outputs(turnOne));
    await world.strata.idle();
    expect(world.host.logged.join("\n")).toContain(`cannot write ${LOG}`);
    expect(world.host.logged.join("\n")).toContain("cannot move a bash result");
  });

  it("what could not be recorded stays as it was sent, although the disk has room again", async () => {
    const files = createMemoryFiles();
    let isFull = true;
    const full = () => Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    const world = await openWorld({
      files,
      wrap: (inner) => ({
        ...inner,
        writeWhole: async (path, data) => (isFull ? Promise.reject(full()) : inner.writeWhole(path, data)),
        appendLine: async (path, line) => (isFull ? Promise.reject(full()) : inner.appendLine(path, line)),
      }),
    });
    const first = outputs(await world.request(turnOne));
    isFull = false;
    const second = outputs(await world.request(turnTwo));
    expect(second.slice(0, first.length)).toEqual(first);
    expect(second.at(-1)).toMatch(/[\\/]tool-results[\\/]/);
  });
});

it("a corrupt decision costs that one decision and is said with its line", async () => {
  const world = await openWorld();
  const before = outputs(await world.request(turnTwo));
  const [first, ...rest] = (world.files.text(DECISIONS) ?? "").split("\n");
  world.files.contents.set(DECISIONS, Buffer.from([`${first?.slice(0, 50)}`, "\0\0\0", ...rest].join("\n")));
  const again = await world.restart();
  expect(outputs(await again.request(turnTwo))).toEqual(before);
  expect(await again.log()).toContain(
    `WARN  decisions     ${rules.toNative(DECISIONS)}: lines 1, 2 cannot be read`,
  );
});

it("two instances that spill the same and different results at once lose neither", async () => {
  const files = createMemoryFiles();
  const [one, two] = [await openWorld({ files }), await openWorld({ files })];
  const mine = Array.from({ length: 20 }, (_, n) => [
    user("go", "ses_a"),
    answer([call("bash", lines(1_000 + n))], "ses_a"),
  ]);
  const same = mine.slice(0, 10);
  const theirs = [
    ...same,
    ...Array.from({ length: 10 }, (_, n) => [
      user("go", "ses_b"),
      answer([call("bash", lines(2_000 + n))], "ses_b"),
    ]),
  ];
  const shown = await Promise.all([
    ...mine.map((turn) => one.request(turn)),
    ...theirs.map((turn) => two.request(turn)),
  ]);
  for (const [index, view] of shown.entries())
    expectIntact(one, outputs(view), outputs([...mine, ...theirs][index] ?? []));
  expect(one.results()).toHaveLength(30);
  const fresh = await openWorld({ files });
  for (const [index, turn] of [...mine, ...theirs].entries()) {
    expect(outputs(await fresh.request(turn))).toEqual(outputs(shown[index] ?? []));
  }
});
