// The last line of a CI run: "N passed, N failed", read from the report that vitest wrote.
import { existsSync, readFileSync } from "node:fs";

const path = new URL("../test-report.json", import.meta.url);
if (existsSync(path)) {
  const report = JSON.parse(readFileSync(path, "utf8"));
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(
    `${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped ? `, ${skipped} skipped` : ""}`,
  );
} else {
  console.log("no test was run: the step before the tests failed, see above");
}
