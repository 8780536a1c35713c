/** `strata enrich` against scripted servers. */
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import {
  type ForgeServer,
  gitHubIssue,
  gitLabMergeRequest,
  startForgeServer,
} from "../support/forge-server.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { type Ran, runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";

const GITHUB = "https://api.github.com";
const ISSUE_34 = "/repos/acme/shop/issues/34";
const USERS = "/home/me/.config/opencode/opencode.json";
const answers = { [ISSUE_34]: gitHubIssue(34), "/repos/acme/shop/issues/35": gitHubIssue(35) };

interface Shell {
  files: MemoryFiles;
  run(line: string, env?: Record<string, string>): Promise<Ran>;
}

async function openShell(
  server: ForgeServer,
  memories: readonly string[] = [],
  remote = "https://github.com/acme/shop",
): Promise<Shell> {
  const clock = createFakeClock();
  const files = openRepository(
    {
      [`${PROJECT}/.git/config`]: `[remote "origin"]\n\turl = ${remote}\n`,
    },
    clock.now,
  );
  const get = server.getFor(GITHUB, server.url);
  const run = (line: string, env = {}) => runStrata(files, line, { clock, env, get });
  for (const text of memories) await run(`remember --type knowledge ${text}`);
  return { files, run };
}

describe("strata enrich", () => {
  it("enrich asks about entities in memories, and prints what is known of them", async () => {
    await using server = await startForgeServer(answers);
    const { run } = await openShell(server, [
      "the login waits for #34",
      "see acme/shop#35 and https://evil.example/a/b/-/issues/1",
    ]);
    const dry = await run("enrich --dry-run");
    expect([dry.code, dry.out]).toEqual([
      0,
      expect.stringMatching(/shop#34\nWould ask about 2 .* Nothing was sent\.$/s),
    ]);
    expect(server.requests).toEqual([]);
    const first = await run("enrich");
    expect([first.code, first.out.split("\n").sort()]).toEqual([
      0,
      [
        "Asked about 2 entities.",
        'github.com/acme/shop#34  issue, open, by octocat, labels bug: "Found a bug"',
        'github.com/acme/shop#35  issue, open, by octocat, labels bug: "Found a bug"',
      ],
    ]);
    expect(first.err).toBe(
      "strata: evil.example/a/b#1: evil.example is not among the hosts that may be asked; recall.entities.hosts in your own configuration names more",
    );
    expect(server.requests).toHaveLength(2);
  });

  it("enrich reports open blockers whose issue is no longer open", async () => {
    await using server = await startForgeServer({
      ...answers,
      [ISSUE_34]: gitHubIssue(34, { state: "closed" }),
    });
    const { run } = await openShell(server);
    await run("remember --type blocker the login waits for #34");
    await run("remember --type blocker the export waits for #35");
    const { out } = await run("enrich");
    expect(out.split("\n").filter((line) => line.startsWith("blocker/"))).toEqual([
      expect.stringMatching(
        /^(blocker\/\S*login\S*) is open, but github\.com\/acme\/shop#34 is closed; strata memory edit \1 if/,
      ),
    ]);
    const { settled } = JSON.parse((await run("enrich #34 --json")).out);
    expect(settled).toMatchObject([{ entity: "github.com/acme/shop#34", state: "closed" }]);
  });

  it("enrich sends a token to an instance in the user's configuration, and to none in a project's", async () => {
    const path = "/api/v4/projects/acme%2Fshop/merge_requests/12";
    await using server = await startForgeServer({ [path]: gitLabMergeRequest(12) });
    const { files, run } = await openShell(server, [], "http://127.0.0.1/acme/shop.git");
    const hosts = [{ kind: "gitlab", url: server.url, tokenEnv: "ACME" }];
    const memory = JSON.stringify({ memory: { recall: { entities: { hosts } } } });
    await files.writeWhole(`${PROJECT}/opencode.json`, memory);
    const refused = await run("enrich !12", { ACME: "glpat-acme" });
    expect([refused.code, server.requests]).toEqual([1, []]);
    await files.remove(`${PROJECT}/opencode.json`);
    await files.writeWhole(USERS, memory);
    const { code, out } = await run("enrich !12", { ACME: "glpat-acme", GITLAB_TOKEN: "other" });
    expect([code, out]).toEqual([0, expect.stringContaining("127.0.0.1/acme/shop!12  merge request, open")]);
    expect(server.requests.map(({ headers }) => headers["private-token"])).toEqual(["glpat-acme"]);
    expect([...files.contents.values()].join()).not.toContain("glpat-acme");
  });
});
