// Prints the ten slowest files of a CI run, the tests that passed only when tried again and why they did not at first,
// and as its last line "N passed, N failed", from vitest's report.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
// The report has `/` on Windows, too.
const slashed = root.replaceAll("\\", "/");
const path = `${root}test-report.json`;
const SLOWEST = 10;

if (existsSync(path)) {
  const report = JSON.parse(readFileSync(path, "utf8"));
  const files = report.testResults.map(({ endTime, name, startTime }) => ({
    name: name.replace(slashed, ""),
    seconds: (endTime - startTime) / 1_000,
  }));
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  console.log("The slowest files, in seconds:");
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(8)}  ${name}`);
  if (existsSync(`${root}test-starts.txt`))
    console.log(readFileSync(`${root}test-starts.txt`, "utf8").split("\n", 1)[0]);
  for (const { failureMessages, fullName, status } of report.testResults.flatMap(
    (file) => file.assertionResults,
  ))
    if (status === "passed" && failureMessages.length > 0)
      console.log(`Passed only when tried again: ${fullName}\n${failureMessages[0]}`);
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(
    `${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped ? `, ${skipped} skipped` : ""}`,
  );
} else {
  console.log("no tests ran: an earlier step failed, see above");
}
