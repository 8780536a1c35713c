import { expect, it } from "vitest";
import { createMemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, idOf, ledger, MEMORY, openMemoryWorld } from "../support/memory-world.js";

it("the store of private memories names nothing private in committed files, in any field or reason", async () => {
  const world = openMemoryWorld();
  const hint = "as private/decision/plan says";
  for (const given of [{ title: hint }, { tags: [hint] }, { when: [hint] }, { extra: { see: hint } }])
    expect(await world.store.remember(draft("one", given), BY_TEST)).toMatchObject({ kind: "refused" });
  const id = idOf(await world.store.remember(draft("one"), BY_TEST));
  await world.store.archive(id, { operation: "archive", reason: hint });
  for (const path of world.paths()) expect(world.files.text(`${MEMORY}/${path}`)).not.toContain("private/");
});

it("the store of private memories keeps them, their ledger and their index in a folder that git ignores, and no other file hints at them", async () => {
  const world = openMemoryWorld();
  await world.store.remember(draft("Build with make."), BY_TEST);
  await world.store.onIdle();
  const before = new Map(world.files.contents);
  const id = idOf(
    await world.store.remember(
      draft("My tone is dry.", { type: "preference", sensitivity: "private" }),
      BY_TEST,
    ),
  );
  expect(id).toBe("private/preference/my-tone-is-dry");
  await world.store.onIdle();
  const touched = world
    .paths()
    .filter((path) => before.get(`${MEMORY}/${path}`) !== world.files.contents.get(`${MEMORY}/${path}`));
  expect(touched.every((path) => path.startsWith("private/"))).toBe(true);
  expect(world.files.text(`${MEMORY}/private/.gitignore`)).toBe("*\n");
  expect(world.files.text(`${MEMORY}/private/MEMORY.md`)).toContain("My tone is dry");
  expect(ledger(world, `${MEMORY}/private`)).toHaveLength(1);
  // A link from a memory that may be committed would hint at it too.
  const linking = await world.store.remember(draft("See the tone.", { links: [id] }), BY_TEST);
  expect(linking).toMatchObject({ kind: "written", memory: { links: [] } });
});

it("the store of private memories completes a .gitignore that exposes that folder before it writes a private memory there", async () => {
  for (const text of ["# nothing\n", "", "*\n!preference/"]) {
    const world = openMemoryWorld();
    world.files.contents.set(`${MEMORY}/private/.gitignore`, Buffer.from(text));
    const written = world.store.remember(draft("secret", { sensitivity: "private" }), BY_TEST);
    expect(await written).toMatchObject({ kind: "written" });
    expect(world.files.text(`${MEMORY}/private/.gitignore`)).toMatch(/(^|\n)\*\n$/);
  }
});

it("the store of private memories writes none if the folder cannot be hidden", async () => {
  const files = createMemoryFiles({ [`${MEMORY}/private/.gitignore`]: "# nothing\n" });
  const world = openMemoryWorld({ files, wrap: (disk) => ({ ...disk, appendLine: async () => {} }) });
  const written = world.store.remember(draft("secret", { sensitivity: "private" }), BY_TEST);
  await expect(written).rejects.toMatchObject({ code: "ENOTPRIVATE" });
  expect([...files.contents.keys()].filter((path) => path.includes("/private/"))).toEqual([
    `${MEMORY}/private/.gitignore`,
  ]);
});
