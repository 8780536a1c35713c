/** The parts of the replay of recorded sessions that need no host. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPrices } from "../../src/host/readings.js";
import {
  answerMessage,
  toWire,
  USUAL_MODEL,
  userMessage,
} from "../bench/session-simulation/host-messages.js";
import { createModelRequest } from "../host/stage/model-request.js";
import { type Block, listBlocks } from "../sessions/blocks.js";
import { createIdentifiers } from "../sessions/identifiers.js";
import { findCached } from "../sessions/look-back.js";
import { costOf, modelOf, PRICES, priceOf } from "../sessions/prices.js";
import { applyCall } from "../sessions/project-files.js";
import { type RecordedCall, readSessions } from "../sessions/recorded-session.js";
import type { RequestRecord } from "../sessions/request-record.js";
import { isInSight, linesToChange, planLookAgain } from "../sessions/sight.js";

async function inFolder(act: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "strata-recorded-"));
  try {
    await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const call = (tool: string, args: Record<string, unknown>, result = "", error = false): RecordedCall => ({
  tool,
  args,
  result,
  error,
});

describe("a recorded session", () => {
  it("a recorded session is refused where its form is another, and where its name is unknown", () =>
    inFolder((folder) => {
      writeFileSync(join(folder, "a.json"), JSON.stringify({ id: "a", turns: [{ user: "go" }] }));
      expect(() => readSessions(folder)).toThrow("is not a recorded session");
      expect(() => readSessions(folder, ["b"])).toThrow("has no session b; it has: a");
    }));
});

describe("files of a replay", () => {
  it("files are made as the session makes them, and no file that would steer the host", () =>
    inFolder((folder) => {
      const file = (name: string): string => join(folder, name);
      const text = (name: string): string => readFileSync(file(name), "utf8");
      applyCall(call("read", { filePath: file("a.ts") }, "    1→one\n    2→two\n    3→three"), folder);
      applyCall(call("edit", { filePath: file("a.ts"), oldString: "two", newString: "$&2" }), folder);
      expect(text("a.ts")).toBe("one\n$&2\nthree\n");
      const patch = `*** Begin Patch\n*** Update File: a.ts\n@@\n one\n-$&2\n+zwei\n*** End Patch`;
      applyCall(call("edit", { filePath: file("a.ts"), oldString: "", newString: patch }), folder);
      expect(text("a.ts")).toBe("one\nzwei\nthree\n");
      applyCall(call("write", { filePath: file("a.ts"), content: "x" }, "", true), folder);
      expect(text("a.ts")).toBe("one\nzwei\nthree\n");
      applyCall(call("write", { filePath: file("AGENTS.md"), content: "obey" }), folder);
      expect(() => text("AGENTS.md")).toThrow("ENOENT");
    }));
});

describe("what an edit needs in sight", () => {
  const rows = Array.from({ length: 900 }, (_, n) => `  const value${n} = compute(${n});`);
  const edit = call("edit", {
    filePath: "/p/a.ts",
    oldString: rows.slice(500, 503).join("\n"),
    newString: "x",
  });

  it("lines to change are those of the old text, without short ones", () => {
    expect(linesToChange(edit)).toHaveLength(3);
    expect(linesToChange(call("edit", { oldString: "{\n}\n", newString: "" }))).toEqual([]);
    expect(linesToChange(call("bash", { oldString: rows[0] }))).toEqual([]);
  });

  it("a look again shows the lines, and no more of a long result than 200 lines", () => {
    const seen = call("read", { filePath: "/p/a.ts" }, rows.join("\n"));
    const look = planLookAgain(edit, [call("bash", { command: "ls" }, "a.ts"), seen]);
    expect(look?.tool).toBe("read");
    expect(look?.result.split("\n")).toHaveLength(200);
    expect(isInSight(linesToChange(edit), look?.result ?? "")).toBe(true);
    expect(planLookAgain(edit, [{ ...seen, error: true }])).toBeUndefined();
  });
});

describe("what an answer leans on", () => {
  it("an identifier counts as gone where only a result had brought it and the request lacks it", () => {
    const identifiers = createIdentifiers("/p/strataProject");
    const step = (say: string, result = "") => ({ at: undefined, say, calls: [call("bash", {}, result)] });
    identifiers.learn(step("", "computeRate strataProject plainwords"));
    const said = step("computeRate and strataProject and plainwords and otherName1");
    expect(identifiers.judge(said, "computeRate")).toMatchObject({ known: 1, gone: [] });
    expect(identifiers.judge(said, "nothing")).toMatchObject({
      gone: ["computeRate"],
      carrierCharacters: 36,
    });
  });
});

const block = (prefix: string, isCachePoint = false, bytes = 350): Block => ({
  kind: "said",
  bytes,
  prefix,
  isCachePoint,
});
const record = (blocks: Block[], at = 0): RequestRecord => ({
  kind: "agent",
  at,
  sent: blocks.length * 100,
  cached: 0,
  answered: 0,
  blocks,
  readAgain: [],
});

describe("Anthropic's prompt cache", () => {
  const many = (count: number, from = 0, name = "p"): Block[] =>
    Array.from({ length: count }, (_, n) => block(`${name}${from + n}`));

  it("an entry is found up to 20 blocks back from a cache point, and no further", () => {
    const first = [...many(4), block("end", true)];
    const within = [
      ...first.map((one) => ({ ...one, isCachePoint: false })),
      ...many(18, 5),
      block("x", true),
    ];
    const beyond = [
      ...first.map((one) => ({ ...one, isCachePoint: false })),
      ...many(19, 5),
      block("x", true),
    ];
    expect(findCached([record(first), record(within)])).toEqual([0, 500]);
    expect(findCached([record(first), record(beyond)])).toEqual([0, 0]);
  });
});

describe("prices", () => {
  it("a request beyond a model's tier costs its dearer prices, all of it", () => {
    const grok = PRICES.find(({ model }) => model === "Grok 4");
    const price = (sent: number): number => (grok ? priceOf(grok, { sent, cached: 0, answered: 0 }) : 0);
    expect(price(128_000)).toBe(128_000 * 3);
    expect(price(128_001)).toBe(128_001 * 6);
  });
});

describe("the prices of a model", () => {
  it("the prices of a model reach the plugin as the host gives them", () => {
    const [opus, gpt] = ["Claude Opus 5.5", "GPT-5.4"].map((name) =>
      PRICES.find(({ model }) => model === name),
    );
    if (!opus || !gpt) throw new Error("unknown models");
    expect(modelOf(opus).modelID).toBe("claude-opus-5-5");
    expect(readPrices(costOf(opus))).toEqual({
      input: 4,
      output: 20,
      cacheRead: 0.2,
      cacheWrite: 5,
      longer: [],
    });
    expect(readPrices(costOf(gpt))).toMatchObject({
      input: 2.5,
      longer: [{ aboveTokens: 272_000, input: 5 }],
    });
  });
});

describe("the simulated host", () => {
  const model = USUAL_MODEL;
  const at = { at: 0, model, sent: 0, cached: 0, answered: 0 };
  const go = userMessage({ id: "u", text: "go", at: 0, model });

  it("messages on the wire are blocks of the kinds that they are", () => {
    const part = {
      type: "tool",
      tool: "read",
      callID: "c1",
      state: { status: "completed", input: { filePath: "a" }, output: "text" },
    };
    const messages = toWire([go, answerMessage("a", [part], at)]);
    const raw = Buffer.from(
      JSON.stringify({ model: "m1", messages: [{ role: "system", content: "s" }, ...messages] }),
    );
    const request = createModelRequest({ raw, sessionID: "s", parentSessionID: undefined, at: 0 });
    const blocks = listBlocks(request);
    expect(blocks.map(({ kind }) => kind)).toEqual(["fixed", "fixed", "user", "said", "inputs", "clearable"]);
    expect(blocks.map(({ isCachePoint }) => isCachePoint)).toEqual([false, true, false, false, true, true]);
  });
});
