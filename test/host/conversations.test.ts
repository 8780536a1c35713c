/** The index of conversations in the real OpenCode: what is in it, and what goes with words, sessions and the switch. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type Conversations,
  createConversations,
  findFolder,
} from "../../src/conversations/conversations.js";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { answerWith, embedApart, startEmbeddingServer } from "../support/embedding-server.js";
import { createFakeLog } from "../support/fake-log.js";
import { patiently } from "../support/patience.js";
import { isolation } from "./stage/opencode.js";
import { openStage, type Stage, type StageOptions } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { runStrata } from "./stage/strata.js";

/** The index of the stage's user, in this process. */
function openIndex({ project }: Stage): Conversations & { path: string } {
  const folder = findFolder(join(isolation(project).XDG_STATE_HOME ?? "", "opencode-strata"));
  const locks = createLocks({ clock, files, processes: createRunningProcesses(), instance: "test" });
  const log = createFakeLog();
  const index = createConversations({ clock, files, locks, log, folder, maxBytes: 2e8 });
  return { ...index, path: join(folder, "index.db") };
}

const whenFound = (index: Conversations, words: string, count: number) =>
  expect
    .poll(async () => (await index.search(words)).length, { message: words, timeout: patiently(60_000) })
    .toBe(count);

/** A session in another project of the same user, which is closed again. */
async function play(
  options: StageOptions,
  answer: string,
  whenDone: (index: Conversations) => Promise<unknown> = async () => {},
) {
  await using stage = await openStage(options);
  stage.model.script(say(answer));
  const index = openIndex(stage);
  await (await stage.newSession("Elsewhere")).ask("What is there?");
  await whenDone(index);
  return index;
}

test("what was said is found by its words with its session, until it is undone, its session is deleted or the index is switched off", async () => {
  const index = await play({}, "The blog uses a penguin theme.", (found) => whenFound(found, "penguin", 1));
  await using shop = await openStage();
  shop.model.script(
    call("bash", { command: "echo okapi", description: "x" }),
    say("The giraffe port is 8080."),
    say("Undone words are written here."),
    say("A walrus sleeps."),
  );
  const first = await shop.newSession("Which port");
  await first.ask("Which giraffe do we use? The key is ghp_16C7e42F292c6912E7710c838347Ae178B4a");
  await whenFound(index, "giraffe", 2);
  const [quote] = await index.search("giraffe 8080", { project: shop.project.path });
  expect(quote).toMatchObject({ by: "agent", session: { id: first.id, title: "Which port" } });
  expect(await index.search("penguin", { project: shop.project.path })).toEqual([]);
  expect(await index.search("okapi")).toMatchObject([{ by: "tool", text: "bash echo okapi → ok" }]);
  expect((await index.search("giraffe", { by: "user" }))[0]?.text).toContain("[removed: GitHub");

  await first.ask("Never use the platypus.");
  await whenFound(index, "platypus", 1);
  const asked = (await first.messages()).filter(({ info }) => info.role === "user");
  await first.revert(asked[1]?.info.id);
  await whenFound(index, "platypus", 0);
  expect(await index.search("giraffe")).toHaveLength(2);

  const gone = await shop.newSession("Gone");
  await gone.ask("Where does the walrus sleep?");
  await whenFound(index, "walrus", 2);
  await gone.remove();
  await whenFound(index, "walrus", 0);

  await shop.restart({ config: { memory: { search: { enabled: false } } } });
  shop.model.script(say("ok"));
  await (await shop.newSession("after")).ask("Anything else?");
  await whenFound(index, "giraffe", 0);
  await whenFound(index, "penguin", 0);
});

test("strata index reads the sessions of every project from before the plugin, once, and strata forget removes one for good", async () => {
  const index = await play({ plugin: [] }, "The blog has a heron.");
  await using shop = await openStage({ plugin: [] });
  shop.model.script(say("The narwhal is large."));
  const session = await shop.newSession("Whales");
  await session.ask("Tell me of a narwhal.");
  const { PATH: _, ...env } = isolation(shop.project);
  const strata = async (...args: string[]) => {
    const { code, err, out } = await runStrata(shop.project, [...args, "--json"], { env });
    expect([code, err], out).toEqual([0, ""]);
    return JSON.parse(out);
  };
  expect(existsSync(index.path) ? await index.search("narwhal") : []).toHaveLength(0);
  expect(await strata("index", "--all", "--server", shop.host.url)).toMatchObject({ unread: 0 });
  expect(await index.search("narwhal", { project: shop.project.path })).toHaveLength(2);
  const [heron, ...others] = await index.search("heron");
  expect([heron?.session.title, heron?.session.project === shop.project.path, others]).toEqual([
    "Elsewhere",
    false,
    [],
  ]);
  expect(await strata("index")).toMatchObject({ read: 0, removed: 0 });
  await strata("forget", "--session", session.id);
  expect(await index.search("narwhal")).toEqual([]);
  expect(await strata("index")).toMatchObject({ read: 0 });
  expect(await index.search("narwhal")).toEqual([]);
});

test("a question is answered by the quote of an earlier session, which opens by its id; no agent is shown another project's", async () => {
  const index = await play({}, "An ocelot port is drawn in the theme.", (found) =>
    whenFound(found, "ocelot", 1),
  );
  await using server = await startEmbeddingServer(answerWith(embedApart));
  await using shop = await openStage({
    options: { recall: { embeddings: { url: server.url, model: "paraphrases" } } },
  });
  const asked = call("memory_recall", { query: "ocelot port", conversations: true }, { id: "asked" });
  shop.model.script(
    call("bash", { command: "echo 8080", description: "x" }),
    say("The ocelot port is 8080."),
    say("Invoices are numbered by lemurs."),
    asked,
    say("It is 8080."),
  );
  const first = await shop.newSession("Which port");
  await first.ask("Which port do we use?");
  await (await shop.newSession("Invoices")).ask("How are the invoices of a vehicle numbered?");
  await whenFound(index, "ocelot", 2);
  await whenFound(index, "lemurs", 1);

  const later = await shop.newSession("Later");
  await later.ask("Where did we decide about the port?");
  const seen = shop.model.lastRequest().toolResult("asked");
  expect(seen).toMatch(/a record, no request.*\n- \[session /);
  expect(seen).toContain(`[session ${first.id}, `);
  expect(seen).toContain('agent] "The ocelot port is 8080."');
  expect(seen).not.toContain("theme");
  const shown = await later.slash("recall", "ocelot port");
  expect(shown).toContain('"The ocelot port is 8080."');
  expect(shown).toContain(`opencode -s ${first.id}`);
  expect(await later.slash("recall", "Fahrzeug")).toContain('"How are the invoices of a vehicle numbered?"');
  expect(await later.slash("attach", "the ocelot")).toContain(`Attached: session ${first.id}`);
  const { PATH: _, ...env } = isolation(shop.project);
  const { out } = await runStrata(shop.project, ["recall", "ocelot", "--project", "all"], { env });
  expect(out).toMatch(/drawn in the theme\..*\n.*Elsewhere\n +opencode \/.* -s /);
  expect((await first.messages()).length).toBeGreaterThan(1);
});
