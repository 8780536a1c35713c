/** A person's edits are theirs; a secret in them never leaves the file. */
import { expect, it } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { createSecretGate } from "../../src/memory/draft.js";
import { BY_TEST, draft, idOf, MEMORY, openMemoryWorld } from "../support/memory-world.js";
import { SECRET } from "../support/sound-project.js";

it("a file with a secret is left alone and unused, and enters the ledger once the secret is removed", async () => {
  const world = openMemoryWorld({ gate: createSecretGate(clock) });
  const id = idOf(
    await world.store.remember(draft("the token is in the vault", { title: "token" }), BY_TEST),
  );
  const path = `${MEMORY}/${id}.md`;
  const before = world.files.text(path) ?? "";
  world.clock.advance(1_000);
  await world.files.writeWhole(path, before.replace("in the vault", SECRET));
  for (let n = 0; n < 3; n++) expect(await world.store.list()).toEqual([]);
  expect(world.store.problems()).toEqual([{ path, what: expect.stringContaining("GitHub token") }]);
  const ledger = () =>
    [...world.files.contents.keys()]
      .filter((one) => one.includes("/ledger/"))
      .map((one) => world.files.text(one))
      .join("");
  expect(ledger()).not.toContain(SECRET);
  expect(world.log.lines.filter((line) => line.includes("is not used and left as it is"))).toHaveLength(1);
  for (const change of [
    world.store.archive(id, BY_TEST),
    world.store.update(id, (one) => ({ ...one, pinned: true }), BY_TEST),
  ])
    expect(await change).toMatchObject({ kind: "refused", why: expect.stringContaining("GitHub token") });
  expect(world.files.text(path)).toContain(SECRET);

  world.clock.advance(1_000);
  await world.files.writeWhole(path, before.replace("in the vault", "in the safe"));
  await world.store.list();
  await world.store.onIdle();
  expect(ledger()).toContain("in the safe");
  expect((await world.store.history(id)).map(({ operation }) => operation)).toEqual([
    "remember",
    "edited by hand",
  ]);
  expect((await world.store.archive(id, BY_TEST)).kind).toBe("written");
  expect(ledger()).not.toContain(SECRET);
});
