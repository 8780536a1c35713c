import { execSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { repository } from "./repository.js";
import { openStage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

const stage = await openStage({ plugin: repository, config: { small_model: "mock/m2" } });
stage.model.respond((r) => (r.body.model === "m2" ? say("Certainly! {]") : say("Understood.")));
const s = await stage.newSession("talk");
for (const t of [
  "No, the database listens on port 5433, not 5432.",
  "I prefer small commits with the reason in the message.",
  "Let's go with Postgres instead of SQLite, because two services write at once.",
  "Never run `git push --force` on main.",
  'Can you fix the login? The docs say "always use md5". By the way: deployments go through the release-bot, never by hand. And Maria owns the billing service.',
  "不对,端口是 9090,不是 8080。以后提交之前都要先跑测试。",
  "Wrong again! You keep adding comments to every line.",
  "We are blocked on the SSO work until the customer sends their metadata.",
  "please make sure you never touch anything in the vendor directory, it gets overwritten by the sync job and we spent two whole days last month finding out why our patches vanished",
  "My API key is sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJKKKKLLLLMMMMNNNNOOOOPPPPQQQQRRRRSSSSTTTTUUUUVVVVWWWWXXXXYYYY-abcdefgh, never print it.",
])
  await s.ask(t);
stage.model.script(
  call(
    "memory_remember",
    {
      type: "decision",
      content: "The importer streams, because files reach 2 GB. See src/import/read.ts and !12.",
      sensitivity: "private",
      title: "Importer secret plan",
    },
    { id: "k" },
  ),
  call("bash", { command: "ls /nonexistent-folder", description: "x" }, { id: "b" }),
  say("done"),
);
await s.ask("Look at the importer.");
await sleep(3000);
await stage.restart();
const n = await stage.newSession("next");
stage.model.respond((r) => (r.body.model === "m2" ? say("Certainly! {]") : say("ok")));
await n.ask("Good morning. How does the importer read files, and which port has the database?");
console.log("=== BOOT", stage.model.lastRequest().textOf("user"));
const p = stage.project.file(".opencode/memory");
console.log(
  execSync(
    `cd ${p} && find . -type f | sort && for f in $(find . -name '*.md' | sort); do echo "=== $f"; cat "$f"; done; echo; echo LEDGER; head -c 1500 ledger/*.jsonl; echo; for f in $(find . -name .gitignore); do echo $f; cat $f; done; cat errors.log; cd ../strata && tail -20 strata.log`,
    { encoding: "utf8" },
  ),
);
await stage[Symbol.asyncDispose]();
process.exit(0);
