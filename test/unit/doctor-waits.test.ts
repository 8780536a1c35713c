import { describe, expect, it } from "vitest";
import { findRefusalInEvent, findRefusalInLog } from "../../src/cli/doctor/evidence.js";
import { createPatience, MOST_MS, QUIET_MS } from "../../src/cli/doctor/proof.js";
import { createFakeClock } from "../support/fake-clock.js";

describe("the patience of the proof", () => {
  it("patience lasts as long as the session makes progress, and ends after as long as a step may be silent", () => {
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
    patience.begin("OpenCode installs", 3 * QUIET_MS);
    clock.advance(3 * QUIET_MS - 1);
    expect(patience.signal.aborted).toBe(false);
    clock.advance(1);
    expect(String(patience.signal.reason)).toContain("no progress for 180 s (OpenCode installs)");
    expect(steps).toEqual(["OpenCode starts", "results are read", "OpenCode installs"]);
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

const event = (message: string, type = "session.error"): string =>
  JSON.stringify({ payload: { type, properties: { error: { name: "UnknownError", data: { message } } } } });
const line = (error: string): string =>
  `level=WARN message=x\nlevel=ERROR message="failed to load plugin" path=file:///a error=${error}\n`;

it.each<[what: string, found: unknown, expected: object | undefined]>([
  [
    "an event, even if the spec contains colons",
    findRefusalInEvent(event("Failed to install plugin strata@file:/home/me/a.tgz: 404 - GET http://x/: no")),
    { what: "install", why: "404 - GET http://x/: no" },
  ],
  [
    "an event of loading",
    findRefusalInEvent(event("Failed to load plugin file:///a: out of ink")),
    { what: "load", why: "out of ink" },
  ],
  ["no other error", findRefusalInEvent(event("Model not found")), undefined],
  ["no other event", findRefusalInEvent(event("Failed to load plugin a: b", "toast")), undefined],
  ["no broken event", findRefusalInEvent("{"), undefined],
  ["the log", findRefusalInLog(line('"out of \\"ink\\""')), { what: "start", why: 'out of "ink"' }],
  ["the log, unquoted", findRefusalInLog(line("boom")), { what: "start", why: "boom" }],
  ["no other line", findRefusalInLog('level=WARN message="slow" error="late"'), undefined],
])("why OpenCode did not load a plugin is read from %s", (_, found, expected) => {
  expect(found).toEqual(expected);
});
