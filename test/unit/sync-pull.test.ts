import { join } from "node:path";
import { expect, it } from "vitest";
import type { RemoteGit } from "../../src/io/host.js";
import { locateRecord } from "../../src/project/state-owner.js";
import { formatBranchPages } from "../../src/sync/bare-repository.js";
import { createFakeHost, PROJECT, STATE } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { lineOf } from "../support/memory-world.js";
import { openWorld, type World } from "../support/world.js";

const TIP = "a".repeat(40);
const BLOB = "b".repeat(40);

/** Git with a remote that has one memory; `reached` are the calls to the remote. */
function createScriptedGit(): { git: RemoteGit; reached: string[] } {
  const line = JSON.stringify(lineOf("port", "The server listens on port 8080.\n"));
  const pages: Record<string, string> = {
    "strata.json": formatBranchPages("project")["strata.json"] ?? "",
    "ledger/2026-11/3f9a1c22/0001.jsonl": `${line}\n`,
  };
  const names = Object.keys(pages);
  const blobOf = (path: string): string => `${names.indexOf(path)}${BLOB.slice(1)}`;
  const reached: string[] = [];
  const answers: Record<string, (input: string) => string> = {
    "ls-remote": () => `${TIP}\trefs/heads/strata-memory\n`,
    "ls-tree": () =>
      names.map((path) => `100644 blob ${blobOf(path)} ${pages[path]?.length}\t${path}\0`).join(""),
    "rev-parse": () => `${TIP}\n`,
    "cat-file": (input) =>
      input
        .split("\n")
        .filter(Boolean)
        .map((blob) => {
          const text = pages[names[Number(blob[0])] ?? ""] ?? "";
          return `${blob} blob ${Buffer.byteLength(text)}\n${text}\n`;
        })
        .join(""),
  };
  return {
    reached,
    git: {
      async run([, command = ""], { input = "" }) {
        if (command === "ls-remote") reached.push(command);
        const answer = answers[command]?.(String(input)) ?? "";
        return { kind: "done", output: Buffer.from(answer) };
      },
    },
  };
}

async function openSynced(options: Record<string, unknown> = {}, given?: RemoteGit) {
  const { git, reached } = createScriptedGit();
  const opened: number[] = [];
  const host = createFakeHost();
  host.openRemoteGit = async () => {
    opened.push(1);
    return given ?? git;
  };
  const world = await openWorld({ host, files: createMemoryFiles(), layers: [], options });
  const { folder } = await locateRecord(world.files, { project: PROJECT, stateFolder: STATE });
  const choose = () =>
    world.files.writeWhole(
      join(folder, "sync.json"),
      JSON.stringify({ v: 1, url: "/remote.git", branch: "strata-memory", isOwn: true }),
    );
  return { choose, folder, host, opened, reached, world };
}

async function begin({ strata }: World): Promise<void> {
  await strata.dispatcher.ask("event", { type: "session.created", properties: {} }, undefined);
  await strata.idle();
}

it("a start pulls once, in the background, and shows what came", async () => {
  const { choose, host, reached, world } = await openSynced();
  await choose();
  await begin(world);
  await begin(world);
  world.clock.advance(10_000);
  expect(host.toasts.join("\n")).toContain("decision/port came from another machine of yours");
  expect(reached).toHaveLength(1);
  expect(world.files.text(`${PROJECT}/.opencode/memory/decision/port.md`)).toContain("8080");
  expect(await world.log()).toContain("decision/port came from another machine of yours");
});

it("a start without a remote, or with sync.pullOnStart off, does not open git", async () => {
  const without = await openSynced();
  await begin(without.world);
  expect(without.opened).toEqual([]);
  const off = await openSynced({ sync: { pullOnStart: false } });
  await off.choose();
  await begin(off.world);
  expect(off.opened).toEqual([]);
});
