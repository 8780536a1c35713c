/** Dreams on a disk that is a map: what they do to many memories, and that nothing is lost on the way. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { planFolders } from "../../src/project/folders.js";
import { CREATED, type DreamWorld, openDreamWorld, putDreamDays, putMemory } from "../support/dream-world.js";
import { withDeath } from "../support/dying-files.js";
import { MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { MEMORY } from "../support/memory-world.js";

const LONG_AGO = new Date(MORNING - 200 * DAY_MS).toISOString();
const SUBJECTS = ["api", "worker", "database", "frontend", "scheduler", "gateway", "mailer", "importer"];
const PROTECTED = ["directive", "decision", "feedback"] as const;

/** Each kind of pair so often, and each kind of single memory: more than are told of at a time. */
const PAIRS = 10;
const SINGLES = 16;
const RULES = 5;

/** What is planted, by the ids that a test asks for. */
function plant(world: DreamWorld) {
  putDreamDays(world);
  const planted = {
    exact: [] as [string, string][],
    near: [] as [string, string][],
    contradicting: [] as [string, string][],
    dated: [] as string[],
    dead: [] as string[],
    expired: [] as string[],
    forgotten: [] as string[],
    kept: [] as string[],
  };
  const put = (id: string, content: string, front: Record<string, unknown> = {}): string => {
    putMemory(world, id, content, front);
    return id;
  };
  for (let n = 0; n < PAIRS; n++) {
    const subject = `${SUBJECTS[n % 8]} of tenant number ${n}`;
    planted.exact.push([
      put(`knowledge/exact-${n}`, `The ${subject} keeps its settings in vault-${n}.`),
      put(`knowledge/exact-${n}-again`, `the ${subject} keeps its settings in vault-${n}`),
    ]);
    planted.near.push([
      put(`procedure/near-${n}`, `Restart the ${subject} with \`svc-${n} restart\` after each deploy.`),
      put(
        `procedure/near-${n}-again`,
        `Restart the ${subject} with \`svc-${n} restart\`, after every deploy.`,
      ),
    ]);
    planted.contradicting.push([
      put(`knowledge/contra-${n}`, `The ${subject} listens on port ${8000 + n}.`, {
        title: `Port of ${subject}`,
      }),
      put(`knowledge/contra-${n}-other`, `The ${subject} listens on port ${9000 + n}.`, {
        title: `Port of ${subject}`,
      }),
    ]);
  }
  for (let n = 0; n < SINGLES; n++) {
    planted.dated.push(
      put(`event/dated-${n}`, `Release train ${n} left yesterday, the next one leaves next month.`),
    );
    planted.dead.push(put(`knowledge/dead-${n}`, `Rule set ${n} is defined in src/rules/gone-${n}.ts.`));
    planted.expired.push(put(`plan/expired-${n}`, `Sprint goal number ${n}.`, { expires: "2026-11-01" }));
    planted.forgotten.push(
      put(`idea/forgotten-${n}`, `Idea number ${n} that nobody came back to.`, {
        created: LONG_AGO,
        updated: LONG_AGO,
        importance: 0.2,
      }),
    );
  }
  for (let n = 0; n < RULES; n++) {
    for (const type of PROTECTED) {
      // Twice the same, long ago and with a date that passes: no reason to touch it.
      const content = `Rule ${n} of ${type}: never push on a Friday, as agreed yesterday.`;
      planted.kept.push(
        put(`${type}/kept-${n}`, content, { created: LONG_AGO, updated: LONG_AGO, importance: 0.1 }),
      );
    }
    planted.kept.push(
      put(`knowledge/pinned-${n}`, `Pinned fact ${n}, found yesterday.`, {
        pinned: true,
        updated: LONG_AGO,
        importance: 0.05,
      }),
    );
  }
  return planted;
}

const bodyOf = (text: string | undefined): string => text?.split("---\n").at(-1)?.trim() ?? "";

describe("a dream of many memories, without a model", () => {
  it("a dream of many memories merges what must merge, leaves what must stay, names every successor, and is taken back to the byte", async () => {
    const world = openDreamWorld();
    const planted = plant(world);
    await world.store.list();
    const before = world.texts();
    expect(before.size).toBe(3 * 2 * PAIRS + 4 * SINGLES + 4 * RULES);
    const outcome = await world.dream();
    expect(outcome.kind).toBe("done");

    const all = new Map((await world.store.list({ archived: true })).map((memory) => [memory.id, memory]));
    for (const pair of [...planted.exact, ...planted.near]) {
      const states = pair.map((id) => all.get(id)?.status).sort();
      expect(states, pair.join(" ")).toEqual(["active", "archived"]);
      const gone = pair.map((id) => all.get(id)).find((memory) => memory?.status === "archived");
      expect(all.get(gone?.supersededBy ?? "")?.status).toBe("active");
    }
    for (const id of planted.contradicting.flat()) expect(all.get(id)?.status, id).toBe("active");
    for (const id of planted.dated)
      expect(all.get(id)?.content).toContain(
        "yesterday (2026-11-19), the next one leaves next month (2026-12)",
      );
    for (const id of planted.dead) expect(all.get(id)).toMatchObject({ status: "active", updated: CREATED });
    for (const id of [...planted.expired, ...planted.forgotten])
      expect(all.get(id)?.status, id).toBe("archived");
    const now = world.texts();
    for (const id of planted.kept) expect(now.get(`${id}.md`), id).toBe(before.get(`${id}.md`));
    // Nothing is deleted: each file is there, or in the archive with the same words.
    for (const [path, text] of before) {
      const there = now.get(path) ?? now.get(`archive/${path}`);
      if (!planted.dated.some((id) => path === `${id}.md`)) expect(bodyOf(there), path).toBe(bodyOf(text));
    }

    expect(world.page()).toMatch(/^# Dreams\n/);
    expect(world.page()).toContain(
      `${2 * PAIRS} merged, ${2 * PAIRS} superseded, ${2 * SINGLES} archived, ${SINGLES} reworded.`,
    );
    expect(world.page()).toMatch(/- archived `idea\/forgotten-0`, .*: nobody has used it for 200 days/);

    const undone = await world.store.undo({ operation: "undo" });
    expect(undone).toMatchObject({ kind: "undone", operation: "dream", left: [] });
    expect([...world.texts()]).toEqual([...before]);
  });

  it("a dream of many memories finds nothing more to do right after, and keeps what a person has to judge", async () => {
    const world = openDreamWorld();
    const planted = plant(world);
    await world.dream();
    const page = world.page();
    expect(await world.dream()).toMatchObject({ report: { changes: [], moves: [] } });
    const { contradictions, stale } = await world.dreamState();
    expect([...stale].sort()).toEqual([...planted.dead].sort());
    expect(contradictions.map((pair) => [...pair].sort())).toEqual(planted.contradicting);
    expect(world.page()).toBe(page);
  });

  it("a dream of many memories leaves alone what holds everywhere, and keeps private ones out of what is committed", async () => {
    const world = openDreamWorld();
    for (const id of ["private/knowledge/one", "private/knowledge/two"])
      putMemory(world, id, "The salary file is in the second drawer of the desk.");
    await world.dream();
    expect(world.page()).toBe("");
    expect(world.files.text(`${MEMORY}/private/DREAMS.md`)).toMatch(
      /- merged `private\/knowledge\/\w+`: takes in private\/knowledge/,
    );
  });
});

/** A few of each. */
function plantFew(world: DreamWorld): void {
  for (const n of [1, 2]) putMemory(world, `knowledge/same-${n}`, "The api keeps its settings in vault-1.");
  putMemory(world, "event/dated", "It was released yesterday.");
  putMemory(world, "plan/expired", "Sprint goal.", { expires: "2026-11-01" });
  putMemory(world, "decision/kept", "We use Postgres, as agreed yesterday.");
}

/** Two that no rule can put together. */
function plantAlike(world: DreamWorld): void {
  putMemory(world, "knowledge/like-1", "The worker reads the mail queue once a day.");
  putMemory(world, "knowledge/like-2", "The worker reads the mail queue at night, when the load is low.");
}

describe("killed, twice at a time, and with clocks that jump", () => {
  it("a dream that is killed at whatever file operation leaves memory as before, or as a whole as after", async () => {
    const done = openDreamWorld();
    plantFew(done);
    await done.store.list();
    const before = [...done.texts()];
    await done.dream();
    const after = [...done.texts()];
    let killed = 0;
    for (let operations = 0; ; operations++) {
      const world = openDreamWorld();
      plantFew(world);
      await world.store.list();
      const dying = withDeath(world.files);
      const mortal = openDreamWorld({ ...world, wrap: () => dying.files, processID: 7, instance: "b" });
      dying.dieAfter(operations);
      const outcome = await mortal.dream();
      if (!dying.isDead) break;
      killed++;
      expect(outcome.kind, `killed after ${operations}`).not.toBe("planned");
      const next = openDreamWorld({ ...world, processID: 8, instance: "c" });
      await next.store.list();
      const there = JSON.stringify([...next.texts()]);
      expect([JSON.stringify(before), JSON.stringify(after)], `killed after ${operations}`).toContain(there);
      // What the dead one has left behind holds up nobody.
      expect((await next.dream()).kind, `after a death at ${operations}`).toBe("done");
      expect([...next.texts()], `after a death at ${operations}`).toEqual(after);
    }
    expect(killed).toBeGreaterThan(40);
  });

  it("a dream whose lock is removed stops before anything is changed", async () => {
    const { dreamLock } = planFolders(PROJECT);
    const world = openDreamWorld();
    plantFew(world);
    plantAlike(world);
    await world.store.list();
    const before = [...world.texts()];
    const outcome = await world.dream({
      askModel: async () => {
        world.files.contents.delete(dreamLock);
        return { kind: "refused", why: "not now" };
      },
    });
    expect(outcome).toMatchObject({ kind: "failed", why: expect.stringContaining("removed or taken over") });
    expect([...world.texts()]).toEqual(before);
    expect(await world.dreamState()).toMatchObject({ failures: 1 });
  });
});
