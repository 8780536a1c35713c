/** The terminal: what stands in files of a project is shown there and steers nothing; closed streams, colours and bars. */
import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { layers } from "../../layers/index.js";
import { toPrintable } from "../../src/base/printable.js";
import { commands } from "../../src/cli/commands.js";
import { createQuestions, createTerminal, type Output, runProgram } from "../../src/cli/program.js";
import { CLEARED, createProgress, createStyle } from "../../src/operations/command.js";
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
  "\u{200b}\u{e0072}\u{e006d}\u{e0101}",
  `${ESC}c`,
  `${ESC}P+q${ESC}\\`,
].join("x");

/** What could steer a terminal, beside the styles of our own. */
const STEERING = /[^\P{Cc}\n\t]|[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200b}\u{e0000}-\u{e01ef}]/u;
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

it("a question steers nothing, although a remote's address stands in it", async () => {
  const output = new FakeStream(true);
  const input = Object.assign(new EventEmitter(), { setRawMode: () => input, pause() {} });
  const pressed = createQuestions(input as never, output as never).press(`Is ${HOSTILE} your team's?`);
  input.emit("data", "Y");
  expect([await pressed, output.text]).toEqual(["y", expect.not.stringMatching(STEERING)]);
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
    for (const plain of ["Grüße\n\t世界 👍\n", "👩‍🚀 ❤️ می‌خواهم"]) expect(toPrintable(plain)).toBe(plain);
    expect(toPrintable(`${ESC}[31mred${ESC}[39m`, { withStyles: true })).toBe(`${ESC}[31mred${ESC}[39m`);
  });
});

describe("the terminal", () => {
  it("the terminal drops output to a stream whose reader has gone, and keeps printing to the other", () => {
    const [stdout, stderr] = [new FakeStream(false), new FakeStream(false)];
    const { draw, say, warn } = createTerminal(stdout, stderr);
    say("one");
    stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    say("two");
    warn("still");
    expect([stdout.text, stderr.text, draw]).toEqual(["one\n", "still\n", undefined]);
    expect(() => stdout.emit("error", Object.assign(new Error("full"), { code: "ENOSPC" }))).toThrow("full");
  });

  it("the terminal writes no colours to a file", () => {
    const [terminal, file] = [new FakeStream(true), new FakeStream(false)];
    for (const stderr of [terminal, file])
      createTerminal(new FakeStream(false), stderr).warn("\u001b[33mcareful\u001b[39m");
    expect([terminal.text, file.text]).toEqual(["\u001b[33mcareful\u001b[39m\n", "careful\n"]);
  });

  it("the terminal shows its own signs in ASCII where it has no Unicode, and to a pipe as they are", () => {
    for (const [env, shown] of [
      [{ LANG: "C" }, "a -> b... ###.. -1 é"],
      [{ LANG: "en_US.UTF-8", TERM: "linux" }, "a -> b... ###.. -1 é"],
      [{ LANG: "en_US.UTF-8" }, "a → b… ███░░ −1 é"],
      [{}, "a → b… ███░░ −1 é"],
    ] as const) {
      const [terminal, pipe] = [new FakeStream(true), new FakeStream(false)];
      const { say, warn } = createTerminal(terminal, pipe, env);
      say("a → b… ███░░ −1 é");
      warn("a → b…");
      expect([terminal.text, pipe.text]).toEqual([`${shown}\n`, "a → b…\n"]);
    }
  });

  it("the terminal clears a drawn bar before it prints", () => {
    const [stdout, stderr] = [new FakeStream(false), new FakeStream(true)];
    const { draw, say } = createTerminal(stdout, stderr);
    draw?.("bar");
    say("one");
    say("two");
    expect([stdout.text, stderr.text]).toEqual(["one\ntwo\n", `bar${CLEARED}`]);
  });
});

describe("progress", () => {
  function open() {
    const clock = createFakeClock();
    const drawn: string[] = [];
    const draw = (text: string): void => void drawn.push(text);
    return { clock, drawn, progress: createProgress({ clock, draw }, "Working") };
  }

  it("progress shows nothing for a second, then a bar at most ten times a second, and clears it at the end", () => {
    const { clock, drawn, progress } = open();
    for (let done = 0; done < 99; done++) {
      progress.step(done, 100);
      clock.advance(10);
    }
    expect(drawn).toEqual([]);
    clock.advance(20);
    expect(drawn).toEqual([`${CLEARED}Working …`]);
    clock.advance(100);
    progress.step(50, 100);
    progress.step(51, 100);
    progress.end();
    expect(drawn.slice(1)).toEqual([`${CLEARED}Working ${"█".repeat(12)}${"░".repeat(12)} 50 %`, CLEARED]);
  });

  it("progress draws nothing for work of less than a second, or without a terminal", () => {
    const { clock, drawn, progress } = open();
    progress.step(1, 2);
    progress.end();
    clock.advance(5_000);
    expect(drawn).toEqual([]);
    const silent = createProgress({ clock }, "Working");
    clock.advance(5_000);
    silent.step(1, 2);
    silent.end();
  });
});
