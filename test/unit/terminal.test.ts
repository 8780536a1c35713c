import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { createTerminal, type Output } from "../../src/cli/strata.js";
import { CLEARED, createProgress } from "../../src/operations/progress.js";
import { createFakeClock } from "../support/fake-clock.js";

class FakeStream extends EventEmitter implements Output {
  text = "";
  constructor(readonly isTTY = false) {
    super();
  }
  write(text: string): void {
    this.text += text;
  }
}

describe("the terminal", () => {
  it("the terminal drops output to a stream whose reader has gone, and keeps printing to the other", () => {
    const [stdout, stderr] = [new FakeStream(), new FakeStream()];
    const { draw, say, warn } = createTerminal(stdout, stderr);
    say("one");
    stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    say("two");
    warn("still");
    expect([stdout.text, stderr.text, draw]).toEqual(["one\n", "still\n", undefined]);
    expect(() => stdout.emit("error", Object.assign(new Error("full"), { code: "ENOSPC" }))).toThrow("full");
  });

  it("the terminal writes no colours to a file", () => {
    const [terminal, file] = [new FakeStream(true), new FakeStream()];
    for (const stderr of [terminal, file])
      createTerminal(new FakeStream(), stderr).warn("\u001b[33mcareful\u001b[39m");
    expect([terminal.text, file.text]).toEqual(["\u001b[33mcareful\u001b[39m\n", "careful\n"]);
  });

  it("the terminal clears a drawn bar before it prints", () => {
    const [stdout, stderr] = [new FakeStream(), new FakeStream(true)];
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
