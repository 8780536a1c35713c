/** Conflicts recorded by a person's own commands, and their resolution. */
import { expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";
import { openWorld, typeCommand } from "../support/world.js";

const FOLDER = `${PROJECT}/.opencode/memory`;

/** Two decisions with one title that no rule can decide between. */
async function openConflict(): Promise<{ files: MemoryFiles; err: string; name: string }> {
  const files = openRepository();
  await runStrata(files, "remember --type decision --title Harbour ships land at pier four");
  const { err } = await runStrata(
    files,
    "remember --type decision --title Harbour cranes belong to the city",
  );
  const name = /conflicts\/(.+)\.md/.exec(listConflicts(files)[0] ?? "")?.[1] ?? "";
  return { files, err, name };
}
const listConflicts = (files: MemoryFiles, folder = `${FOLDER}/conflicts/`): string[] =>
  [...files.contents.keys()].filter((path) => path.startsWith(folder));
const statusOf = async (files: MemoryFiles, id: string): Promise<string> =>
  JSON.parse((await runStrata(files, `show ${id} --json`)).out).status;

it("remember keeps both texts of one title, records the conflict and names it", async () => {
  const { err, files, name } = await openConflict();
  expect(name).toMatch(/^harbour-[0-9a-f]{8}$/);
  expect(err).toContain('decision/harbour has the same title ("Harbour") and says otherwise');
  const page = files.text(`${FOLDER}/conflicts/${name}.md`) ?? "";
  expect(page).toContain("ships land at pier four");
  expect(page).toContain("cranes belong to the city");
  const again = await runStrata(files, "remember --type decision --title Harbour cranes belong to the city");
  expect(again.out).toContain("Already known");
  expect(listConflicts(files)).toHaveLength(1);
});

it("reconcile lists both texts and exits with 1, and with 0 once nothing is open", async () => {
  const { files, name } = await openConflict();
  const { code, out } = await runStrata(files, "reconcile");
  expect(code).toBe(1);
  expect(out).toContain(`${name}: two versions of "Harbour"`);
  expect(out).toContain("ships land at pier four");
  expect(out).toContain("cranes belong to the city");
  const { conflicts } = JSON.parse((await runStrata(files, "reconcile --json")).out);
  expect(conflicts).toMatchObject([
    { name, this: { id: "decision/harbour" }, that: { id: "decision/harbour-2" } },
  ]);
  expect((await runStrata(files, `reconcile ${name} --keep this`)).code).toBe(0);
  expect(await runStrata(files, "reconcile")).toMatchObject({ code: 0, out: "No open conflicts." });
});

it.each([
  ["this", "active", "superseded"],
  ["that", "superseded", "active"],
  ["both", "active", "active"],
])(
  "reconcile --keep %s leaves one %s and the other %s, and the record archived",
  async (keep, one, other) => {
    const { files, name } = await openConflict();
    expect((await runStrata(files, `reconcile ${name} --keep ${keep}`)).out).toBe(`Decided: ${name}`);
    expect([await statusOf(files, "decision/harbour"), await statusOf(files, "decision/harbour-2")]).toEqual([
      one,
      other,
    ]);
    expect(listConflicts(files)).toEqual([]);
    expect(listConflicts(files, `${FOLDER}/archive/conflicts/`)).toHaveLength(1);
  },
);

it("/remember keeps both texts of one title too, and says where they are", async () => {
  const world = await openWorld();
  const say = (words: string) => typeCommand(world, "remember", words);
  await say("decision: The harbour\nships land at pier four");
  const answer = await say("decision: The harbour\ncranes belong to the city");
  expect(answer).toContain("strata reconcile decides which holds");
  expect(listConflicts(world.files)).toHaveLength(1);
});
