/** Where secrets that were said and run in the real OpenCode stand afterwards: nowhere in the files of ours. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { whenContains } from "./stage/files.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

/** Put together here, so that no scanner trips over the repository. */
const TOKEN = ["ghp", "_abcdefghijklmnopqrstuvwxyz0123456789"].join("");
const KEY = ["sk-", "proj-Zx81hhKq02lmPqR7tUvW3yZaBcDeFgH4"].join("");
const SECRETS = [TOKEN, KEY, ["Tr0ub", "4dor&3xyz"].join(""), ["hunter2", "horse9"].join("")];
const [, , PASSWORD, SHORT] = SECRETS;

/** Files of ours, with the secrets that stand in each. */
function findHolders({ project }: Stage): string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== "node_modules") walk(path);
      if (!entry.isFile()) continue;
      const text = readFileSync(path, "latin1");
      const held = SECRETS.filter((secret) => text.includes(secret));
      if (held.length > 0) found.push(`${relative(project.path, path)} ${held.join(" ")}`);
    }
  };
  walk(project.file(".opencode"));
  return found;
}

test("what a user says and an agent runs with a secret in it is in no file of ours, and in no later session", async () => {
  await using stage = await openStage();
  stage.model.script(
    call("bash", {
      command: `curl -H "Authorization: Bearer ${KEY}" http://127.0.0.1:1/x`,
      description: "x",
    }),
    call("bash", {
      command: `PGPASSWORD='${PASSWORD}' psql -h nowhere; echo "login failed for token ${TOKEN}" >&2; exit 3`,
      description: "x",
    }),
    call("bash", { command: `mysql -u root -p${SHORT} -e x`, description: "x" }),
    say(`I used the token ${TOKEN}.`),
    call("bash", { command: "true", description: "x" }),
    say("Next: push it."),
  );
  const session = await stage.newSession("secrets");
  const words = `My GitHub token is ${TOKEN} and the password is ${PASSWORD}. Always use the token ${TOKEN} for pushes.`;
  await session.ask(words);
  await session.ask("And now?");
  const notes = `.opencode/session-memory/${session.id}`;
  await whenContains(stage.project.file(`${notes}.md`), "Next: push it.");
  expect(findHolders(stage)).toEqual([]);
  expect(stage.read(`${notes}.md`)).toContain("[removed: GitHub token]");
  expect(stage.read(`${notes}.previous.md`)).toContain("Request 1");
  // In the conversation itself it stays as the user has written it.
  expect(stage.model.lastRequest().textOf("user")).toContain(words);

  await stage.restart();
  stage.model.script(say("Hello."));
  await (await stage.newSession("later")).ask("What was left open?");
  const later = stage.model.lastRequest();
  expect(later.textOf("user")).toContain("Next step: Next: push it.");
  expect(SECRETS.filter((secret) => later.prompt.includes(secret))).toEqual([]);
  expect(findHolders(stage)).toEqual([]);
});
