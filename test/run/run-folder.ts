/**
 * One folder for all temporary files of a test run. It is removed when the run ends, including anything tests left in
 * it; the next run removes the folder of a killed run.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../support/remove-folder.js";
import { SMALLER_FORMS } from "../support/sizes.js";

/** A line for each start of an OpenCode, which takes two seconds of processor time, and its first turn two more. */
export const STARTS = "starts.txt";

const NAME = /^strata-tests-(\d+)-/;

/** Creates the folder and makes it the temporary folder of this process and its children. */
export function openRunFolder(): void {
  const outside = tmpdir();
  for (const name of readdirSync(outside)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) removeFolder(join(outside, name));
  }
  const folder = mkdtempSync(join(outside, `strata-tests-${process.pid}-`));
  for (const variable of ["TMPDIR", "TEMP", "TMP"]) process.env[variable] = folder;
  process.once("exit", () => {
    printSmallerForms(join(folder, SMALLER_FORMS));
    printStarts(join(folder, STARTS));
    removeFolder(folder);
  });
}

/** Lists the tests that ran at a smaller size. */
function printSmallerForms(path: string): void {
  if (!existsSync(path)) return;
  const forms = [...new Set(readFileSync(path, "utf8").trim().split("\n"))].sort();
  const lines = forms.map((form) => `  ${form}\n`).join("");
  process.stdout.write(
    `\nSkipped here and run by \`npm run test:long\`, which takes these at full size:\n${lines}`,
  );
}

function printStarts(path: string): void {
  if (!existsSync(path)) return;
  const starts = readFileSync(path, "utf8").trim().split("\n");
  const countOf = (which: string): number => starts.filter((one) => one.startsWith(`${which} `)).length;
  const line = `OpenCode 1 was started ${countOf("1")} times, OpenCode 2 ${countOf("2")} times.`;
  process.stdout.write(`\n${line}\n`);
  writeFileSync("test-starts.txt", `${line}\n${starts.sort().join("\n")}\n`);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
