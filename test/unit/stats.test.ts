/** `strata stats`, on the screen, as JSON and as comma-separated values. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CSV_COLUMNS, formatCsv } from "../../src/costs/csv.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { sumFigures } from "../../src/costs/sums.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";
import { runStrata } from "../support/shell.js";

const answer = (sent: number, keptOut: number, net: number) => ({ event: "answer", sent, keptOut, net });

/** A small ledger: one session with every kind of line, and a short one the next day. */
function readLedgerExample(): Map<string, SavingsRecord[]> {
  const of = (session: string, day: string, ...records: object[]): SavingsRecord[] =>
    records.map((record, n) => ({
      v: 1,
      time: `${day}T10:00:0${n}.000Z`,
      instance: "a",
      session,
      layer: "view",
      event: "",
      ...record,
    }));
  return new Map([
    [
      "ses_1",
      of(
        "ses_1",
        "2026-11-20",
        answer(9_000, 0, 0),
        { event: "spilled", key: "one", tokensFreed: 30_000 },
        { event: "spilled", key: "one", tokensFreed: 25_000 },
        answer(30_000, 20_000, 2_000),
        { event: "cut", tokensFreed: 40_000, cacheLost: 9_000, net: -10_350 },
        answer(12_000, 45_000, 4_500),
      ),
    ],
    ["ses_2", of("ses_2", "2026-11-21", answer(7_000, 0, 0))],
  ]);
}

const SAVINGS = `${PROJECT}/.opencode/strata/savings`;

function openExample(): MemoryFiles {
  const files: Record<string, string> = { [`${PROJECT}/.git/HEAD`]: "x" };
  for (const [id, records] of readLedgerExample())
    files[`${SAVINGS}/${id}.jsonl`] = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  return createMemoryFiles(files);
}

it("figures add up by request, session and day, and the last record about a result counts", () => {
  const figures = sumFigures(readLedgerExample());
  expect(figures.sessions.map(({ sessionID }) => sessionID)).toEqual(["ses_2", "ses_1"]);
  expect(figures.sessions[1]).toMatchObject({
    requests: [
      { sent: 9_000, keptOut: 0 },
      { sent: 30_000, keptOut: 20_000 },
      { sent: 12_000, keptOut: 45_000 },
    ],
    replacements: [3],
  });
  expect(figures.days.map(({ day, totals }) => [day, totals.tokensFreed, totals.cacheLost])).toEqual([
    ["2026-11-20", 65_000, 9_000],
    ["2026-11-21", 0, 0],
  ]);
  expect(figures.totals.sent).toBe(58_000);
});

describe("strata stats", () => {
  it("prints one line for each session by its title, or JSON", async () => {
    const files = openExample();
    const state = { v: 1, sessions: { ses_1: { title: "Task <1>" } } };
    await files.writeWhole(`${PROJECT}/.opencode/strata/state/sessions.json`, JSON.stringify(state));
    const { code, out } = await runStrata(files, "stats");
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split(/ {2,}/).slice(0, 6))).toEqual([
      ["not paid back yet: 3.9K tokens of input spent so far"],
      [""],
      ["session", "saved", "dollars", "context", "without", "requests"],
      ["ses_2", "0", "-", "7K", "7K", "1"],
      ['"Task <1>"', "−3.9K", "-", "17K", "38.7K", "3"],
      ["all 2 sessions", "−3.9K", "-", "14.5K", "30.8K", "4"],
      [""],
      [expect.stringMatching(/^context, without: mean tokens of a request/)],
      [expect.stringMatching(/^what that cost: 9K cached tokens written again/)],
    ]);
    expect(JSON.parse((await runStrata(files, "stats --json")).out).totals.sent).toBe(58_000);
  });

  it("of a damaged ledger prints what can be read, names the line, and exits with 1", async () => {
    const files = openExample();
    await files.appendLine(`${SAVINGS}/ses_1.jsonl`, "{oops");
    const { code, err, out } = await runStrata(files, "stats");
    expect(code).toBe(1);
    expect(out).toMatch(/^all 2 sessions +−3\.9K /m);
    expect(err).toContain("ses_1.jsonl: line 7 cannot be read");
  });

  it("--open serves the inspector and opens its link, and says so if no browser opens it", async () => {
    const opened: string[] = [];
    const { code, out } = await runStrata(openExample(), "stats --open", { opened, stopsAfter: 1 });
    expect([code, opened]).toEqual([0, [/^ {2}page {2}(\S+)/m.exec(out)?.[1]]]);
    const broken = Object.assign([], { push: () => expect.fail("no browser") });
    const failed = await runStrata(openExample(), "stats --open", { opened: broken, stopsAfter: 1 });
    expect(failed).toMatchObject({ code: 0, err: expect.stringContaining("no browser") });
  });

  it("--csv prints the ledger, or writes it to a file that does not exist", async () => {
    const files = openExample();
    expect((await runStrata(files, "stats --csv")).out.split(/\r?\n/)).toHaveLength(7);
    const written = { code: 0, out: `Written: ${PROJECT}/ledger.csv` };
    expect(await runStrata(files, "stats --csv ledger.csv")).toMatchObject(written);
    const again = await runStrata(files, "stats --csv ledger.csv");
    expect([again.code, again.err]).toEqual([3, expect.stringContaining("ledger.csv already exists")]);
    await files.writeWhole(`${PROJECT}/ledger.csv`, "mine");
    expect(await runStrata(files, "stats --csv ledger.csv --force")).toMatchObject(written);
    expect(files.text(`${PROJECT}/ledger.csv`)?.split("\r\n")).toHaveLength(8);
  });
});

describe("comma-separated values", () => {
  /** A reader by RFC 4180, written apart from the writer. */
  function readCsv(text: string): string[][] {
    const rows: string[][] = [];
    let row: string[] = [];
    const cells = text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g);
    for (const [, quoted, plain = "", end = ""] of cells) {
      row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
      if (end !== ",") rows.push(row);
      if (end !== ",") row = [];
    }
    return rows;
  }

  it("have one line per record that counts, and add up to the totals", () => {
    const [head = [], ...rows] = readCsv(formatCsv(readLedgerExample(), new Map([["ses_1", "Orders"]])));
    expect(head).toEqual(CSV_COLUMNS);
    const column = (name: string) => rows.map((row) => row[head.indexOf(name)] ?? "");
    expect(column("event")).toEqual(["answer", "spilled", "answer", "cut", "answer", "answer"]);
    expect(column("title")).toEqual([...Array.from({ length: 5 }, () => "Orders"), ""]);
    expect(column("sent_without").filter(Boolean).map(Number)).toEqual([9_000, 50_000, 57_000, 7_000]);
    const sum = (name: string) => column(name).reduce((total, cell) => total + Number(cell), 0);
    expect([sum("saved"), sum("tokens_freed")]).toEqual([-3_850, 65_000]);
    const page = readFileSync("docs/files.md", "utf8");
    expect(CSV_COLUMNS.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("keep any text, and no cell is a formula", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (title, reason) => {
        const record = { ...readLedgerExample().get("ses_2")?.[0], reason } as SavingsRecord;
        const text = formatCsv(new Map([["s", [record]]]), new Map([["s", title]]));
        const [head = [], row = [], ...rest] = readCsv(text);
        expect([row.length, rest]).toEqual([head.length, []]);
        for (const [name, given] of Object.entries({ title, reason })) {
          const cell = row[head.indexOf(name)] ?? "";
          expect(cell).not.toMatch(/^[=+\-@]/);
          expect([given, `'${given}`]).toContain(cell);
        }
      }),
    );
  });
});
