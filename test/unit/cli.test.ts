import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findProject, formatStatus, readStatus } from "../../src/cli/status.js";
import { PROJECT } from "../support/fake-host.js";
import { answer, call, lines, user } from "../support/messages.js";
import { openWorld } from "../support/world.js";

const folder = mkdtempSync(join(tmpdir(), "strata-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const strata = (...args: string[]) =>
  spawnSync(process.execPath, [resolve("dist/src/cli/strata.js"), ...args], {
    cwd: folder,
    encoding: "utf8",
  });

it("the status counts what left the context and says what is damaged", async () => {
  const world = await openWorld();
  await world.request([user("go"), answer([call("bash", lines(2_000)), call("bash", lines(2_000))])]);
  await world.strata.idle();
  await world.files.appendLine(`${PROJECT}/.opencode/strata/savings/ses_1.jsonl`, "oops");
  const status = await readStatus(world.files, PROJECT);
  expect(status.results).toEqual({ files: 1, bytes: 81_999 });
  expect(status.savings.spilled).toBe(2);
  expect(formatStatus(status)).toContain("Left the context  2 results moved to files, 0 cleared");
  expect(formatStatus(status)).toContain("line 3 cannot be read");
});

it("a result that is judged anew, because the machine state was deleted, counts once", async () => {
  const world = await openWorld();
  const messages = [user("go"), answer([call("bash", lines(2_000))])];
  await world.request(messages);
  await world.strata.idle();
  for (const path of world.files.contents.keys())
    if (path.includes("/state/")) world.files.contents.delete(path);
  const again = await world.restart();
  await again.request(messages);
  await again.strata.idle();
  expect(
    world.files.text(`${PROJECT}/.opencode/strata/savings/ses_1.jsonl`)?.match(/"spilled"/g),
  ).toHaveLength(2);
  expect((await readStatus(world.files, PROJECT)).savings.spilled).toBe(1);
});

it("the status is that of the project one stands in, also deep in it", async () => {
  const world = await openWorld();
  await world.request([user("go"), answer([call("bash", lines(2_000))])]);
  await world.strata.idle();
  expect(await findProject(world.files, `${PROJECT}/packages/a/src`)).toBe(PROJECT);
  expect(await findProject(world.files, "/elsewhere/x")).toBe("/elsewhere/x");
});

it("the command prints a status also where there is nothing yet, and JSON for programs", () => {
  expect(strata("status").stdout).toContain("0 results");
  expect(JSON.parse(strata("status", "--json").stdout).savings.spilled).toBe(0);
});

it("the command explains itself, and ends with 2 on what it does not understand", () => {
  expect(strata("--help").stdout).toContain("strata status");
  expect(strata("--version").stdout.trim()).toBe(JSON.parse(readFileSync("package.json", "utf8")).version);
  for (const args of [["frobnicate"], ["status", "--no-such"], ["status", "twice"]]) {
    const { status, stderr } = strata(...args);
    expect(status).toBe(2);
    expect(stderr).toContain("strata status");
  }
});
