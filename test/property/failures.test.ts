/** Whatever agents do, and whatever stands in errors.log. */
import { expect, it } from "vitest";
import { toField } from "../../layers/errors/ended-call.js";
import { type Entry, formatEntry, parseEntry } from "../../layers/errors/error-log.js";
import { sumEntries } from "../../layers/errors/failures.js";
import { formatHint } from "../../layers/errors/hints.js";
import type { Message } from "../../src/io/message.js";
import { planFolders } from "../../src/project/folders.js";
import { PROJECT } from "../support/fake-host.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { answer, call, fork, user } from "../support/messages.js";
import { fc, runs } from "../support/property.js";
import { openWorld } from "../support/world.js";

const { errorLog } = planFolders(PROJECT);
const text = fc.oneof(fc.string({ unit: "binary", maxLength: 400 }), fc.string({ maxLength: 60 }));
const field = text.map((value) => toField(value, 200));
const id = fc.stringMatching(/^[\w-]{1,12}$/);
const entry: fc.Arbitrary<Entry> = fc.record({
  kind: fc.constantFrom("failed" as const, "resolved" as const),
  at: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1_000),
  tool: field,
  call: field,
  text: field,
  attempt: fc.integer({ min: 1, max: 99_999 }),
  session: id,
  callHash: id,
  messageHash: id,
  key: id,
});

it("an entry is one line that is read back unchanged", () => {
  fc.assert(
    fc.property(entry, (given) => {
      const line = formatEntry(given);
      expect(line).not.toMatch(/[\n\r]/);
      const attempt = given.kind === "failed" ? given.attempt : 0;
      expect(parseEntry(line)).toEqual({ ...given, attempt });
    }),
  );
});

it("any line is an entry or ignored, and a hint on any entries is short", () => {
  const damage = fc.record({ given: entry, at: fc.nat(200), put: text, cut: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(damage, { maxLength: 30 }), (lines) => {
      const found = lines.flatMap(({ given, at, cut, put }) => {
        const line = formatEntry(given);
        return parseEntry(line.slice(0, at) + put + line.slice(at + cut)) ?? [];
      });
      for (const known of sumEntries(found).values()) {
        expect(formatHint(known).length).toBeLessThan(800);
        expect(known.firstAt).toBeLessThanOrEqual(known.lastAt);
      }
    }),
  );
});

const command = fc.constantFrom(
  "npm test",
  "npm run test:unit",
  "git push",
  "git push -u origin main",
  "cat a.txt",
  "cat src/a.txt",
  "node x.js",
);
const output = fc.constantFrom("", "Missing script: test", "fatal: no upstream", "no such file", "3 failed");
const repeated = fc.constantFrom("npm test", "git push").map((asked) => ({
  tool: "bash",
  command: asked,
  output: "Missing script: test",
  exit: 1,
  status: "completed",
}));
const randomCall = fc.record({
  tool: fc.constantFrom("bash", "bash", "bash", "edit", "mcp_x"),
  command,
  output,
  exit: fc.constantFrom(0, 1, 1, 2, 127, null),
  status: fc.constantFrom("completed", "completed", "error", "running"),
});
const toolCall = fc.oneof(repeated, randomCall);
type Call = typeof toolCall extends fc.Arbitrary<infer Value> ? Value : never;
const turns = fc.array(
  fc.oneof({ weight: 4, arbitrary: fc.array(toolCall, { maxLength: 4 }) }, fc.constant("ask")),
  {
    minLength: 2,
    maxLength: 14,
  },
);

function toMessage(turn: readonly Call[] | string): Message {
  if (typeof turn === "string") return user(turn);
  return answer(
    turn.map(({ command: asked, exit, output: said, status, tool }) => {
      const input = { command: asked, filePath: asked };
      return call(tool, said, { state: { status, input, error: said, metadata: { exit } } });
    }),
  );
}

const lineCount = (files: MemoryFiles): number => (files.text(errorLog) ?? "").split("\n").length;

it("sent texts stay the same in the next request, in another process and in a fork, and no line is written twice", async () => {
  let hinted = 0;
  await fc.assert(
    fc.asyncProperty(turns, async (given) => {
      const messages: Message[] = [user("go")];
      let world = await openWorld();
      let sent: string[] = [];
      for (const [index, turn] of given.entries()) {
        messages.push(toMessage(turn));
        if (index % 5 === 4) world = await world.restart();
        const view = (await world.request([...messages])).map(({ parts }) => JSON.stringify(parts));
        expect(view.slice(0, sent.length)).toEqual(sent);
        sent = view;
        await world.strata.idle();
      }
      if (sent.some((bytes) => bytes.includes("This very call failed"))) hinted++;
      const lines = lineCount(world.files);
      const other = await world.restart();
      const view = await other.request(fork(messages, "ses_fork"));
      await other.strata.idle();
      expect(view.map(({ parts }) => JSON.stringify(parts))).toEqual(sent);
      expect(lineCount(world.files)).toBe(lines);
    }),
    { numRuns: runs(25, 60, "failing histories") },
  );
  expect(hinted).toBeGreaterThan(5);
});
