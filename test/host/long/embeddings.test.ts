/** An embedding endpoint of the user's own in the real OpenCode: asked in the background, and never waited for. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashOf } from "../../../src/base/hash.js";
import { planFolders } from "../../../src/project/folders.js";
import {
  answerAll,
  answerWith,
  type EmbeddingServer,
  embedApart,
  startEmbeddingServer,
} from "../../support/embedding-server.js";
import { whenFits } from "../stage/files.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";

const FACT = "Every vehicle is serviced in March.";
/** Means the same as a word of the fact, and shares none with it. */
const PARAPHRASE = "Fahrzeug";
const MODEL = "paraphrases";
/** Each makes a fact of its own. */
const TREES =
  "Alder Ash Aspen Beech Birch Cedar Cherry Elm Fir Hazel Juniper Larch Lime Maple Oak Pine Rowan Spruce Willow".split(
    " ",
  );

const askedAbout = ({ requests }: EmbeddingServer, text: string): number =>
  requests.filter(({ input }) => input.some((one) => one.includes(text))).length;

/** What `memory_recall` answers in a new session. */
async function recall(stage: Stage, query: string): Promise<string> {
  stage.model.script(call("memory_recall", { query }, { id: "recall" }), say("done"));
  await (await stage.newSession()).ask("Look it up.");
  return stage.model.lastRequest().toolResult("recall") ?? "no result";
}

test("recall finds a paraphrase through the user's endpoint, asks once for each text, and goes on by words while the endpoint hangs", async () => {
  await using server = await startEmbeddingServer(() => {});
  // Longer than the test may take: if anything waited for an answer, the test would fail.
  const embeddings = { url: server.url, model: MODEL, timeoutMs: 120_000 };
  await using stage = await openStage({ options: { recall: { embeddings } } });
  stage.model.script(
    call("memory_remember", { type: "knowledge", content: FACT }, { id: "kept" }),
    say("ok"),
  );
  await (await stage.newSession()).ask("Note when we service them.");
  await server.whenAsked(1);
  expect(askedAbout(server, FACT)).toBe(1);
  expect(await recall(stage, PARAPHRASE)).toBe("Nothing found.");
  expect(await recall(stage, "serviced in March")).toContain(FACT);

  server.answer = answerAll;
  await stage.restart({ kill: true });
  expect(await recall(stage, "serviced in March")).toContain(FACT);
  const { vectors } = planFolders(stage.project.path);
  const name = hashOf(JSON.stringify([`${server.url}/v1/embeddings`, MODEL, null]));
  await whenFits(join(vectors, `${name}.json`), (text) => text.includes(`"vectors":{"`), "a vector");
  expect(askedAbout(server, FACT)).toBe(2);
  expect(await recall(stage, PARAPHRASE)).toContain(FACT);

  await stage.restart();
  await recall(stage, "serviced in March");
  expect(await recall(stage, PARAPHRASE)).toContain(FACT);
  expect(askedAbout(server, FACT)).toBe(2);
  expect(stage.read(".opencode/strata/strata.log")).not.toMatch(/ERROR/);
});

test("a message in another language is answered with the memory that it means, also after a restart, and a hanging endpoint delays no turn", async () => {
  await using server = await startEmbeddingServer(answerWith(embedApart));
  const embeddings = { url: server.url, model: MODEL, timeoutMs: 120_000 };
  await using stage = await openStage({ options: { recall: { embeddings }, boot: { enabled: false } } });
  const facts = [FACT, ...TREES.map((tree, n) => `${tree} timber is stored behind ${TREES.at(n - 1)}.`)];
  stage.model.script(
    ...facts.map((content, n) => call("memory_remember", { type: "knowledge", content }, { id: `kept${n}` })),
    say("ok"),
  );
  await (await stage.newSession()).ask("Note all of them.");
  await stage.restart();
  const ask = async (text: string): Promise<string> => {
    stage.model.script(say("done"));
    await (await stage.newSession()).ask(text);
    return stage.model.lastRequest().textOf("user");
  };
  // The first message opens the memories; their vectors come from the cache in the background.
  await ask("hello");
  expect(askedAbout(server, FACT)).toBe(1);
  expect(await ask("Wann war das Fahrzeug zuletzt dran?")).toContain(FACT);
  expect(await ask("Wie heisst das Problem?")).not.toContain("Earlier sessions noted");
  server.answer = () => {};
  expect(await ask("Und das Fahrzeug heute?")).not.toContain(FACT);
  expect(stage.read(".opencode/strata/strata.log")).not.toMatch(/ERROR/);
});
