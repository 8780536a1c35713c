/** A session played again in this process, with the real layers. */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createDryFiles } from "../../src/io/dry-files.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { applyCall, createLookUps, type PlayedCall } from "../../src/trial/look-ups.js";
import { measureReplay } from "../sessions/figures.js";
import { createInventedSession } from "../sessions/invented-session.js";
import { type ArmChoice, FOLDER, simulateSession } from "../sessions/simulate-session.js";
import { createFakeClock } from "../support/fake-clock.js";

const OPENING = { tools: [], system: [], hostTools: [], replaced: new Set<string>(), folder: FOLDER };
/** So small a session has to be cleared early. */
const PLUGIN: ArmChoice = { plugin: { microCompact: { floor: 0, keepRecent: 1, horizon: 10 } } };

const play = async (arm: ArmChoice) => {
  const replay = await simulateSession(createInventedSession(), { arm, opening: OPENING, hasPauses: true });
  const answers = replay.records.filter(({ leaning }) => leaning).length;
  return { ...measureReplay(replay), answers, records: replay.records };
};

describe("a simulated session", () => {
  it("has every recorded answer once in each arm, pays for what is read again, and writes nothing to the disk", async () => {
    const bare = await play("bare");
    const strata = await play(PLUGIN);
    const masked = await play({ mask: { last: 1, every: 1 } });
    const summed = await play({ summaryAt: 20_000 });
    expect([bare, strata, masked, summed].map(({ answers }) => answers)).toEqual([13, 13, 13, 13]);
    expect([bare.looks, bare.leaningAnswers, bare.summaries]).toEqual([0, 0, 0]);
    expect(strata.price).toBeLessThan(bare.price);
    expect(masked.looks).toBe(2);
    expect(masked.requests).toBe(bare.requests + masked.looks);
    expect(summed.summaries).toBeGreaterThan(0);
    expect(existsSync(FOLDER)).toBe(false);
  });

  it("finds the prompt cache cold behind the recorded hour", async () => {
    const { records } = await play("bare");
    const behind = records.findIndex(({ at }, index) => at - (records[index - 1]?.at ?? at) > 3_000_000);
    expect(records[behind]?.cached).toBe(0);
    expect(records[behind + 1]?.cached).toBeGreaterThan(0);
  });
});

describe("look-ups", () => {
  const open = () => {
    const files = createDryFiles(nodeFiles, createFakeClock());
    return { files, looks: createLookUps(files) };
  };
  const edit = (filePath: string, oldString: string): PlayedCall => ({
    ...{ tool: "edit", args: { filePath, oldString, newString: "const rate = 0;" }, result: "ok" },
  });

  it("lines that are gone are read again from where they were shown, once; those in sight are not", async () => {
    const { looks } = open();
    const path = `${FOLDER}/a.ts`;
    const shown: PlayedCall = { tool: "read", args: { filePath: path }, result: "1: const rate = 17;" };
    looks.remember([shown]);
    const wanted = [edit(path, "const rate = 17;")];
    expect(await looks.plan(wanted, () => "… const rate = 17; …")).toEqual([]);
    expect(await looks.plan(wanted, () => "[cleared]")).toEqual([shown]);
    expect(await looks.plan(wanted, () => "[cleared]")).toEqual([]);
    looks.remember(wanted);
    expect(looks.counts).toEqual({ edits: 1, blindEdits: 1 });
  });

  it("what nothing showed is read from the file as the calls have left it", async () => {
    const { files, looks } = open();
    const path = `${FOLDER}/b.ts`;
    const write = { tool: "write", args: { filePath: path, content: "const rate = 17;\n" }, result: "ok" };
    const patchText = `*** Begin Patch\n*** Update File: ${path}\n@@\n-const rate = 17;\n+const rate = 18.50;\n*** End Patch`;
    await applyCall(files, write, FOLDER);
    await applyCall(files, { tool: "apply_patch", args: { patchText }, result: "ok" }, FOLDER);
    const [look] = await looks.plan([edit(path, "const rate = 18.50;")], () => "");
    expect(look).toMatchObject({ tool: "read", result: expect.stringContaining("const rate = 18.50;") });
  });

  it("a call that names a folder, or a file below a file, changes nothing", async () => {
    const { files } = open();
    const write = (filePath: string) =>
      applyCall(files, { tool: "write", args: { filePath, content: "x" }, result: "ok" }, FOLDER);
    await write(`${FOLDER}/src/a.ts`);
    await write(`${FOLDER}/src`);
    await write(`${FOLDER}/src/a.ts/b.ts`);
    expect(await files.list(`${FOLDER}/src`)).toEqual(["a.ts"]);
    const { looks } = open();
    expect(await looks.plan([edit(`${FOLDER}/src`, "const rate = 17;")], () => "")).toEqual([]);
  });
});
