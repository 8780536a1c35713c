/** Issues that a message names, in the real OpenCode, with the user's own GitLab. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planFolders } from "../../../src/project/folders.js";
import { gitLabIssue, startForgeServer } from "../../support/forge-server.js";
import { whenFits } from "../stage/files.js";
import { openStage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";

const PATH = "/api/v4/projects/acme%2Fshop/issues/34";
const LINE = '- [127.0.0.1/acme/shop#34] issue, open, by sam, labels bug: "Login fails" (today)';

test("an issue that a message names is looked up in the background, shown with the next message, and found by memory_recall after a restart", async () => {
  await using server = await startForgeServer({ [PATH]: gitLabIssue(34, { title: "Login fails" }) });
  const hosts = [{ kind: "gitlab", url: server.url, tokenEnv: "ACME_TOKEN" }];
  await using stage = await openStage({
    options: { recall: { entities: { background: true, hosts } } },
    env: { ACME_TOKEN: "glpat-acme" },
    prepare: ({ path }) =>
      appendFileSync(
        join(path, ".git", "config"),
        '[remote "origin"]\n\turl = http://127.0.0.1/acme/shop.git\n',
      ),
  });
  const session = await stage.newSession();
  stage.model.script(say("ok"), say("ok"));
  await session.ask("What is left of #34?");
  const { entities } = planFolders(stage.project.path);
  await whenFits(entities, (text) => text.includes("Login fails"), "the issue");
  await session.ask("And now, #34?");
  expect(JSON.stringify(stage.model.lastRequest().messages)).toContain(JSON.stringify(LINE).slice(1, -1));
  await stage.restart();
  stage.model.script(call("memory_recall", { entity: "#34" }, { id: "recall" }), say("done"));
  await (await stage.newSession()).ask("Look it up.");
  expect(stage.model.lastRequest().toolResult("recall")).toContain(LINE);
  expect(server.requests.map(({ headers, path }) => [path, headers["private-token"]])).toEqual([
    [PATH, "glpat-acme"],
  ]);
  expect(stage.read(".opencode/strata/strata.log")).not.toMatch(/ERROR|glpat/);
});
