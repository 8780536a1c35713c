import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRemoteGit } from "../../src/sync/remote-git.js";
import { removeFolder } from "../support/remove-folder.js";
import { envOf } from "../support/sync-world.js";

let root: string;
let program: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "strata-remote-git-"));
  const folder = join(root, "a folder");
  mkdirSync(folder);
  program = join(folder, "connect");
  writeFileSync(program, `#!/bin/sh\ntouch "${join(root, "connected")}"\nexit 1\n`, { mode: 0o755 });
});
afterEach(() => removeFolder(root));

describe("git with the network", () => {
  it.each([
    ["GIT_SSH, a path", () => ({ GIT_SSH: program })],
    ["GIT_SSH_COMMAND, a command", () => ({ GIT_SSH_COMMAND: `"${program}"` })],
  ])("the user's program for ssh is used, also in a folder with a space: %s", async (_, env) => {
    const git = createRemoteGit({ ...envOf(root), ...env() });
    const answer = await git.run(["ls-remote", "--", "ssh://nowhere.invalid/x"], {
      folder: root,
      timeoutMs: 30_000,
    });
    expect(answer.kind).toBe("failed");
    expect(existsSync(join(root, "connected"))).toBe(true);
  });
});
