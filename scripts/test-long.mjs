// Plays all tests at full size and keeps the result of a whole run in test/long-run.json, which is committed.
//
//     npm run test:long                  everything
//     npm run test:long -- kill          the files whose path has "kill"; nothing is kept
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const chosen = process.argv.slice(2);
const begunMs = Date.now();
// Not through npx, which is a script of the shell on Windows.
const vitest = `${root}node_modules/vitest/vitest.mjs`;
const { status } = spawnSync(process.execPath, [vitest, "run", "--mode", "long", ...chosen], {
  cwd: root,
  stdio: "inherit",
});
if (chosen.length === 0) keep();
process.exit(status ?? 1);

function keep() {
  const report = JSON.parse(readFileSync(`${root}test-report.json`, "utf8"));
  const failures = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter((one) => one.status === "failed").map(({ fullName }) => fullName.trim()),
  );
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const result = {
    date: new Date(begunMs).toISOString().slice(0, 10),
    commit: git("rev-parse", "--short=12", "HEAD"),
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    minutes: Math.round((Date.now() - begunMs) / 60_000),
    failures,
  };
  writeFileSync(`${root}test/long-run.json`, `${JSON.stringify(result, null, 2)}\n`);
}
