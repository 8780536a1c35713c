/** Whatever a session holds, what is indexed of it is what was said in it, without what tools print and without secrets. */
import { expect, it } from "vitest";
import { inSlices } from "../../src/base/slices.js";
import { planTaken } from "../../src/conversations/feed.js";
import { cutQuote, type Line, planSteps, readLines } from "../../src/conversations/lines.js";
import { isToolPart, type Message } from "../../src/io/message.js";
import { createSplitter } from "../../src/recall/terms.js";
import { disorder, placeStep, session } from "../support/histories.js";
import { fc, runs } from "../support/property.js";

const SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const clock = { now: () => 0, pause: async () => {} };
const read = (messages: readonly Message[]): Promise<Line[]> => inSlices(clock, readLines(messages));
const history = fc
  .oneof(session, disorder)
  .map((steps) => steps.map((step, index) => placeStep(step, index, 1_000 * (index + 1))));
const numRuns = runs(200, 2_000, "histories");

it("each line belongs to a message of its time, and is its author's words or one line about a call that has ended", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (messages) => {
      const byID = new Map(messages.map((message) => [message.info.id, message]));
      for (const { atMs, by, messageID, text } of await read(messages)) {
        const { info, parts } = byID.get(messageID) as Message;
        expect(atMs).toBe(info.time?.created);
        expect(info.summary).not.toBe(true);
        if (by !== "tool") {
          expect(by === "user").toBe(info.role === "user");
          expect(text).not.toContain("synthetic");
          continue;
        }
        expect(text).not.toMatch(/[\n\r]/);
        expect(text.length).toBeLessThan(700);
        const calls = parts.filter(isToolPart).filter((part) => text.startsWith(part.tool));
        expect(calls.some(({ state }) => /completed|error/.test(state.status))).toBe(true);
        if (!text.includes("failed")) expect(text).toMatch(/ → (ok|interrupted)$/);
      }
    }),
    { numRuns },
  );
});

it("no secret gets in, wherever it was written or printed", async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(19_990), async (messages, length) => {
      const told = `${"word ".repeat(Math.ceil(length / 5)).slice(0, length)} ${SECRET}`;
      const leaky = messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          isToolPart(part)
            ? {
                ...part,
                state: { ...part.state, input: { command: `curl -H ${SECRET}` }, error: `error: ${SECRET}` },
              }
            : { ...part, text: told },
        ),
      }));
      const lines = await read(leaky as Message[]);
      expect(lines.filter(({ text }) => /ghp_|16C7e42F/.test(text))).toEqual([]);
    }),
    { numRuns: runs(50, 500, "histories") },
  );
});

it("steps are all lines in order, with those of a message in one", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (messages) => {
      const lines = await read(messages);
      const steps = planSteps(lines);
      expect(steps.flat()).toEqual(lines);
      const of = steps.map((step) => new Set(step.map(({ messageID }) => messageID)));
      expect(new Set(of.flatMap((ids) => [...ids])).size).toBe(of.reduce((sum, { size }) => sum + size, 0));
    }),
    { numRuns },
  );
});

it("what is taken makes the index the messages that are left, whatever was in it", async () => {
  await fc.assert(
    fc.property(history, fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }), (messages, choices) => {
      const at = ({ info }: Message) => ({ id: info.id, atMs: info.time?.created ?? 0 });
      const known = messages.filter((_, n) => choices[n]).map(at);
      const left = messages.filter((_, n) => choices[29 - n]);
      const isWhole = left.length > 0 && left[0]?.info.summary !== true;
      const { gone, isNews } = planTaken(known, left);
      const after = new Set(known.map(({ id }) => id).filter((id) => !gone.includes(id)));
      for (const message of left) if (isNews(message)) after.add(message.info.id);
      if (isWhole) expect([...after].sort()).toEqual(left.map(({ info }) => info.id).sort());
      for (const { info } of left) expect(after.has(info.id)).toBe(true);
    }),
    { numRuns },
  );
});

it("a quote is one short line of the text with a word that was asked for", async () => {
  const split = createSplitter();
  const words = fc.array(fc.constantFrom("alpha", "beta\n", "the", "src/a.ts", "gamma,"), { maxLength: 400 });
  await fc.assert(
    fc.property(words, words, (before, later) => {
      const text = [...before, "okapi", ...later].join(" ");
      const quote = cutQuote(text, new Set(split("where is the okapi")), split);
      expect(quote).toContain("okapi");
      expect(quote).not.toContain("\n");
      expect(quote.length).toBeLessThanOrEqual(242);
    }),
    { numRuns },
  );
});
