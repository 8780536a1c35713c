/** The shift of a host's clock, read by another thread while it is written. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../../support/remove-folder.js";
import { writeShift } from "./shift-date.js";

/** Reads the file until it holds `last`, and reports how often it held less than before. */
const READER = `
  const { parentPort, workerData: { file, last } } = require("node:worker_threads");
  const { readFileSync } = require("node:fs");
  parentPort.postMessage("reads");
  let [backwards, before] = [0, 0];
  while (before < last) {
    const now = Number(readFileSync(file, "utf8"));
    if (now < before) backwards++;
    else before = now;
  }
  parentPort.postMessage(backwards);
`;

test("a shifted clock that is read while it is set never goes back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "strata-shift-"));
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, "clock");
  const last = 5_000;
  writeShift(file, 1);
  const reader = new Worker(READER, { eval: true, workerData: { file, last } });
  const next = () => new Promise((resolve) => reader.once("message", resolve));
  expect(await next()).toBe("reads");
  const backwards = next();
  for (let shift = 2; shift <= last; shift++) writeShift(file, shift);
  expect(await backwards).toBe(0);
});
