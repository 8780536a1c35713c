import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROTATE_AT_BYTES } from "../../layers/errors/error-log.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { planFolders } from "../../src/project/folders.js";
import { readErrorLog } from "../support/failures.js";
import { startChild } from "../support/processes/child.js";

/** So many lines of some 300 bytes are more than one file, and less than two. */
const TIMES = 400;

it("errors.log loses, tears or repeats no line while two processes write and it is rotated", async () => {
  const project = await mkdtemp(join(tmpdir(), "strata-errors-"));
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  const agents = ["ses_a", "ses_b"].map((session) =>
    startChild("failing-agent.ts", project, session, `${TIMES}`),
  );
  await Promise.all(agents.map((agent) => agent.ended()));

  const { errorLog } = planFolders(project);
  expect((await files.stat(`${errorLog}.1`))?.bytes).toBeGreaterThan(ROTATE_AT_BYTES);
  const entries = await readErrorLog(files, errorLog);
  for (const session of ["ses_a", "ses_b"]) {
    const calls = entries.filter((entry) => entry.session === session).map(({ call }) => call.split("-")[1]);
    expect(calls).toEqual(Array.from({ length: TIMES }, (_, n) => `${n}`));
  }
  const names = await readdir(join(project, ".opencode", "memory"));
  expect(names.sort()).toEqual([".gitignore", "errors.log", "errors.log.1"]);
});
