/** The same sentence stays one memory and gains a use, by every way in; a contradiction is reported and recorded. */
import { expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { draft, openMemoryWorld } from "../support/memory-world.js";
import { runStrata } from "../support/shell.js";
import { openWorld } from "../support/world.js";

const CAUSE = { operation: "remember" };

async function openCommands() {
  const world = await openWorld();
  const run = (name: string, words: string): Promise<string> => {
    const command = world.strata.dispatcher.commands.find((one) => one.name === name);
    if (!command) throw new Error(`no /${name}`);
    return command.execute({ sessionID: "ses_1", words }, new AbortController().signal);
  };
  return { world, run };
}

it("the same sentence remembered twice is one memory by strata remember, strata ingest and both together", async () => {
  const files = createMemoryFiles({
    [`${PROJECT}/.git/HEAD`]: "x",
    [`${PROJECT}/notes.md`]: "we deploy on Fridays\n",
  });
  await runStrata(files, "remember we deploy on Fridays");
  expect((await runStrata(files, "remember we deploy on Fridays")).out).toMatch(/^Already known: /);
  await runStrata(files, "ingest notes.md --type knowledge");
  const { out } = await runStrata(files, "list --json");
  expect(JSON.parse(out).memories).toHaveLength(1);
});

it("the same sentence remembered twice counts as a use of the existing memory, and records the session", async () => {
  const { store: memories } = openMemoryWorld();
  const said = (session: string) => draft("we deploy on Fridays", { provenance: { by: "user", session } });
  await memories.remember(said("ses_1"), CAUSE);
  const again = await memories.remember(said("ses_2"), CAUSE);
  expect(again).toMatchObject({ isKnown: true, memory: { extra: { sessions: ["ses_1", "ses_2"] } } });
  await memories.onIdle();
  const [only, ...others] = await memories.list();
  expect(others).toEqual([]);
  expect(memories.useOf(only?.id ?? "")?.count).toBe(1);
});

it("the same sentence remembered twice is another memory if it is a rule and was a fact, is private, or the first one is archived", async () => {
  const { store: memories } = openMemoryWorld();
  const kinds = [
    draft("small commits", { type: "knowledge" }),
    draft("small commits", { type: "directive" }),
    draft("small commits", { type: "directive", sensitivity: "private" }),
  ];
  const ids: string[] = [];
  for (const one of kinds) {
    const written = await memories.remember(one, CAUSE);
    expect(written.kind === "written" && !written.isKnown).toBe(true);
    if (written.kind === "written") ids.push(written.memory.id);
  }
  await memories.archive(ids[0] ?? "", CAUSE);
  await memories.archive(ids[1] ?? "", CAUSE);
  expect(await memories.remember(draft("small commits", { type: "knowledge" }), CAUSE)).not.toHaveProperty(
    "isKnown",
  );
});

it("a contradiction is reported by /remember, and the newer memory supersedes the older", async () => {
  const { run, world } = await openCommands();
  await run("remember", "we deploy on Fridays");
  const answer = await run("remember", "never deploy on Fridays");
  expect(answer).toContain("Remembered: directive/never-deploy-on-fridays");
  expect(answer).toContain('It contradicts knowledge/we-deploy-on-fridays ("we deploy on Fridays")');
  const page = world.files.text(`${PROJECT}/.opencode/memory/knowledge/we-deploy-on-fridays.md`);
  expect(page).toMatch(/^status: superseded$/m);
  expect(page).toContain("directive/never-deploy-on-fridays");
});
