/** Invariants of session and disk, whatever a layer or the host does. */
import { expect } from "vitest";
import { estimateTextTokens } from "../../src/context/context-size.js";
import type { Sent } from "./host-day.js";
import { expectView } from "./view-check.js";
import type { World } from "./world.js";

/** Texts that layers append to a session's first message. */
const BEGINNINGS = [
  "[Strata] What the last session",
  "[Strata] What earlier sessions noted.",
  "[Strata] Calls that failed here before",
  "[Strata] Earlier sessions noted this",
  "[Strata] Background from the session that started you.",
];

/** Fails unless each view could be sent to a model and the host's own messages are unchanged. */
export function expectLawful(world: World, sent: readonly Sent[], what = ""): void {
  const added = world.decisions().filter(({ outcome }) => outcome === "extended");
  const tokens = added.reduce((sum, { text = "" }) => sum + estimateTextTokens(text) + 1, 0);
  for (const { before, history, view } of sent) {
    expect(JSON.stringify(history), what).toBe(before);
    expectView(view, history, tokens, BEGINNINGS);
  }
}

/** Fails if the log (or the host's, if ours cannot be written) repeats a line about the layer. */
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

/** Fails if a record file is torn. */
export function expectWhole({ files }: World): void {
  for (const path of files.contents.keys()) {
    const text = files.text(path) ?? "";
    if (path.endsWith(".json")) expect(() => JSON.parse(text), path).not.toThrow();
    if (!path.endsWith(".jsonl")) continue;
    expect(text.endsWith("\n"), path).toBe(true);
    for (const line of text.trimEnd().split("\n")) expect(() => JSON.parse(line), path).not.toThrow();
  }
}

/** All files except the machine's hook statistics, and all requests to the host. */
export function snapshot({ files, host }: World): unknown {
  const paths = [...files.contents.keys()].filter((path) => !path.includes("/state/calls/"));
  const asked = [host.generated.length, host.forked.length, host.toasts.length, host.aborted.length];
  return [paths.map((path) => [path, files.text(path)]), asked];
}

/** Paths on disk without their random parts. */
export function listPaths({ files }: World): string[] {
  const paths = [...files.contents.keys()].map((path) => path.replaceAll(/[0-9a-f]{8}[0-9a-f-]*/g, "#"));
  return [...new Set(paths)].sort();
}
