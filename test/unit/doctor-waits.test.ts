import { describe, expect, it } from "vitest";
import { findRefusalInEvent, findRefusalInLog } from "../../src/cli/doctor/host-words.js";
import { createPatience, MOST_MS, QUIET_MS } from "../../src/cli/doctor/patience.js";
import { createFakeClock } from "../support/fake-clock.js";

describe("the patience of the proof", () => {
  it("the patience of the proof lasts as long as the session goes on, however slow the machine is, and ends after a minute of silence", () => {
    const clock = createFakeClock();
    const steps: string[] = [];
    const patience = createPatience({ clock, onStep: (step) => steps.push(step) });
    for (const step of ["OpenCode starts", "results are read"]) {
      patience.begin(step);
      for (let times = 0; times < 3; times++) {
        clock.advance(QUIET_MS - 1);
        patience.moved();
      }
    }
    expect(patience.signal.aborted).toBe(false);
    clock.advance(QUIET_MS);
    expect(String(patience.signal.reason)).toContain("nothing has moved for 60 s: results are read");
    expect(steps).toEqual(["OpenCode starts", "results are read"]);
  });

  it("the patience of the proof is longer for a step that is known to be silent", () => {
    const clock = createFakeClock();
    const patience = createPatience({ clock, onStep: () => {} });
    patience.begin("OpenCode installs", 3 * QUIET_MS);
    clock.advance(3 * QUIET_MS - 1);
    expect(patience.signal.aborted).toBe(false);
    clock.advance(1);
    expect(String(patience.signal.reason)).toContain("nothing has moved for 180 s: OpenCode installs");
  });

  it("the patience of the proof has an end for a session that goes round in circles", () => {
    const clock = createFakeClock();
    const patience = createPatience({ clock, onStep: () => {} });
    for (let passedMs = 0; passedMs < MOST_MS; passedMs += QUIET_MS / 2) {
      patience.moved();
      clock.advance(QUIET_MS / 2);
    }
    expect(String(patience.signal.reason)).toContain(`did not end within ${MOST_MS / 1_000} s`);
  });

  it("the patience of the proof is what the user has set, silent or not", () => {
    const clock = createFakeClock();
    const patience = createPatience({ clock, withinSeconds: 90, onStep: () => {} });
    patience.begin("OpenCode starts");
    clock.advance(89_999);
    expect(patience.signal.aborted).toBe(false);
    patience.moved();
    clock.advance(1);
    expect(String(patience.signal.reason)).toContain("did not end within 90 s");
  });
});

describe("why OpenCode has not loaded a plugin", () => {
  const event = (message: string, type = "session.error"): string =>
    JSON.stringify({ payload: { type, properties: { error: { name: "UnknownError", data: { message } } } } });

  it("why OpenCode has not loaded a plugin is read from its events, whatever colons the spec has", () => {
    const spec = "opencode-strata@file:/home/me/strata.tgz";
    const refused = "404 Not Found - GET http://127.0.0.1:1/opencode-strata - no: really";
    expect(findRefusalInEvent(event(`Failed to install plugin ${spec}: ${refused}`))).toEqual({
      what: "install",
      why: refused,
    });
    expect(findRefusalInEvent(event("Failed to load plugin file:///a: out of ink"))).toEqual({
      what: "load",
      why: "out of ink",
    });
  });

  it("why OpenCode has not loaded a plugin is not seen in what says something else", () => {
    for (const text of [
      event("Model not found"),
      event("Failed to load plugin a: b", "toast"),
      "{",
      "1",
      "{}",
    ])
      expect(findRefusalInEvent(text)).toBeUndefined();
    expect(findRefusalInLog('level=WARN message="slow" error="late"')).toBeUndefined();
  });

  it("why OpenCode has not loaded a plugin is read from its log where the plugin throws as it starts", () => {
    const line = (error: string) =>
      `level=WARN message=x\nlevel=ERROR message="failed to load plugin" path=file:///a error=${error}\n`;
    expect(findRefusalInLog(line('"out of \\"ink\\""'))).toEqual({ what: "start", why: 'out of "ink"' });
    expect(findRefusalInLog(line("boom"))).toEqual({ what: "start", why: "boom" });
  });
});
