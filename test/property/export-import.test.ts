/** Memories that leave one project and enter another are the same there, whatever they are. */
import { expect, it } from "vitest";
import { type MemoryType, memoryTypes } from "../../src/memory/memory.js";
import { formatMemoryFile } from "../../src/memory/memory-file.js";
import { PROJECT } from "../support/fake-host.js";
import { memoryOf } from "../support/memory.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc, runs } from "../support/property.js";
import { runStrata } from "../support/shell.js";

const line = fc.stringMatching(/^[a-zé☃][a-zé☃ "':#-]{0,20}[a-z]$/);
const words = fc.array(line, { maxLength: 3 });
const time = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());

const fields = fc.record({
  title: line,
  content: fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n")),
  status: fc.constantFrom("active" as const, "resolved" as const, "superseded" as const),
  aliases: words,
  tags: words,
  entities: words,
  importance: fc.integer({ min: 0, max: 100 }).map((n) => n / 100),
  pinned: fc.boolean(),
  when: words,
  created: time,
  updated: time,
  expires: fc.option(time, { nil: undefined }),
  extra: fc.dictionary(fc.stringMatching(/^[a-z]{2,8}X$/), fc.oneof(line, fc.integer(), fc.boolean())),
});
const file = fc.record({
  place: fc.record({
    type: fc.constantFrom<MemoryType>(...memoryTypes),
    isPrivate: fc.boolean(),
    isGlobal: fc.boolean(),
    isArchived: fc.boolean(),
  }),
  fields,
});

it("an export of what was imported is the export that was imported", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 5 }), async (all) => {
      const source = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
      for (const [n, { fields: given, place }] of all.entries()) {
        const { isArchived, isGlobal, isPrivate, type } = place;
        const root = isGlobal ? "/home/me/.config/opencode/memory" : `${PROJECT}/.opencode/memory`;
        const { expires, ...others } = given;
        const memory = memoryOf({
          id: `${type}/m-${n}`,
          type,
          ...others,
          ...(expires !== undefined && { expires }),
        });
        // What 0.1.0 kept there without it is personal here.
        const isHidden = isPrivate || (!isGlobal && (type === "preference" || type === "feedback"));
        const folder = `${root}${isHidden ? "/private" : ""}${isArchived ? "/archive" : ""}/${type}`;
        await source.writeWhole(`${folder}/m-${n}.md`, formatMemoryFile(memory));
      }
      const exported = await runStrata(source, "export --include-private --global");
      expect(exported.err).toBe("");
      const target = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", "/m.jsonl": `${exported.out}\n` });
      await runStrata(target, "import /m.jsonl --global");
      const again = await runStrata(target, "export --include-private --global");
      expect(again.out.split("\n").sort()).toEqual(exported.out.split("\n").sort());
    }),
    { numRuns: runs(60, 2_000, "sets of memories") },
  );
});
