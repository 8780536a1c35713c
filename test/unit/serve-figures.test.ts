import { describe, expect, it } from "vitest";
import { sumSavings } from "../../src/costs/sums.js";
import type { Files } from "../../src/io/files.js";
import { createLedgerFigures } from "../../src/serve/figures.js";
import { createServerMetrics } from "../../src/serve/metrics.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";

const SAVINGS = `${PROJECT}/.opencode/strata/savings`;

const record = (session: string, event: string, more: object = {}) => ({
  ...{ v: 1 as const, time: "2026-11-21T09:00:00.000Z", instance: "i", session, layer: "view", event },
  ...more,
});
const toLines = (records: readonly object[]): string =>
  records.map((one) => `${JSON.stringify(one)}\n`).join("");

describe("the sums of the savings ledgers", () => {
  const first = [
    record("ses_1", "answer", { sent: 1_000, cached: 800, answered: 50, net: 400, money: 0.01, cost: 300 }),
    record("ses_1", "cleared", { key: "a", results: 2, tokensFreed: 500, cacheLost: 90 }),
    record("ses_1", "cleared", { key: "a", results: 0, tokensFreed: 0, cacheLost: 0 }),
    record("ses_1", "background", { backgroundTokens: 70, net: -70 }),
  ];
  const second = [
    record("ses_2", "answer", { sent: 10, net: -5 }),
    record("ses_2", "cut", { tokensFreed: 7 }),
  ];

  it("cover all sessions", async () => {
    const files = createMemoryFiles({
      [`${SAVINGS}/ses_1.jsonl`]: toLines(first),
      [`${SAVINGS}/ses_2.jsonl`]: toLines(second),
      [`${SAVINGS}/.gitignore`]: "*",
    });
    const totals = sumSavings([...first, ...second]);
    expect(await createLedgerFigures(files, SAVINGS)()).toEqual({ ...totals, sessions: 2, requests: 2 });
  });

  it("come from changed ledgers only, without deleted ones", async () => {
    let nowMs = 0;
    const files = createMemoryFiles({ [`${SAVINGS}/ses_1.jsonl`]: toLines(first) }, () => nowMs++);
    await files.writeWhole(`${SAVINGS}/ses_2.jsonl`, toLines(second));
    const read: string[] = [];
    const watched: Files = {
      ...files,
      read(path) {
        read.push(path);
        return files.read(path);
      },
    };
    const readFigures = createLedgerFigures(watched, SAVINGS);
    await readFigures();
    expect((await readFigures()).requests).toBe(2);
    expect(read).toHaveLength(2);
    await files.appendLine(`${SAVINGS}/ses_2.jsonl`, JSON.stringify(record("ses_2", "answer", { sent: 1 })));
    expect((await readFigures()).requests).toBe(3);
    expect(read).toHaveLength(3);
    await files.remove(`${SAVINGS}/ses_1.jsonl`);
    expect(await readFigures()).toMatchObject({ requests: 2, sessions: 1 });
  });
});

describe("/metrics", () => {
  const savings = { ...sumSavings([]), sessions: 1, requests: 3, net: -12, cacheLost: 90 };
  const figures = {
    ...{ project: 'C:\\a "b"\nc', memories: { decision: 2 }, openBlockers: 1, conflicts: 4, savings },
    ...{ dreams: { days: 2, failures: 1 }, errors: { failed: 5, resolved: 2 } },
    background: { calls: 7, tokens: 8, dailyCalls: 100, dailyTokens: 200 },
  };
  const label = 'project="C:\\\\a \\"b\\"\\nc"';

  it("has every figure in Prometheus' text format", async () => {
    const metrics = createServerMetrics(async () => ({
      ...{ projects: [figures], memoryBytes: 123, startedMs: 5_000 },
      health: { status: "degraded", problems: [{ check: "disk", what: "x" }] },
    }));
    metrics.observe({ method: "GET", route: "/stats", status: 200, seconds: 0.02 });
    const text = await metrics.format();
    for (const line of text.split("\n"))
      expect(line).toMatch(
        /^$|^# (HELP|TYPE) [a-z_]+ .+$|^[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? -?[\d.e+]+$/,
      );
    for (const line of [
      `strata_memories{${label},type="decision"} 2`,
      `strata_conflicts{${label}} 4`,
      `strata_open_blockers{${label}} 1`,
      `strata_tokens_saved{${label}} -12`,
      `strata_cache_lost_tokens{${label}} 90`,
      `strata_model_requests{${label}} 3`,
      `strata_background_calls_today{${label}} 7`,
      `strata_background_calls_budget{${label}} 100`,
      `strata_dream_days{${label}} 2`,
      `strata_dream_failures{${label}} 1`,
      `strata_errors{${label},kind="failed"} 5`,
      "strata_healthy 0",
      'strata_problems{check="disk"} 1',
      "process_resident_memory_bytes 123",
      "process_start_time_seconds 5",
      'strata_http_requests_total{method="GET",route="/stats",status="200"} 1',
      'strata_http_request_duration_seconds_bucket{le="0.05",route="/stats"} 1',
      'strata_http_request_duration_seconds_count{route="/stats"} 1',
    ])
      expect(text.split("\n")).toContain(line);
    expect(text).not.toMatch(/strata_candidates\{|dream_last_success_seconds\{|dollars_saved\{/);
  });

  it("drops a project, a type and a problem that no longer exist", async () => {
    const shown = { projects: [figures], memoryBytes: 1, startedMs: 0 };
    const problems = [{ check: "disk", what: "x" } as const];
    const answers = [
      { ...shown, health: { status: "degraded", problems } as const },
      { ...shown, projects: [], health: { status: "ok" } as const },
    ];
    const metrics = createServerMetrics(
      async () => answers.shift() ?? { ...shown, health: { status: "ok" } },
    );
    expect(await metrics.format()).toContain(label);
    const later = await metrics.format();
    expect(later).not.toContain("project=");
    expect(later).not.toContain('check="disk"');
    expect(later).toContain("strata_healthy 1");
  });
});
