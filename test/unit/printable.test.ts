/** What stands in files of a project, on a screen: it is shown, and steers nothing. */
import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { layers } from "../../layers/index.js";
import { toPrintable } from "../../src/base/printable.js";
import { commands } from "../../src/cli/commands.js";
import { createTerminal, type Output, runProgram } from "../../src/cli/strata.js";
import { createStyle } from "../../src/operations/command.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";

const ESC = "\u{1b}";
/** Clears the screen, sets a title, hides, makes a link, goes back, rings, and all of it with a single character. */
const HOSTILE = [
  `${ESC}[2J`,
  `${ESC}]0;all is well\u{7}`,
  `${ESC}[8m`,
  `${ESC}]8;;https://evil.example${ESC}\\here${ESC}]8;;${ESC}\\`,
  "\r",
  "\b\b\b",
  "\u{7}",
  "\u{9b}2J",
  "\u{90}q\u{9c}",
  "\u{202e}",
  `${ESC}c`,
  `${ESC}P+q${ESC}\\`,
].join("x");

/** What could steer a terminal, beside the styles of our own. */
const STEERING = /[^\P{Cc}\n\t]|[\u{202a}-\u{202e}\u{2066}-\u{2069}]/u;
const withoutStyles = (text: string): string =>
  text.replace(new RegExp(`${ESC}\\[(1|2|22|31|32|33|39)m`, "gu"), "");

class FakeStream extends EventEmitter implements Output {
  text = "";
  constructor(readonly isTTY: boolean) {
    super();
  }
  write(text: string): void {
    this.text += text;
  }
}

async function run(line: string, isTTY: boolean) {
  const title = JSON.stringify(`Rule ${HOSTILE} one`);
  const time = "2026-11-20T09:00:00.000Z";
  const record = { v: 1, time, instance: HOSTILE, session: HOSTILE, layer: HOSTILE, event: "cleared" };
  const opencode = `${PROJECT}/.opencode`;
  const files = createMemoryFiles({
    [`${opencode}/memory/blocker/rule.md`]: `---\ntitle: ${title}\ncreated: ${time}\nupdated: ${time}\ntags: [${title}]\n---\n${HOSTILE}\n`,
    [`${opencode}/memory/knowledge/${HOSTILE}.md`]: "---\n{{{\n---\n",
    [`${opencode}/strata/savings/${HOSTILE}.jsonl`]: `${JSON.stringify({ ...record, tokensFreed: 5 })}\n{\n`,
    [`${opencode}/strata/state/breakers/${HOSTILE}.json`]: JSON.stringify({ open: HOSTILE }),
    [`${PROJECT}/opencode.json`]: JSON.stringify({ memory: { [HOSTILE]: HOSTILE } }),
  });
  const [stdout, stderr] = [new FakeStream(isTTY), new FakeStream(isTTY)];
  await runProgram(commands, line.split(" "), {
    files,
    clock: createFakeClock(),
    folder: PROJECT,
    home: "/home/me",
    env: {},
    style: createStyle(isTTY),
    loadLayers: async () => layers,
    openFile: async () => {},
    ...createTerminal(stdout, stderr),
  });
  return { out: stdout.text, err: stderr.text };
}

describe("the command line", () => {
  const lines = ["list", "show rule", "recall rule", "stats", "status", "check", "memory history rule"];
  for (const line of lines)
    it(`strata ${line} prints no control sequence from a title, name or setting of a repository`, async () => {
      for (const isTTY of [true, false]) {
        const { err, out } = await run(line, isTTY);
        expect(out + err).not.toBe("");
        expect(isTTY ? withoutStyles(out + err) : out + err).not.toMatch(STEERING);
      }
    });
});

describe("printable text", () => {
  it("printable text steers nothing, whatever it was, keeps words, lines and our own styles, and loses nothing of JSON", () => {
    const text = fc.string({
      unit: fc.constantFrom(ESC, "[", "]", "3", "1", "m", ";", "\u{7}", "\u{9b}", "\n", "a", "ü"),
    });
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: "binary" })), (given) => {
        expect(toPrintable(given)).not.toMatch(STEERING);
        expect(withoutStyles(toPrintable(given, { withStyles: true }))).not.toMatch(STEERING);
        expect(JSON.parse(toPrintable(JSON.stringify(given)))).toBe(given);
      }),
    );
    expect(toPrintable("Grüße\n\t世界 👍\n")).toBe("Grüße\n\t世界 👍\n");
    expect(toPrintable(`${ESC}[31mred${ESC}[39m`, { withStyles: true })).toBe(`${ESC}[31mred${ESC}[39m`);
  });
});
