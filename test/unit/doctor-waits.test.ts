import { describe, expect, it } from "vitest";
import {
  createPatience,
  findRefusalInEvent,
  findRefusalInLog,
  MOST_MS,
  QUIET_MS,
} from "../../src/cli/doctor/proof.js";
import { createFakeClock } from "../support/fake-clock.js";

describe("the patience of the proof", () => {
  it("patience lasts as long as the session makes progress, and ends after a minute without any", () => {
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
    expect(String(patience.signal.reason)).toContain("no progress for 60 s (results are read)");
    expect(steps).toEqual(["OpenCode starts", "results are read"]);
  });

  it("patience is longer for a step that is known to be silent", () => {
    const clock = createFakeClock();
    const patience = createPatience({ clock, onStep: () => {} });
    patience.begin("OpenCode installs", 3 * QUIET_MS);
    clock.advance(3 * QUIET_MS - 1);
    expect(patience.signal.aborted).toBe(false);
    clock.advance(1);
    expect(String(patience.signal.reason)).toContain("no progress for 180 s (OpenCode installs)");
  });

  it("patience ends for a session in a loop", () => {
    const clock = createFakeClock();
    const patience = createPatience({ clock, onStep: () => {} });
    for (let passedMs = 0; passedMs < MOST_MS; passedMs += QUIET_MS / 2) {
      patience.moved();
      clock.advance(QUIET_MS / 2);
    }
    expect(String(patience.signal.reason)).toContain(`did not end within ${MOST_MS / 1_000} s`);
  });

  it("patience ends at the user's limit, with or without progress", () => {
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

describe("why OpenCode did not load a plugin", () => {
  const event = (message: string, type = "session.error"): string =>
    JSON.stringify({ payload: { type, properties: { error: { name: "UnknownError", data: { message } } } } });

  it("the reason is read from OpenCode's events, even if the spec contains colons", () => {
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

  it("no reason is read from other events and log lines", () => {
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

  it("the reason is read from OpenCode's log if the plugin throws at start", () => {
    const line = (error: string) =>
      `level=WARN message=x\nlevel=ERROR message="failed to load plugin" path=file:///a error=${error}\n`;
    expect(findRefusalInLog(line('"out of \\"ink\\""'))).toEqual({ what: "start", why: 'out of "ink"' });
    expect(findRefusalInLog(line("boom"))).toEqual({ what: "start", why: "boom" });
  });
});
