/** OpenCode's undo puts back each file that changed while the undone turn ran, in the real OpenCode: memories of others too. */

import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { Part } from "../../src/io/message.js";
import { patiently } from "../support/patience.js";
import { whenContains } from "./stage/files.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

const MEMORY = ".opencode/memory";
const PORT = "The database of the staging system listens on port 5433.";
const WAIT_MS = 60_000;

const listDecisions = (stage: Stage): string[] => readdirSync(stage.project.file(`${MEMORY}/decision`));

function readLedger(stage: Stage): { id: string; reason?: string }[] {
  const names = readdirSync(stage.project.file(`${MEMORY}/ledger`));
  const texts = names.map((name) => stage.read(`${MEMORY}/ledger/${name}`).trim());
  return texts.flatMap((text) => text.split("\n").map((line) => JSON.parse(line)));
}

test(
  "an undo in one session loses no memory of another, nor a line of the ledger, and a redo neither",
  async () => {
    await using stage = await openStage({ mcp: true, config: { snapshot: true } });
    const long = await stage.newSession("long");
    const other = await stage.newSession("other");
    stage.model.script(say("Hello."));
    await long.ask("Good morning.");

    const remember = { type: "decision", content: PORT, evidence: PORT };
    stage.model.script(
      call("bash", { command: "echo yes > started.txt; sleep 4; date > made.txt", description: "x" }),
      call("memory_remember", remember),
      say("Noted."),
      say("Done."),
    );
    const turn = long.ask("Make the file.");
    await whenContains(stage.project.file("started.txt"), "yes");
    await other.ask(`Remember: ${PORT}`);
    const [name = ""] = listDecisions(stage);
    await turn;
    const file = `${MEMORY}/decision/${name}`;
    const parts = (await long.messages()).flatMap((message) => message.parts as readonly Part[]);
    const patched = parts.flatMap((part) => (part as { files?: string[] }).files ?? []);
    // Else the undo would not reach it, and this would show nothing.
    expect(patched.map((one) => resolve(stage.project.path, one))).toContain(stage.project.file(file));
    const before = readLedger(stage).map(({ id }) => id);

    const asked = (await long.messages()).filter(({ info }) => info.role === "user");
    await long.revert(asked[1]?.info.id);
    expect(readdirSync(stage.project.path)).not.toContain("made.txt");
    await whenContains(stage.project.file(file), PORT, WAIT_MS);
    await whenContains(stage.project.file(`${MEMORY}/MEMORY.md`), "5433", WAIT_MS);
    const mended = readLedger(stage);
    expect(mended.map(({ id }) => id)).toEqual(expect.arrayContaining(before));
    expect(mended.at(-1)?.reason).toBe("OpenCode's undo had put the file back");

    stage.model.script(
      call("memory_remember", {
        ...remember,
        content: "The cache of the staging system is Redis.",
        evidence: "The cache of the staging system is Redis.",
      }),
      say("Noted."),
    );
    await other.ask("Remember: The cache of the staging system is Redis.");
    expect(listDecisions(stage)).toHaveLength(2);
    const then = readLedger(stage).map(({ id }) => id);
    await long.unrevert();
    expect(readdirSync(stage.project.path)).toContain("made.txt");
    stage.model.script(say("Hello."));
    await (await stage.newSession("next")).ask("Which port, and which cache has staging?");
    expect(listDecisions(stage)).toHaveLength(2);
    expect(readLedger(stage).map(({ id }) => id)).toEqual(expect.arrayContaining(then));
  },
  patiently(240_000),
);
