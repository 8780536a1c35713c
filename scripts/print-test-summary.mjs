// The last line of a CI run: "N passed, N failed", read from the report that vitest wrote.
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(new URL("../test-report.json", import.meta.url), "utf8"));
const skipped = report.numPendingTests + report.numTodoTests;
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped ? `, ${skipped} skipped` : ""}`,
);
