/**
 * Three machines change their memories at random, with kills at any file operation, offline phases, edits by hand and the
 * same memory changed on several of them; each also has memories that must not leave it. In the end all have the same
 * ledger and files, and no object on the remote contains anything private or secret.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { nodeFiles } from "../../src/io/node-files.js";
import { type LedgerLine, replayLedger } from "../../src/memory/store/ledger.js";
import type { OpenMemories } from "../../src/memory/store/store.js";
import type { Sync } from "../../src/sync/sync.js";
import { type Chance, createChance } from "../support/chance.js";
import { type DyingFiles, withDeath } from "../support/dying-files.js";
import { BY_TEST, draft } from "../support/memory-world.js";
import { patiently } from "../support/patience.js";
import { sizeOf } from "../support/sizes.js";
import { listAll, type Machine, openSyncWorld, type SyncWorld } from "../support/sync-world.js";

const CHANGES = sizeOf({
  usual: 30,
  long: 300,
  of: "changes by each of three machines in property/sync.test.ts",
  because: "each push starts git a dozen times",
});

let world: SyncWorld;
beforeEach(() => {
  world = openSyncWorld();
});
afterEach(() => world.remove());

/** A machine whose process may die. */
class Player {
  store: OpenMemories | undefined;
  sync: Sync | undefined;
  dying: DyingFiles | undefined;
  isOffline = false;
  counts = { kills: 0, unreachable: 0, conflicts: 0, pushes: 0 };
  secrets: string[] = [];

  constructor(
    readonly machine: Machine,
    readonly chance: Chance,
  ) {}

  async opened(): Promise<{ store: OpenMemories; sync: Sync }> {
    if (this.store && this.sync && !this.dying?.isDead) return { store: this.store, sync: this.sync };
    this.dying = withDeath(nodeFiles);
    const { store, sync } = await this.machine.open({ files: this.dying.files });
    Object.assign(this, { store, sync });
    return { store, sync };
  }

  /** Runs the action, unless the process dies meanwhile or the remote is unreachable. */
  async attempt(action: (opened: { store: OpenMemories; sync: Sync }) => Promise<unknown>): Promise<void> {
    try {
      await action(await this.opened());
    } catch (thrown) {
      const { code } = thrown as { code?: string };
      if (this.dying?.isDead) this.counts.kills++;
      else if (code === "UNREACHABLE" && this.isOffline) this.counts.unreachable++;
      else throw thrown;
    }
  }

  async play(step: number): Promise<void> {
    const { chance } = this;
    if (chance(12) === 0) {
      await this.opened();
      this.dying?.dieAfter(chance(120));
    }
    if (chance(15) === 0) this.setOffline(!this.isOffline);
    if (chance(6) === 0) await this.attempt(async ({ sync }) => this.note(await sync.push()));
    else if (chance(10) === 0) await this.attempt(({ sync }) => sync.pull());
    await this.attempt(({ store }) => this.change(store, step));
  }

  note({ conflicts }: { conflicts: readonly string[] }): void {
    this.counts.pushes++;
    this.counts.conflicts += conflicts.length;
  }

  setOffline(isOffline: boolean): void {
    this.isOffline = isOffline;
    const path = join(this.machine.root, "home", "state", "sync", "sync.json");
    const config = JSON.parse(readFileSync(path, "utf8")) as { url: string };
    const url = isOffline
      ? config.url.replace("remote.git", "gone.git")
      : config.url.replace("gone.git", "remote.git");
    writeFileSync(path, JSON.stringify({ ...config, url }));
  }

  async change(store: OpenMemories, step: number): Promise<unknown> {
    const { chance } = this;
    const said = `${this.machine.name} ${step}: ${chance(1_000_000)}`;
    const all = await store.list({ archived: true });
    const shared = all.filter(({ id }) => id.startsWith("decision/") && !id.includes("hush"));
    const one = shared[chance(Math.max(1, shared.length))];
    const kind = chance(14);
    if (kind < 3 || !one) return store.remember(draft(said, { title: `topic ${chance(25)}` }), BY_TEST);
    if (kind < 6) return store.update(one.id, (now) => ({ ...now, content: said }), BY_TEST);
    if (kind < 8)
      return store.update(
        one.id,
        (now) => ({ ...now, pinned: !now.pinned, tags: [...now.tags, `t${step}`] }),
        BY_TEST,
      );
    if (kind === 8) return store.archive(one.id, BY_TEST);
    if (kind === 9) return store.restore(one.id, BY_TEST);
    if (kind === 10) return this.changeByHand(store, one.id, said);
    if (kind === 11) return store.discard(one.id, BY_TEST);
    return this.keepSecret(store, said);
  }

  async changeByHand(store: OpenMemories, id: string, said: string): Promise<void> {
    const path = await store.locate(id);
    if (path === undefined || !existsSync(path)) return;
    if (this.chance(4) === 0) rmSync(path);
    else writeFileSync(path, `---\ntitle: by hand\n---\n${said}\n`);
  }

  /** Memories that must never leave the machine, marked by a unique word. */
  async keepSecret(store: OpenMemories, said: string): Promise<unknown> {
    const mark = `hush${this.machine.name}${this.secrets.length}x${this.chance(1_000_000)}`;
    this.secrets.push(mark);
    const title = `own ${mark}`;
    const content = `${said} ${mark}`;
    switch (this.chance(6)) {
      case 0:
        return store.remember(draft(content, { title, sensitivity: "private" }), BY_TEST);
      case 1:
        return store.remember(draft(content, { title, type: "preference" }), BY_TEST);
      case 2:
        return store.remember(draft(`${content} see ${this.machine.project}/src`, { title }), BY_TEST);
      case 3:
        return this.write(
          `idea/${mark}.md`,
          `${content}\npassword = "${mark}Q7!zp"\naws AKIAIOSFODNN7${mark.slice(-6).toUpperCase().padStart(7, "A")}\n`,
        );
      case 4:
        return this.write(`idea/${mark}.md`, `${content}, see private/decision/own-${mark}\n`);
      default: {
        // Shared at first, then made private by hand before any push.
        const written = await store.remember(draft(content, { title, type: "plan" }), BY_TEST);
        if (written.kind !== "written") return undefined;
        const text = readFileSync(written.path, "utf8");
        this.write(`private/plan/${written.path.split("/").at(-1)}`, text);
        rmSync(written.path);
        return undefined;
      }
    }
  }

  write(path: string, text: string): void {
    const file = join(this.machine.memory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

async function playAll(players: readonly Player[], changes: number): Promise<void> {
  for (let step = 0; step < changes; step++) for (const player of players) await player.play(step);
  for (const player of players) {
    // The earlier process has ended.
    player.dying?.dieAfter(-1);
    if (player.isOffline) player.setOffline(false);
  }
  for (let round = 0; round < 2; round++)
    for (const player of players) player.note(await (await player.opened()).sync.push());
  for (const player of players) await (await player.opened()).sync.pull();
}

/** Lines of the remote, by their ids. */
const readShared = ({ machine }: Player): LedgerLine[] => {
  const ids = readFileSync(join(machine.root, "home", "state", "sync", "sync-ids.txt"), "utf8").split("\n");
  const known = new Set(ids.slice(1));
  return machine
    .readLedger()
    .map((line) => JSON.parse(line) as LedgerLine)
    .filter(({ id }) => known.has(id));
};

function expectConverged(players: readonly Player[]): void {
  const [first, ...others] = players;
  if (!first) return;
  const lines = readShared(first);
  const own = (path: string): boolean => /hush/.test(path);
  const files = [...first.machine.readFiles()].filter(([path]) => !own(path));
  expect(lines.length).toBeGreaterThan(CHANGES);
  for (const player of others) {
    expect(readShared(player)).toEqual(lines);
    expect([...player.machine.readFiles()].filter(([path]) => !own(path))).toEqual(files);
  }
  expect([...replayLedger(lines)].filter(([path]) => !own(path)).sort()).toEqual(files.sort());
  for (const { machine } of players) {
    const state = listAll(join(machine.project, ".opencode", "strata", "state"));
    expect(state.filter((path) => /\/(lock|pending\.json)$/.test(path))).toEqual([]);
  }
}

function expectNothingPrivate(players: readonly Player[]): void {
  const secrets = players.flatMap((player) => player.secrets);
  expect(secrets.length).toBeGreaterThan(5);
  const objects = world.readObjects();
  expect(objects.length).toBeGreaterThan(1_000);
  expect(secrets.filter((secret) => objects.includes(secret))).toEqual([]);
  expect(objects).not.toMatch(/private\/|AKIA/);
  for (const { machine } of players) expect(objects).not.toContain(machine.root);
}

async function openPlayers(seed: number): Promise<Player[]> {
  const names = ["ann", "ben", "cho"];
  const machines = await Promise.all(names.map((name) => world.machine(name)));
  return machines.map((machine, n) => new Player(machine, createChance(seed + n)));
}

it(
  "three machines with a remote on disk converge to the same ledger, and no object on it is private",
  async () => {
    const players = await openPlayers(19);
    await playAll(players, CHANGES);
    expectConverged(players);
    expectNothingPrivate(players);
    const counts = players.map((player) => player.counts);
    const sum = (name: keyof (typeof counts)[number]) => counts.reduce((all, one) => all + one[name], 0);
    process.stdout.write(
      `sync: ${sum("pushes")} pushes, ${sum("kills")} kills, ${sum("unreachable")} offline, ${sum("conflicts")} conflicts\n`,
    );
    expect(Math.min(sum("kills"), sum("unreachable"), sum("conflicts"))).toBeGreaterThan(0);
  },
  patiently(CHANGES * 4_000),
);
