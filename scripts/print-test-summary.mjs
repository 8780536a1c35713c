// Prints the last line of a CI run, "N passed, N failed", from vitest's report.
import { existsSync, readFileSync } from "node:fs";

const path = new URL("../test-report.json", import.meta.url);
if (existsSync(path)) {
  const report = JSON.parse(readFileSync(path, "utf8"));
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(
    `${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped ? `, ${skipped} skipped` : ""}`,
  );
} else {
  console.log("no tests ran: an earlier step failed, see above");
}
