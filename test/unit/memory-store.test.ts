import { expect, it } from "vitest";
import { replayLedger } from "../../src/memory/store/ledger.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, idOf, ledger, MEMORY, openMemoryWorld } from "../support/memory-world.js";

const PORT = "The development server listens on 8080.\n\n3000 is taken by the old frontend.";

it("remembering makes a file that a person can read, a line in the ledger, and an index", async () => {
  const world = openMemoryWorld();
  const written = await world.store.remember(
    draft(PORT, { title: "Port 8080, not 3000", tags: ["server"], pinned: true }),
    BY_TEST,
  );
  expect(written).toMatchObject({ kind: "written", path: `${MEMORY}/decision/port-8080-not-3000.md` });
  expect(world.files.text(`${MEMORY}/decision/port-8080-not-3000.md`)).toBe(`---
title: Port 8080, not 3000
pinned: true
created: 2026-11-21T09:00:00.000Z
updated: 2026-11-21T09:00:00.000Z
tags: [ server ]
source:
  by: user
  session: ses_1
---
${PORT}
`);
  await world.store.onIdle();
  expect(ledger(world)).toMatchObject([
    {
      operation: "remember",
      by: "strata",
      session: "ses_1",
      instance: "a",
      before: null,
      key: "decision/port-8080-not-3000",
    },
  ]);
  expect(world.files.text(`${MEMORY}/MEMORY.md`)).toContain(
    "## Pinned\n\n- [Port 8080, not 3000](decision/port-8080-not-3000.md) (decision): The development server listens on 8080.",
  );
  expect(await world.store.list()).toEqual([written.kind === "written" && written.memory]);
});

it("remembering touches nothing in a project without memories until one is written", async () => {
  const world = openMemoryWorld();
  const before = [...world.files.contents.keys()];
  expect(await world.store.list()).toEqual([]);
  expect(await world.store.read("decision/none")).toBeUndefined();
  expect(await world.store.update("decision/none", (one) => one, BY_TEST)).toMatchObject({
    kind: "refused",
  });
  expect(await world.store.archive("decision/none", BY_TEST)).toMatchObject({ kind: "refused" });
  await world.store.onIdle();
  expect([...world.files.contents.keys()]).toEqual(before);
});

it("a secret is refused before anything is written, and so is a change to one", async () => {
  const world = openMemoryWorld();
  expect(await world.store.remember(draft("the password is hunter2"), BY_TEST)).toEqual({
    kind: "refused",
    why: expect.stringContaining("it holds a secret"),
  });
  expect(world.paths()).toEqual([]);
  const id = idOf(await world.store.remember(draft("fine"), BY_TEST));
  const changed = await world.store.update(id, (one) => ({ ...one, content: "password: hunter2" }), BY_TEST);
  expect(changed).toMatchObject({ kind: "refused" });
  expect(JSON.stringify([...world.files.contents.values()].map(String))).not.toContain("hunter2");
});

it("a change keeps what a person wrote: comments, extra fields, order, line endings", async () => {
  const own =
    "---\r\n# mine\r\ntitle: Tone\r\nmood: dry # really\r\nimportance: 0.5\r\n---\r\n\r\nBe brief.\r\n";
  const files = createMemoryFiles({ [`${MEMORY}/preference/tone.md`]: own });
  const world = openMemoryWorld({ files });
  const written = await world.store.update("preference/tone", (one) => ({ ...one, pinned: true }), {
    operation: "pin",
  });
  expect(written).toMatchObject({ kind: "written", memory: { extra: { mood: "dry" }, pinned: true } });
  expect(files.text(`${MEMORY}/preference/tone.md`)).toBe(
    own.replace(
      "importance: 0.5\r\n",
      "importance: 0.5\r\npinned: true\r\ncreated: 1970-01-01T00:00:00.000Z\r\nupdated: 2026-11-21T09:00:00.000Z\r\n",
    ),
  );
  expect(ledger(world).map(({ operation, by }) => [operation, by])).toEqual([
    ["added by hand", "person"],
    ["pin", "strata"],
  ]);
});

it("a change without effect writes nothing", async () => {
  const world = openMemoryWorld();
  const id = idOf(await world.store.remember(draft(PORT), BY_TEST));
  await world.store.onIdle();
  const before = new Map(world.files.contents);
  expect(await world.store.update(id, (one) => ({ ...one }), BY_TEST)).toMatchObject({ kind: "unchanged" });
  expect(await world.store.update(id, () => undefined, BY_TEST)).toMatchObject({ kind: "unchanged" });
  expect(new Map(world.files.contents)).toEqual(before);
});

it("a change of id, scope, sensitivity or type is refused", async () => {
  const world = openMemoryWorld();
  const id = idOf(await world.store.remember(draft(PORT), BY_TEST));
  for (const change of [
    { type: "idea" },
    { scope: "global" },
    { sensitivity: "private" },
    { id: "x" },
    { status: "archived" },
  ] as const) {
    const written = await world.store.update(id, (one) => ({ ...one, ...change }), BY_TEST);
    expect(written.kind, JSON.stringify(change)).toBe("refused");
  }
  expect(ledger(world)).toHaveLength(1);
});

it("a memory moves to the archive and back, with the same id and the same bytes", async () => {
  const world = openMemoryWorld();
  const id = idOf(await world.store.remember(draft(PORT, { title: "port" }), BY_TEST));
  const bytes = world.files.text(`${MEMORY}/decision/port.md`);
  await world.store.update(id, (one) => ({ ...one, status: "resolved" }), BY_TEST);
  const resolved = world.files.text(`${MEMORY}/decision/port.md`);
  expect(resolved).toContain("status: resolved");
  expect(await world.store.archive(id, { operation: "archive" })).toMatchObject({
    memory: { id, status: "archived" },
  });
  expect(world.files.text(`${MEMORY}/archive/decision/port.md`)).toBe(resolved);
  expect(await world.store.list()).toEqual([]);
  expect(await world.store.list({ archived: true })).toMatchObject([{ id, status: "archived" }]);
  // Its name stays taken.
  expect(idOf(await world.store.remember(draft("other", { title: "Port" }), BY_TEST))).toBe(
    "decision/port-2",
  );
  expect(await world.store.restore(id, { operation: "restore" })).toMatchObject({
    memory: { status: "resolved" },
  });
  expect(world.files.text(`${MEMORY}/decision/port.md`)).toBe(resolved);
  expect(bytes).not.toBe(resolved);
  expect((await world.store.history(id)).map(({ operation }) => operation)).toEqual([
    "remember",
    "remember",
    "archive",
    "restore",
  ]);
  expect(Object.fromEntries(replayLedger(ledger(world)))["decision/port.md"]).toBe(resolved);
});
