/** `strata stats` as comma-separated values, its files, and the program that opens a link. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { planOpener } from "../../src/cli/strata.js";
import { CSV_COLUMNS, formatCsv } from "../../src/costs/csv.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { PROJECT } from "../support/fake-host.js";
import { readLedgerExample } from "../support/ledger.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";
import { runStrata } from "../support/shell.js";

const openProject = () => {
  const files: Record<string, string> = { [`${PROJECT}/.git/HEAD`]: "x" };
  for (const [sessionID, records] of readLedgerExample())
    files[`${PROJECT}/.opencode/strata/savings/${sessionID}.jsonl`] = records
      .map((record) => `${JSON.stringify(record)}\n`)
      .join("");
  return createMemoryFiles(files);
};

/** A reader by RFC 4180, written apart from the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end = ""] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push(row);
    if (end !== ",") row = [];
  }
  return rows;
}

describe("comma-separated values", () => {
  it("comma-separated values have one line per record that counts, and add up to the totals", () => {
    const [head = [], ...rows] = readCsv(formatCsv(readLedgerExample(), new Map([["ses_1", "Orders"]])));
    expect(head).toEqual(CSV_COLUMNS);
    const column = (name: string) => rows.map((row) => row[head.indexOf(name)] ?? "");
    expect(column("event")).toEqual(["answer", "spilled", "answer", "cut", "answer", "answer"]);
    expect(column("title")).toEqual([...Array.from({ length: 5 }, () => "Orders"), ""]);
    expect(column("sent_without").filter(Boolean).map(Number)).toEqual([9_000, 50_000, 57_000, 7_000]);
    const sum = (name: string) => column(name).reduce((total, cell) => total + Number(cell), 0);
    expect([sum("saved"), sum("tokens_freed")]).toEqual([-3_850, 65_000]);
  });

  it("comma-separated values keep any text, and no cell is a formula", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (title, reason) => {
        const record = { ...readLedgerExample().get("ses_2")?.[0], reason } as SavingsRecord;
        const text = formatCsv(new Map([["s", [record]]]), new Map([["s", title]]));
        const [head = [], row = [], ...rest] = readCsv(text);
        expect([row.length, rest]).toEqual([head.length, []]);
        for (const [name, given] of [
          ["title", title],
          ["reason", reason],
        ] as const) {
          const cell = row[head.indexOf(name)] ?? "";
          expect(cell).not.toMatch(/^[=+\-@]/);
          expect([given, `'${given}`]).toContain(cell);
        }
      }),
    );
  });

  it("every column is on the page of files", () => {
    const page = readFileSync("docs/files.md", "utf8");
    expect(CSV_COLUMNS.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("stats --csv prints them, or writes them to a file that does not exist, and export does the same", async () => {
    const files = openProject();
    const printed = await runStrata(files, "stats --csv");
    expect(printed.out.split(/\r?\n/)).toHaveLength(7);
    expect(await runStrata(files, "stats --csv ledger.csv")).toMatchObject({
      code: 0,
      out: `Written: ${PROJECT}/ledger.csv`,
    });
    expect(files.text(`${PROJECT}/ledger.csv`)?.split("\r\n")).toHaveLength(8);
    for (const line of ["stats --csv ledger.csv", "export ledger.csv"]) {
      const { code, err } = await runStrata(files, line);
      expect([line, code]).toEqual([line, 3]);
      expect(err).toContain(
        `${PROJECT}/ledger.csv already exists; choose another file, or replace it with --force`,
      );
    }
    await files.writeWhole(`${PROJECT}/ledger.csv`, "mine");
    expect((await runStrata(files, "stats --csv ledger.csv --force")).code).toBe(0);
    expect(files.text(`${PROJECT}/ledger.csv`)?.split("\r\n")).toHaveLength(8);
  });
});

describe("the program that opens a link", () => {
  it("the opener is the system's own", () => {
    expect(planOpener("darwin", "/p.html")).toEqual({ program: "open", args: ["/p.html"] });
    expect(planOpener("linux", "/p.html")).toEqual({ program: "xdg-open", args: ["/p.html"] });
    expect(planOpener("win32", "C:\\p.html").args).toEqual(["/c", "start", "", "C:\\p.html"]);
  });
});
