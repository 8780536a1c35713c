/** A bulk import decides as the gate does for one memory after the other. */
import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import { createBulk } from "../../src/cli/transfer/bulk.js";
import { createFindSimilar, createGate, type Gate } from "../../src/memory/gate/gate.js";
import type { Memory, MemoryDraft } from "../../src/memory/memory.js";
import { createMemorySearch, type MemorySearch } from "../../src/memory/search/search.js";
import { listPaths } from "../../src/memory/store/scan.js";
import type { MemoryStore, OpenMemories, Written } from "../../src/memory/store/store.js";
import { compareStatements, createStatementReader } from "../../src/text/compare.js";
import { createStatementIndex } from "../../src/text/statement-index.js";
import { allSeen } from "../support/all-seen.js";
import { planOneOfMany } from "../support/many-memories.js";
import { draft, GLOBAL_MEMORY, MEMORY, type MemoryWorld, openMemoryWorld } from "../support/memory-world.js";
import { different, same } from "../support/pairs-of-memories.js";
import { fc, runs } from "../support/property.js";

const CAUSE = { operation: "import", run: "r1" };
const words = fc.constantFrom(
  ..."npm pnpm yarn tests builds 8080 8081 port staging production cache tabs spaces never not always v2".split(
    " ",
  ),
);
const link = fc.constantFrom(", not ", " instead of ", " and ", " no longer ", " without ", " ");
const pairs = [...different, ...same].flat();
const sentence = fc.oneof(
  { weight: 3, arbitrary: fc.array(words, { minLength: 1, maxLength: 6 }).map((all) => all.join(" ")) },
  { weight: 2, arbitrary: fc.tuple(words, words, link, words).map(([a, b, c, d]) => `${a} ${b}${c}${d}`) },
  { weight: 2, arbitrary: fc.constantFrom(...pairs) },
  { weight: 1, arbitrary: fc.constantFrom("…", "不用 npm", "用 pnpm 而不是 npm", "42", "No, use tabs") },
);

it("an index of statements skips only those that compare as other", () => {
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 40 }), sentence, (earlier, later) => {
      const index = createStatementIndex(createStatementReader());
      for (const [n, text] of earlier.entries()) index.add(String(n), text);
      const found = index.find(later);
      for (const [n, text] of earlier.entries())
        if (compareStatements(later, text) !== "other")
          expect(found.has(String(n)), `"${later}" and "${text}"`).toBe(true);
    }),
    { numRuns: runs(150, 5_000, "lists of statements in property/bulk-gate.test.ts") },
  );
});

const provenance = fc.constantFrom<MemoryDraft["provenance"]>(
  { by: "tool", how: "imported" },
  { by: "user" },
  { by: "agent", message: "m1", evidence: "use npm for tests" },
  { by: "user", evidence: "never npm, always pnpm" },
  { by: "user", how: "confirmed", evidence: "yes" },
  { by: "tool", how: "counted" },
);
const drafts = (most: number) =>
  fc.array(
    fc.record({
      content: sentence,
      provenance,
      title: fc.constantFrom("A", "B", "Ports and builds"),
      type: fc.constantFrom<MemoryDraft["type"]>("decision", "knowledge", "idea", "preference"),
      tags: fc.constantFrom<string[]>([], ["x"], ["y", "z"]),
      scope: fc.constantFrom<Memory["scope"]>("project", "project", "project", "global"),
    }),
    { minLength: 1, maxLength: most },
  );

describe("a bulk import", () => {
  it("accepts, merges, replaces and refuses what the gate does for one memory after the other", async () => {
    await fc.assert(
      fc.asyncProperty(drafts(4), drafts(8), async (there, incoming) => {
        const [one, other] = [openMemoryWorld(), openMemoryWorld()];
        for (const { store } of [one, other]) for (const some of there) await store.remember(some, CAUSE);
        expect(await importInBulk(other, incoming)).toEqual(await importEach(one, incoming));
        expect(await listAll(other.store)).toEqual(await listAll(one.store));
      }),
      { numRuns: runs(12, 500, "pairs of imports in property/bulk-gate.test.ts") },
    );
  });

  it("avoids a name that the store has chosen meanwhile", async () => {
    const text = "The server listens on port 8080.";
    const world = openMemoryWorld();
    await world.store.remember(draft(text, { title: "A", scope: "global" }), CAUSE);
    await world.store.remember(draft("Builds run with pnpm.", { title: "A" }), CAUSE);
    const results = await importInBulk(world, [
      draft(text, { title: "A" }),
      draft("The staging database is reset on Mondays at noon by the nightly cron job.", { title: "A" }),
    ]);
    expect(results.map(({ of }) => of)).toEqual(["decision/a-2", "decision/a-3"]);
  });

  it("decides the same with so many memories that only similar ones are compared", async () => {
    const known = Array.from({ length: 520 }, (_, n) => planOneOfMany(n));
    const incoming = known
      .slice(0, runs(12, 40, "imported beside 520 memories in property/bulk-gate.test.ts"))
      .flatMap(({ text, title, type }, n) => [
        draft(text.replace("The worker", "The small worker"), { type, title, tags: ["more"] }),
        draft(`${text.replace(/ in \w+/, ` in Oracle${n}`)} Reviewed.`, { type, title }),
        draft(`Team ${n} never uses Oracle${n}.`, { title: `Team ${n}` }),
      ]);
    const [one, other] = [openMemoryWorld(), openMemoryWorld()];
    for (const { store } of [one, other])
      await store.adoptAll(
        known.map(({ text, title, type }, n) => ({
          id: `${type}/memory-${n}`,
          isArchived: false,
          contents: `---\ntitle: ${title}\n---\n${text}\n`,
        })),
        CAUSE,
      );
    const results = await importInBulk(other, incoming);
    expect(results.filter(({ of = "" }) => /\/memory-\d+$/.test(of)).length).toBeGreaterThan(0);
    expect(results.filter(({ of = "" }) => /\/team-\d+$/.test(of)).length).toBeGreaterThan(0);
    expect(results).toEqual(await importEach(one, incoming));
    expect(await listAll(other.store)).toEqual(await listAll(one.store));
  });
});

type Result = { kind: Written["kind"]; of: string | undefined };

async function importEach(
  { clock, files, log, store }: MemoryWorld,
  all: readonly MemoryDraft[],
): Promise<Result[]> {
  const search = openSearch({ clock, files, log }, store);
  return takeAll(createGate({ memories: store, findSimilar: createFindSimilar(store, search) }), all);
}

async function importInBulk(
  { clock, files, log, store }: MemoryWorld,
  all: readonly MemoryDraft[],
): Promise<Result[]> {
  await store.list();
  const bulk = createBulk({
    ...{ store, ...CAUSE, nowMs: clock.now() },
    paths: { project: await listPaths(files, MEMORY), global: await listPaths(files, GLOBAL_MEMORY) },
    openSearch: async (memories) => openSearch({ clock, files, log }, memories),
  });
  const results = await takeAll(createGate(bulk), all);
  await bulk.flush();
  expect([...bulk.refused]).toEqual([]);
  return results;
}

async function takeAll(gate: Gate, all: readonly MemoryDraft[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const some of all) {
    const written = await gate.takeIn(some, CAUSE);
    const of = written.kind === "refused" ? written.existing?.id : written.memory.id;
    results.push({ kind: written.kind, of });
  }
  return results;
}

function openSearch(
  { clock, files, log }: Pick<MemoryWorld, "clock" | "files" | "log">,
  memories: Pick<MemoryStore, "known" | "list" | "onChange">,
): MemorySearch {
  return createMemorySearch({
    ...{ memories, files, log, sessions: allSeen },
    // The index pauses between slices.
    clock: { ...clock, after: (_delayMs, action) => cancelOf(setImmediate(action)) },
    background: new PQueue({ concurrency: 1 }),
    sessionMemory: "/project/.opencode/session-memory",
  });
}

const cancelOf = (timer: NodeJS.Immediate) => (): void => clearImmediate(timer);

/** All memories by id, with what a decision leaves in them. */
async function listAll(store: Pick<OpenMemories, "list" | "read">): Promise<unknown[]> {
  const all = [...(await store.list({ archived: true }))].sort((a, b) => (a.id < b.id ? -1 : 1));
  return all.map(({ created: _, updated: _updated, ...memory }) => memory);
}
