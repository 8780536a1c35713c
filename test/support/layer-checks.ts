/** What holds of a session and of the disk whatever one layer, or the host, has done. */
import { expect } from "vitest";
import { estimateTextTokens } from "../../src/view/context-size.js";
import type { Sent } from "./host-day.js";
import { expectView } from "./view-check.js";
import type { World } from "./world.js";

/** What layers put behind the first message of a session. */
const BEGINNINGS = [
  "[Strata] What the last session",
  "[Strata] What earlier sessions noted.",
  "[Strata] Earlier sessions noted this",
  "[Strata] Background from the session that started you.",
];

/** Fails unless a model could be sent each of them, and the host's own messages are as they were. */
export function expectLawful(world: World, sent: readonly Sent[], what = ""): void {
  const added = world.decisions().filter(({ outcome }) => outcome === "extended");
  const tokens = added.reduce((sum, { text = "" }) => sum + estimateTextTokens(text) + 1, 0);
  for (const { before, history, view } of sent) {
    expect(JSON.stringify(history), what).toBe(before);
    expectView(view, history, tokens, BEGINNINGS);
  }
}

/** Fails where the log, or the host's where ours cannot be written, says the same of the layer twice. */
export async function expectToldOnce(world: World, layer: string): Promise<void> {
  const lines = (await world.log())
    .split("\n")
    .flatMap((line) => / (?:ERROR|WARN) +(.*)/.exec(line)?.[1] ?? []);
  const hosts = world.host.logged.map((line) => line.replace(/^\w+: /, ""));
  for (const told of [lines, hosts]) {
    const ofLayer = told.filter((line) => line.startsWith(layer) || line.includes(`layer ${layer} `));
    expect(ofLayer.filter((line, index) => ofLayer.indexOf(line) !== index)).toEqual([]);
  }
}

/** Fails where a file of records is torn. */
export function expectWhole({ files }: World): void {
  for (const path of files.contents.keys()) {
    const text = files.text(path) ?? "";
    if (path.endsWith(".json")) expect(() => JSON.parse(text), path).not.toThrow();
    if (!path.endsWith(".jsonl")) continue;
    expect(text.endsWith("\n"), path).toBe(true);
    for (const line of text.trimEnd().split("\n")) expect(() => JSON.parse(line), path).not.toThrow();
  }
}

/** What is on disk but for the machine's record of its own hooks, and what the host was asked to do. */
export function snapshot({ files, host }: World): unknown {
  const paths = [...files.contents.keys()].filter((path) => !path.includes("/state/pulse/"));
  const asked = [host.generated.length, host.forked.length, host.toasts.length, host.aborted.length];
  return [paths.map((path) => [path, files.text(path)]), asked];
}

/** The paths on disk without what chance has put in them. */
export function listPaths({ files }: World): string[] {
  const paths = [...files.contents.keys()].map((path) => path.replaceAll(/[0-9a-f]{8}[0-9a-f-]*/g, "#"));
  return [...new Set(paths)].sort();
}
