/** Tools and files named like what every object has are found in none of our tables. */
import { expect, it } from "vitest";
import { findLongInput, repeatsMarker } from "../../src/context/clear-input.js";
import { createLiveConfig } from "../../src/host/1/live-config.js";
import { readMemoryFolder } from "../../src/operations/transfer/markdown.js";
import { planFolders } from "../../src/project/folders.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { call } from "../support/messages.js";
import { openWorld } from "../support/world.js";

const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty"];

it.each(NAMES)(
  "a tool named %s has no input that is known to be long, and no other tool's permission",
  (name) => {
    expect(
      findLongInput(call(name, "", { state: { input: { content: "x".repeat(5_000) } } })),
    ).toBeUndefined();
    expect(repeatsMarker(name, { content: "x" })).toBe(false);
    const live = createLiveConfig();
    live.take({ permission: JSON.parse(`{"${name}":"deny"}`) }, { withAgent: false });
    expect(live.isOff(name)).toBe(true);
  },
);

it.each(NAMES)("a file named %s is no page of a .memory folder", async (name) => {
  const files = createMemoryFiles({ "/m/findings.md": "# Port\n8080", [`/m/${name}`]: "# No\nno memory" });
  const { drafts, skipped } = await readMemoryFolder(files, "/m", { name: "m" });
  expect([drafts.length, skipped]).toEqual([1, [name]]);
});

it("calls of tools with such names are counted like others", async () => {
  const world = await openWorld();
  for (const tool of [...NAMES, ...NAMES])
    await world.strata.dispatcher.ask("toolArguments", { tool, sessionID: "ses_1", callID: "c" }, {});
  await world.strata.dispose();
  const text = world.files.text(`${planFolders(PROJECT).tools}/2026-11-21.jsonl`) ?? "";
  expect(text.trim()).toContain(JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, 2]))));
});
