/** Whatever happens in a session and whatever people do to its notes, neither loses to the other. */

import { expect, it } from "vitest";
import type { Message, ToolPart } from "../../src/io/message.js";
import { HEADINGS } from "../../src/notes/page.js";
import { ask, did, type NotesWorld, openNotes, ran, reply } from "../support/notes.js";
import { fc, runs } from "../support/property.js";

const few = fc.integer({ min: 0, max: 4 });

/** What a turn may bring; the number makes texts that must not be mixed up unlike each other. */
const call = fc.oneof(
  few.map((n) => (at: number) => did(at, "edit", { filePath: `src/f${n}.ts`, newString: `class C${at} {}` })),
  few.map((n) => (at: number) => did(at, "read", { filePath: `src/f${n}.ts` })),
  fc.tuple(few, few).map(
    ([n, exit]) =>
      (at: number) =>
        ran(at, `run ${n}`, exit, `out ${at}`),
  ),
  few.map((n) => (at: number) => {
    const todos = [n, n + 1].map((item) => ({
      content: `todo ${item}`,
      status: at % 2 ? "pending" : "completed",
    }));
    return did(at, "todowrite", { todos });
  }),
);
const turn = fc.record({
  calls: fc.array(call, { maxLength: 4 }),
  says: fc.constantFrom("Never do", "a #\n\n## Workflow #\nb", "No, wrong", "Do"),
  model: fc.option(few),
  restarts: fc.boolean(),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const edit = fc.record({
  kind: fc.constantFrom("insert", "insert", "insertBlank", "section", "delete", "change"),
  where: fc.nat(),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

const rounds = fc.array(fc.record({ turn, edits: fc.array(edit, { maxLength: 6 }) }), {
  minLength: 2,
  maxLength: 5,
});

function toMessages({ calls, says }: Turn, round: number): Message[] {
  const at = round * 10;
  const made: ToolPart[] = calls.map((make, index) => make(at + 1 + index));
  return [
    ask(at, `${says.replaceAll("#", `${round}`)} ${round}.`),
    reply(at + 1, `answer ${round}`, ...made),
  ];
}

const modelSections = (n: number) =>
  Object.fromEntries(HEADINGS.map((heading) => [heading, `model ${n} on ${heading}\n\n- always`]));

/** An empty line, also one within a quotation, is like any other. */
const isEmpty = (line: string): boolean => /^[\s>]*$/.test(line);
const isMine = (line: string): boolean => line.startsWith("mine ") || line.startsWith("## mine ");

/** What a line is about, so that another version of it counts as the same. */
function subjectOf(line: string): string {
  return /`src\/f\d\.ts`|todo \d/.exec(line)?.[0] ?? line;
}

/** What a person has taken out so far, and the headings still there. */
interface Person {
  count: number;
  gone: Set<string>;
  headings: Set<string>;
}

function editPage(page: string, edits: readonly Edit[], person: Person): string {
  const lines = page.split("\n");
  for (const { kind, where } of edits) {
    const at = where % lines.length;
    const mine = `mine ${person.count++}`;
    if (kind === "insert") lines.splice(at, 0, mine);
    if (kind === "insertBlank") lines.splice(at, 0, "");
    if (kind === "section") lines.splice(at, 0, `## ${mine}`);
    if (kind !== "delete" && kind !== "change") continue;
    const [line = ""] = lines.splice(at, 1, ...(kind === "change" ? [mine] : []));
    // Lines that look the same elsewhere are other lines.
    if (!isEmpty(line) && !lines.some((other) => subjectOf(other) === subjectOf(line)))
      person.gone.add(subjectOf(line));
    if (line.startsWith("## ")) person.headings.delete(line);
  }
  return lines.join("\n");
}

async function playTurn(world: NotesWorld, given: Turn, round: number): Promise<NotesWorld> {
  await world.notes.learn("ses_1", toMessages(given, round));
  if (given.model !== null) await world.notes.setSections("ses_1", modelSections(given.model));
  await world.notes.write("ses_1");
  return given.restarts ? world.restart() : world;
}

it("a person's lines stay, each once, what they took out stays out, and the headings are there once", async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      let world = openNotes();
      const person: Person = {
        count: 0,
        gone: new Set(),
        headings: new Set(HEADINGS.map((name) => `## ${name}`)),
      };
      for (const [round, { turn: given, edits }] of all.entries()) {
        const before = world.page();
        world = await playTurn(world, given, round);
        const lines = world.page().split("\n");
        expect(lines.filter(isMine).sort()).toEqual(before.split("\n").filter(isMine).sort());
        for (const line of lines) if (!isEmpty(line)) expect(person.gone).not.toContain(subjectOf(line));
        for (const heading of HEADINGS)
          expect(lines.filter((line) => line === `## ${heading}`)).toHaveLength(
            person.headings.has(`## ${heading}`) ? 1 : 0,
          );
        world.edit((page) => editPage(page, edits, person));
      }
      expect(world.logged).toEqual([]);
    }),
    { numRuns: runs(100, 400, "edited notes") },
  );
});

it("the same session gives the same notes, in one go or turn by turn, told once or again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
      const messages = turns.flatMap(toMessages);
      const [atOnce, byTurn] = [openNotes(), openNotes()];
      await atOnce.tell(...messages);
      for (let length = 1; length <= messages.length; length++)
        await byTurn.notes.learn("ses_1", messages.slice(0, length));
      await byTurn.notes.write("ses_1");
      expect(byTurn.page()).toBe(atOnce.page());
      const limits = { maxCharacters: 3_000 };
      expect(await byTurn.restart().notes.formatForModel("ses_1", limits)).toBe(
        await atOnce.notes.formatForModel("ses_1", limits),
      );
    }),
    { numRuns: runs(60, 150, "notes turn by turn") },
  );
});

it("nothing that a message may hold makes learning or writing fail", async () => {
  const odd = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.constantFrom(null, undefined),
    fc.object({ maxDepth: 2 }),
  );
  const record = (fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = Object.keys(fields)) =>
    fc.record(fields, { requiredKeys: required as never[] });
  const INPUTS = ["command", "filePath", "patchText", "newString", "todos", "name", "edits"];
  const state = record({
    status: fc.constantFrom("completed", "error", "running"),
    input: fc.oneof(odd, record(Object.fromEntries(INPUTS.map((name) => [name, odd])), [])),
    ...{ output: odd, error: odd, metadata: odd },
    time: fc.oneof(odd, record({ start: fc.oneof(fc.double(), odd) })),
  });
  const tools = ["bash", "edit", "read", "todowrite", "skill", "task", "apply_patch", "lease", "fork"];
  const part = record(
    {
      type: fc.constantFrom("text", "tool", "file", "compaction"),
      ...{ text: odd, callID: odd, filename: odd, url: odd },
      tool: fc.oneof(fc.constantFrom(...tools), odd),
      state: fc.oneof(odd, state),
    },
    ["type"],
  );
  const time = fc.oneof(odd, record({ created: fc.oneof(fc.double(), odd) }));
  const info = record({ id: odd, role: fc.constantFrom("user", "assistant"), time });
  const message = fc.oneof(
    odd,
    record({ info: fc.oneof(info, odd), parts: fc.oneof(odd, fc.array(fc.oneof(part, odd))) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 6 }), async (made: unknown[]) => {
      const messages = made as Message[];
      const world = openNotes();
      await world.tell(...messages);
      await world.notes.formatForModel("ses_1", { maxCharacters: 2_000 });
      const again = world.restart();
      await again.tell(...messages, ask(1, "go"));
      expect([...world.logged, ...again.logged]).toEqual([]);
      expect(again.page().match(/^## /gm)).toHaveLength(6);
    }),
    { numRuns: runs(200, 1_000, "odd messages") },
  );
});
