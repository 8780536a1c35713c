/** Branches with contents from elsewhere: nonsense, tricks, other formats, another history. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hashOf } from "../../src/base/hash.js";
import type { LedgerLine } from "../../src/memory/store/ledger.js";
import type { OpenMemories } from "../../src/memory/store/store.js";
import type { Sync } from "../../src/sync/sync.js";
import { BY_TEST, draft, lineOf } from "../support/memory-world.js";
import { listAll, type Machine, openSyncWorld, type SyncWorld } from "../support/sync-world.js";

let world: SyncWorld;
let machine: Machine;
let store: OpenMemories;
let sync: Sync;
beforeEach(async () => {
  world = openSyncWorld();
  machine = await world.machine("here");
  ({ store, sync } = await machine.open());
});
afterEach(() => world.remove());

const FORMAT = '{"v":1,"scope":"project"}\n';
const SEGMENT = "ledger/2026-11/3f9a1c22/0001.jsonl";

interface BranchEntry {
  path: string;
  text: string;
  mode?: string;
}

/** Recreates the branch with these files. */
function plant(...entries: readonly BranchEntry[]): void {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const files = entries.map(
    ({ mode = "100644", path, text }) => `M ${mode} inline ${JSON.stringify(path)}\n${data(text)}`,
  );
  const head = `commit refs/heads/strata-memory\ncommitter x <x@x> 1795300000 +0000\n${data("x")}`;
  execFileSync("git", ["-C", world.remote, "fast-import", "--quiet", "--force"], {
    input: `${head}deleteall\n${files.join("")}\n`,
  });
}

const plantLines = (...lines: readonly (object | string)[]): void =>
  plant(
    { path: "strata.json", text: FORMAT },
    {
      path: SEGMENT,
      text: lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
    },
  );

let made = 0;
const line = (name: string, contents: string, given: Partial<LedgerLine> = {}): LedgerLine =>
  lineOf(name, contents, { id: `line-${++made}`, ...given });

const ids = async (): Promise<string[]> => (await store.list({ archived: true })).map(({ id }) => id).sort();

it("lines that lead out of the folder, into private memories or nowhere are left out, and the rest is applied", async () => {
  plantLines(
    line("good", "good"),
    line("x", "out", { path: "../../../out.md" }),
    line("x", "out", { key: "private/decision/x", path: "private/decision/x.md" }),
    line("x", "out", { key: "decision/y" }),
    line("x", "out", { from: "idea/x.md" }),
    "not JSON",
    "[]",
    JSON.stringify({ ...line("long", "x".repeat(3_000_000)) }),
  );
  const before = new Set(listAll(world.root));
  const { deferred } = await sync.pull();
  expect(await ids()).toEqual(["decision/good"]);
  expect(deferred.map(({ id }) => id)).toEqual([SEGMENT]);
  const written = listAll(world.root).filter((path) => !before.has(path));
  expect(written.filter((path) => !/^here\/(project\/\.opencode|home\/state)\//.test(path))).toEqual([]);
  expect(existsSync(join(machine.memory, "private", "decision"))).toBe(false);
});

it("files of other names, links and programs on the branch are not read", async () => {
  const text = `${JSON.stringify(line("bad", "bad"))}\n`;
  plant(
    { path: "strata.json", text: FORMAT },
    { path: "ledger/2026-11/3f9a1c22/1.jsonl", text },
    { path: "ledger/2026-11/../0001.jsonl".replace("../", "dots/"), text },
    { path: "ledger/2026-11/3f9a1c22/0002.jsonl", text: "/etc/passwd", mode: "120000" },
    { path: "ledger/2026-11/3f9a1c22/0003.jsonl", text, mode: "100755" },
    { path: ".gitattributes", text: "* filter=evil\n" },
    { path: "decision/bad.md", text: "bad\n" },
  );
  expect(await sync.pull()).toMatchObject({ ids: [], deferred: [] });
  expect(await ids()).toEqual([]);
});

it("a change from the far future, and one whose text does not match its hash, are left out until they are fixed", async () => {
  plantLines(
    line("late", "late", { at: "2099-01-01T00:00:00.000Z" }),
    line("forged", "what it says", { after: hashOf("something else") }),
    line("good", "good"),
  );
  const { deferred } = await sync.pull();
  expect(deferred.map(({ id }) => id).sort()).toEqual(["decision/forged", "decision/late"]);
  expect(await ids()).toEqual(["decision/good"]);
  // Read again with the next pull.
  expect((await sync.pull()).deferred).toHaveLength(2);
});

it("a line whose id holds the id of one of ours does not keep ours from being sent", async () => {
  await store.remember(draft("ours", { title: "port" }), BY_TEST);
  const [text = ""] = machine.readLedger();
  plantLines(line("forged", "x", { id: `forged\n${JSON.parse(text).id}` }), line("good", "good"));
  await sync.pull();
  expect((await sync.plan()).lines).toHaveLength(1);
  await (await machine.open()).sync.push();
  expect(world.readObjects()).toContain("ours");
  expect(await ids()).toEqual(["decision/good", "decision/port"]);
});

it("our own change of a memory waits while the remote one cannot be applied, and then both are merged", async () => {
  await store.remember(draft("ours", { title: "port" }), BY_TEST);
  await sync.push();
  const other = await (await world.machine("other")).open();
  await other.sync.pull();
  await other.store.update("decision/port", (memory) => ({ ...memory, tags: ["theirs"] }), BY_TEST);
  await other.sync.push();
  const path = join(machine.memory, "decision", "port.md");
  const text = readFileSync(path, "utf8");
  await store.update("decision/port", (memory) => ({ ...memory, pinned: true }), BY_TEST);
  const changed = readFileSync(path, "utf8");
  writeFileSync(path, `<<<<<<< mine\n${text}\n>>>>>>> theirs\n`);
  const { deferred, refused, sent } = await sync.push();
  expect([sent, deferred.map(({ id }) => id)]).toEqual([0, ["decision/port"]]);
  expect(refused).toEqual([{ id: "decision/port", why: expect.stringContaining("could not be applied") }]);
  writeFileSync(path, changed);
  expect(await sync.push()).toMatchObject({ deferred: [], refused: [] });
  expect(await store.read("decision/port")).toMatchObject({ pinned: true, tags: ["theirs"] });
});

it.each([
  ["of a later version", '{"v":2,"scope":"project"}', "a newer Strata wrote it"],
  ["of another scope", '{"v":1,"scope":"global"}', "it holds global memories"],
  ["that cannot be read", "{", "cannot be read"],
])("a branch with a format %s is refused and stays as it is", async (_, text, why) => {
  plant({ path: "strata.json", text });
  await store.remember(draft("ours", { title: "port" }), BY_TEST);
  const before = execFileSync("git", ["-C", world.remote, "for-each-ref"], { encoding: "utf8" });
  await expect(sync.push()).rejects.toThrow(why);
  expect(execFileSync("git", ["-C", world.remote, "for-each-ref"], { encoding: "utf8" })).toBe(before);
});

it("a branch that was deleted or rewritten is filled again by the next push", async () => {
  await store.remember(draft("one", { title: "one" }), BY_TEST);
  await sync.push();
  execFileSync("git", ["-C", world.remote, "update-ref", "-d", "refs/heads/strata-memory"]);
  expect(await sync.push()).toMatchObject({ sent: 1 });
  plantLines(line("two", "two"));
  expect(await sync.push()).toMatchObject({ ids: ["decision/two"], sent: 1 });
  const other = await (await world.machine("other")).open();
  await other.sync.pull();
  expect((await other.store.list()).map(({ id }) => id).sort()).toEqual(["decision/one", "decision/two"]);
});

it("the repository in the state folder may be deleted, and locks that a killed git left in it stop nothing", async () => {
  await store.remember(draft("one", { title: "one" }), BY_TEST);
  await sync.push();
  const repository = join(machine.root, "home", "state", "sync", "sync.git");
  rmSync(repository, { recursive: true });
  expect(await sync.pull()).toMatchObject({ ids: [], deferred: [] });
  for (const name of ["refs/strata/tip.lock", "packed-refs.lock", "HEAD.lock"])
    writeFileSync(join(repository, name), "");
  await store.remember(draft("two", { title: "two" }), BY_TEST);
  expect(await sync.push()).toMatchObject({ sent: 1 });
  expect(readdirSync(repository).filter((name) => name.endsWith(".lock"))).toEqual([]);
});

it("no hooks are run: the sync repository's, the user's own, or those of a remote that is a folder", async () => {
  const hook = `#!/bin/sh\ntouch ${join(world.root, "hooked")}\n`;
  const hooks = join(machine.root, "home", "hooks");
  const config = `[core]\n\thooksPath = ${hooks}\n`;
  execFileSync("mkdir", ["-p", hooks]);
  writeFileSync(join(machine.root, "home", ".gitconfig"), config);
  for (const name of ["pre-push", "post-checkout", "pre-auto-gc", "post-index-change"])
    writeFileSync(join(hooks, name), hook, { mode: 0o755 });
  for (const name of ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"])
    writeFileSync(join(world.remote, "hooks", name), hook, { mode: 0o755 });
  execFileSync("git", ["init", "-q", "--bare", join(world.root, "lent.git")]);
  writeFileSync(join(world.remote, "objects", "info", "alternates"), join(world.root, "lent.git", "objects"));
  const program = `touch ${join(world.root, "hooked")} #`;
  execFileSync("git", ["-C", world.remote, "config", "core.alternateRefsCommand", program]);
  await store.remember(draft("one", { title: "one" }), BY_TEST);
  await sync.push();
  await sync.pull();
  expect(existsSync(join(world.root, "hooked"))).toBe(false);
});
