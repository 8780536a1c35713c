/** Whatever is said, undone, done again, removed and rewritten: the notes are those of what is left. */
import { expect, it } from "vitest";
import type { Message } from "../../src/io/message.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import { ask, did, type NotesWorld, openNotes, ran, reply, STORED_FILE } from "../support/notes.js";
import { fc } from "../support/property.js";

const few = fc.integer({ min: 0, max: 3 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("turn" as const), n: few, isHeard: fc.boolean() }) },
  fc.record({
    kind: fc.constantFrom(
      "undo" as const,
      "undo" as const,
      "redo" as const,
      "remove" as const,
      "rewrite" as const,
      "restart" as const,
      "compact" as const,
    ),
    n: few,
    isHeard: fc.boolean(),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const makeTurn = (at: number, n: number): Message[] => [
  ask(at, `Never touch part ${at}. Do ${n}, because it is ${at}.`),
  reply(
    at + 1,
    `I take ${at} because ${n} is slow and wrong here. Next: ${at}.`,
    ran(at + 1, `run ${n}`, n % 2, `out ${at}`),
    did(at + 2, "edit", { filePath: `src/f${n}.ts`, newString: `class C${at} {}` }),
    did(at + 3, "todowrite", { todos: [{ content: `todo ${at}`, status: "pending" }] }),
  ),
];

const summary = (at: number): Message => ({
  info: { ...reply(at, "").info, summary: true, finish: "stop" },
  parts: [{ type: "text", text: "what was said so far" }],
});

/** The host's side: what stands, what is undone and may be done again, and from where requests go on. */
interface Said {
  all: Message[];
  undone: Message[];
  shownFrom: number;
  turns: number;
}

/** Whether what was changed stands in no request any more: then only the host tells of it. */
function change(said: Said, { kind, n }: Step): boolean {
  if (kind === "turn") {
    said.undone = [];
    said.all.push(...makeTurn(10 * said.turns++, n));
  }
  const users = [...said.all.keys()].filter((index) => said.all[index]?.info.role === "user");
  const index = users.at(-1 - n);
  if (kind === "redo") said.all.push(...said.undone.splice(0));
  if (kind === "compact" && said.all.length > 0) {
    said.undone = [];
    said.all.push(summary(10 * said.turns++));
    said.shownFrom = said.all.length - 1;
  }
  if (index === undefined) return false;
  const isHidden = index < said.shownFrom && (kind === "remove" || kind === "rewrite");
  if (kind === "undo") said.undone.unshift(...said.all.splice(index));
  if (kind === "remove") said.all.splice(index, 1);
  if (kind === "remove" && isHidden) said.shownFrom--;
  const { info } = said.all[index] ?? {};
  if (kind === "rewrite" && info)
    said.all[index] = { info, parts: [{ type: "text", text: `Always ask about ${n}.` }] };
  if (said.all.length <= said.shownFrom) said.shownFrom = 0;
  return isHidden;
}

const readLedger = (world: NotesWorld) => JSON.parse(world.files.text(STORED_FILE) ?? "{}").ledger;

it("notes equal those learned from what is left alone, and what a person has written into them stays", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const said: Said = { all: [], undone: [], shownFrom: 0, turns: 0 };
      const readMessages = async () => [...said.all];
      let world = openNotes({ readMessages });
      let hasPerson = false;
      for (const one of steps) {
        world.clock.advance(600_000);
        const isHidden = change(said, one);
        if (one.kind === "restart") world = world.restart();
        if (one.isHeard || isHidden) await world.notes.followHost("ses_1");
        await world.notes.follow("ses_1", said.all.slice(said.shownFrom));
        await world.notes.write("ses_1");
        if (!hasPerson && world.page() !== "") {
          world.edit((page) => `${page}\nmine: never touch part 0\n`);
          hasPerson = true;
        }
      }
      const fresh = openNotes();
      await fresh.tell(...said.all);
      const empty = JSON.parse(JSON.stringify(EMPTY_LEDGER));
      expect(readLedger(world) ?? empty).toEqual(readLedger(fresh) ?? empty);
      if (hasPerson) expect(world.page()).toContain("mine: never touch part 0");
    }),
    { numRuns: 60 },
  );
});
