/** Every file operation of the notes fails once, and the disk fills up at every one of them. */
import { expect, it } from "vitest";
import { HEADINGS } from "../../src/notes/page.js";
import { parseStored } from "../../src/notes/stored.js";
import { type FaultyFiles, withFault } from "../support/faulty-files.js";
import { ask, openNotes, ran, reply, STORED_FILE } from "../support/notes.js";

const first = [ask(0, "Never use eval."), reply(1, "done", ran(1, "npm test", 1, "broken"))];
const second = [...first, ask(2, "Go on."), reply(3, "gone on", ran(3, "npm test", 0))];
const sections = Object.fromEntries(HEADINGS.map((heading) => [heading, "None."]));

async function playWithFault(fault: { at: number; code: string; lasting: boolean }) {
  const whole = openNotes();
  await whole.tell(...first);
  whole.edit((page) => page.replace("- Request 1: Never use eval.", "mine"));
  let faulty: FaultyFiles | undefined;
  const world = openNotes({ files: whole.files, wrap: (inner) => (faulty = withFault(inner, fault)) });
  await world.tell(...second);
  await world.notes.setSections("ses_1", sections);
  await world.notes.write("ses_1");
  await world.notes.formatForModel("ses_1", { maxCharacters: 5_000 });
  await world.notes.findUnfinished(new Set(["ses_2"]), 60_000);
  return { world, hasFailed: faulty?.hasFailed ?? false };
}

for (const code of ["ENOSPC", "EIO"]) {
  for (const lasting of [false, true]) {
    it(`${code} at the Nth file operation ${lasting ? "and ever after" : "only"}, for every N`, async () => {
      let at = 1;
      for (; ; at++) {
        const { world, hasFailed } = await playWithFault({ at, code, lasting });
        const page = world.page();
        expect(page.match(/^## /gm), `operation ${at}`).toHaveLength(6);
        expect(page).toContain("mine\n");
        expect(parseStored(world.files.text(STORED_FILE) ?? "")).toBeDefined();
        expect(world.notes.facts("ses_1")).toMatchObject({ calls: { ended: 2 }, requests: [{}, {}] });

        // The disk is well again, and the process another one.
        const next = openNotes({ files: world.files });
        await next.tell(...second, ask(9, "Last one."));
        expect(world.page(), `operation ${at}`).toContain("Last one.");
        expect(world.page().match(/^- Request 2 \(/gm), `operation ${at}`).toHaveLength(1);
        expect(world.page().match(/^- `npm test` → exit 0/gm), `operation ${at}`).toHaveLength(1);
        expect(world.page(), `operation ${at}`).not.toContain("- Request 1: Never use eval.");
        expect(world.page()).toContain("mine\n");
        if (!hasFailed) break;
        expect(world.logged.join("\n"), `operation ${at} failed and nobody was told`).toContain(code);
      }
      expect(at).toBeGreaterThan(8);
    });
  }
}
