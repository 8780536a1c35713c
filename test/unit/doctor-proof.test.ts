import { describe, expect, it } from "vitest";
import { layers } from "../../layers/index.js";
import type { Config } from "../../src/config/schema.js";
import type { CallRecord, HostCall } from "../../src/kernel/calls.js";
import type { Finding } from "../../src/operations/doctor/machine.js";
import {
  type Evidence,
  findRefusalInEvent,
  findRefusalInLog,
  readEvidence,
} from "../../src/operations/doctor/proof.js";
import { defaults } from "../support/settings.js";

const find = (findings: readonly Finding[], words: string): Finding | undefined =>
  findings.find(({ what }) => what.includes(words));

describe("the proof", () => {
  const config: Config = structuredClone(defaults);
  const called = "config turn modelWindow context toolArguments event compacting";
  const hostCalls = called.split(" ") as HostCall[];
  const count = { count: 2, lastMs: 1 };
  const layer = { asked: 4, answered: 1, failed: 0, lastMs: 1 };
  const record = { v: 1, time: "", instance: "", session: "", layer: "" } as const;
  const names = layers.map(({ name }) => name);
  const calls: CallRecord = {
    v: 1,
    instance: "a",
    version: "0.1.0",
    startedMs: 1,
    writtenMs: 1,
    hasEnded: true,
    bound: hostCalls,
    hooks: Object.fromEntries(hostCalls.map((hostCall) => [hostCall, count])),
    signs: {},
    layers: Object.fromEntries(names.map((name) => [name, layer])),
  };
  const healthy: Evidence = {
    calls,
    records: [
      ...["spilled", "cleared", "cut"].map((event) => ({ ...record, event })),
      ...["auto-memory", "errors"].map((layer) => ({ ...record, layer, event: "extended" })),
    ],
    paths: [
      ".opencode/session-memory/ses_1.md",
      ".opencode/memory/knowledge/doctor.md",
      ".opencode/memory/DREAMS.md",
    ],
    requests: ["Claimed: strata doctor"],
    isCommandFree: true,
  };
  const read = async (evidence: Evidence, settings = config) => {
    return readEvidence(evidence, settings, layers);
  };

  it("the proof of a healthy plugin has a fine finding for each hook and layer", async () => {
    const findings = await read(healthy);
    expect(findings.filter(({ level }) => level !== "fine")).toEqual([]);
    expect(findings).toHaveLength(hostCalls.length + 1 + names.length);
  });

  it("the proof counts a moved result whose record was lost, if its file was named in a request", async () => {
    const records = healthy.records.filter(({ event }) => event !== "spilled");
    const paths = [...healthy.paths, ".opencode/tool-results/a.txt", ".opencode/tool-results/b.txt"];
    const requests = [...healthy.requests, "the rest is in shop/.opencode/tool-results/a.txt"];
    const lost = await read({ ...healthy, records, paths, requests });
    expect(find(lost, "layer tool-results")).toMatchObject({
      level: "fine",
      what: "layer tool-results works: 1 × moved to a file",
    });
    const idle = await read({ ...healthy, records, paths });
    expect(find(idle, "layer tool-results")).toMatchObject({ level: "problem" });
  });

  it("the proof says if the plugin was not loaded", async () => {
    expect(await read({ ...healthy, calls: undefined })).toMatchObject([
      { level: "problem", what: expect.stringContaining("has not loaded the plugin") },
    ]);
  });

  it("the proof names hooks that never fired, and whether they should have", async () => {
    const { compacting: _, turn: __, ...hooks } = calls.hooks;
    const bound = hostCalls.filter((hostCall) => hostCall !== "turn");
    const findings = await read({ ...healthy, calls: { ...calls, hooks, bound } });
    expect(find(findings, "hook compacting never fired")).toMatchObject({ level: "problem" });
    expect(find(findings, "hook turn never fired: no enabled layer needs it")).toMatchObject({
      level: "note",
    });
  });

  it("the proof tells layers that are off, never called, idle or failing apart", async () => {
    const off = { ...config, microCompact: { ...config.microCompact, enabled: false } };
    const { "session-memory": _, ...seen } = calls.layers;
    const failing = { ...layer, failed: 2, lastFailure: "at hook context: failed: boom" };
    const findings = await read(
      {
        ...healthy,
        records: healthy.records.filter(({ event }) => event !== "cut"),
        paths: [],
        requests: [],
        calls: { ...calls, layers: { ...seen, "tool-results": failing, view: failing } },
      },
      off,
    );
    const lines = findings
      .filter(({ what }) => what.startsWith("layer"))
      .map(({ level, what }) => `${level} ${what}`);
    expect(lines).toEqual([
      "problem layer tool-results failed 2 times, last at hook context: failed: boom",
      "note layer micro-compact is off: microCompact.enabled is false",
      "problem layer session-memory was never called",
      "problem layer full-compact was called 4 times and did nothing",
      "fine layer errors works: 1 × an earlier failure shown",
      "problem layer auto-memory was called 4 times and did nothing",
      "problem layer dream was called 4 times and did nothing",
      "problem layer across-agents was called 4 times and did nothing",
      "problem layer view failed 2 times, last at hook context: failed: boom",
    ]);
  });
});

const event = (message: string): string => {
  const error = { name: "UnknownError", data: { message } };
  return JSON.stringify({ payload: { type: "session.error", properties: { error } } });
};
const line = (error: string): string =>
  `level=WARN message=x\nlevel=ERROR message="failed to load plugin" path=file:///a error=${error}\n`;

it.each<[what: string, found: unknown, expected: object | undefined]>([
  [
    "an event, even if the spec contains colons",
    findRefusalInEvent(event("Failed to install plugin strata@file:/home/me/a.tgz: 404 - GET http://x/: no")),
    { step: "install", why: "404 - GET http://x/: no" },
  ],
  [
    "an event of loading",
    findRefusalInEvent(event("Failed to load plugin file:///a: out of ink")),
    { step: "load", why: "out of ink" },
  ],
  ["no other error", findRefusalInEvent(event("Model not found")), undefined],
  ["no broken event", findRefusalInEvent("{"), undefined],
  ["the log", findRefusalInLog(line('"out of \\"ink\\""')), { step: "start", why: 'out of "ink"' }],
  ["the log, unquoted", findRefusalInLog(line("boom")), { step: "start", why: "boom" }],
  ["no other line", findRefusalInLog('level=WARN message="slow" error="late"'), undefined],
])("why OpenCode did not load a plugin is read from %s", (_, found, expected) => {
  expect(found).toEqual(expected);
});
