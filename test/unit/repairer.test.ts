import { describe, expect, it } from "vitest";
import { sumSavings } from "../../src/costs/sums.js";
import type { Message } from "../../src/io/message.js";
import { createFakeHost, PROJECT } from "../support/fake-host.js";
import { call, fork, lines } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { bytesOf } from "../support/view-check.js";
import { openWorld, type World, type WorldOptions } from "../support/world.js";

const HOUR = 3_600_000;
const GOOD = `The user wants the parser ported. ${"Much was done. ".repeat(20)}`;
const notesPath = `${PROJECT}/.opencode/session-memory/ses_1.md`;

/** A session that the host has compacted; it keeps the last turn verbatim, behind the summary. */
async function compact(summary: string, given: WorldOptions = {}, isManual = false, sent = 120_000) {
  const world = await openWorld({ ...given });
  const session = createSession(world.clock);
  session.user("Port the parser. Never use eval.");
  const edit = call("edit", "ok", { state: { input: { filePath: `${PROJECT}/src/a.ts` } } });
  session.answer([edit, call("bash", lines(600))], { sent: 100_000 });
  const kept = [session.user("and the tests"), session.answer([], { sent, text: "They run." })];
  await world.request([...session.messages]);
  world.host.messages.set("ses_1", [...session.messages]);
  const compaction = { type: "compaction", auto: !isManual };
  const asked = { ...session.user(""), parts: [compaction] };
  const summed = session.answer([], {
    sent,
    info: { summary: true, finish: "stop" },
    text: summary,
  });
  const after: Session = { ...createSession(world.clock), messages: [asked, summed, ...kept] };
  world.clock.advance(1_000);
  return { world, after, summed };
}

const textOf = (view: readonly Message[]): string =>
  view
    .find(({ info }) => info.summary === true)
    ?.parts.map(({ text }) => text ?? "")
    .join("") ?? "";
const ask = (world: World, after: Session) => world.request([...after.messages]);

/** An answer that came after the compaction. */
function answerAfter(world: World, after: Session): Session {
  const next = createSession(world.clock);
  const message = next.answer([], { sent: 9_000 });
  return { ...after, messages: [...after.messages, message] };
}

describe("the host's summary", () => {
  it("the host's summary has appended what it leaves out, recorded before it is sent, and is the same for ever", async () => {
    const { world, after } = await compact(GOOD);
    const view = await ask(world, after);
    expect(textOf(view).startsWith(GOOD.trim())).toBe(true);
    expect(textOf(view)).toContain("## Left out by this summary");
    expect(textOf(view)).toContain("- The user's rule: Never use eval.");
    expect(textOf(view)).toContain("- Edited: src/a.ts");
    expect(world.decisions().filter(({ outcome }) => outcome === "rewritten")).toMatchObject([
      { text: textOf(view) },
    ]);

    const grown = answerAfter(world, after);
    const sent = bytesOf(await ask(world, grown));
    expect(sent.slice(0, view.length)).toEqual(bytesOf(view));
    const again = await world.restart();
    expect(bytesOf(await ask(again, grown))).toEqual(sent);
    expect(bytesOf(await again.request(fork(grown.messages, "ses_fork")))).toEqual(sent);
  });

  it("the host's summary that is of no use gives way to the notes, which are on disk", async () => {
    const { world, after } = await compact("Sorry.");
    const text = textOf(await ask(world, after));
    expect(text).toContain("was of no use: it has only 6 characters");
    expect(text).toContain("Never use eval.");
    expect(text).toContain(notesPath);
    expect(world.files.text(notesPath)).toContain("Never use eval.");
  });

  it("the host's summary brings back the files that were worked on, as they are now", async () => {
    const { world, after } = await compact(GOOD);
    world.files.contents.set(`${PROJECT}/src/a.ts`, Buffer.from("export const a = 1;"));
    expect(textOf(await ask(world, after))).toContain(
      "## Brought back\n\n### src/a.ts (edited in this session), as it is now\nexport const a = 1;",
    );
  });

  it("the host's summary is not cut away at once: what was reported before it tells nothing about what is left", async () => {
    // Just below the threshold, which the summary itself would exceed.
    const options = { autoCompact: { threshold: 121_000 } };
    const { world, after } = await compact(GOOD, { options }, false, 120_880);
    const view = await ask(world, after);
    expect(view).toHaveLength(after.messages.length);
    expect(world.ledger("ses_1", "cut")).toEqual([]);
    expect(world.ledger("ses_1", "break")).toMatchObject([{ reason: "the host has compacted the session" }]);
  });

  it("the host's summary is entered in the ledger with what it freed, and told to the breaker, once", async () => {
    const { world, after } = await compact(GOOD, {}, false, 107_000);
    await ask(world, after);
    await ask(world, after);
    const [record, ...more] = world.ledger("ses_1", "compacted");
    expect(more).toEqual([]);
    expect(record?.tokensFreed).toBeGreaterThan(5_000);
    const state = JSON.parse(
      world.files.text(`${PROJECT}/.opencode/strata/state/breakers/ses_1.json`) ?? "{}",
    );
    // Most of what was reported is system prompt and tools, which no summary frees.
    expect(state).toMatchObject({ poor: 1, failures: 0 });
  });

  it("the host's summary that was asked for by hand closes the breaker", async () => {
    const { world, after } = await compact(GOOD, {}, true);
    const path = `${PROJECT}/.opencode/strata/state/breakers/ses_1.json`;
    const open = { failures: 3, poor: 0, refills: 0, open: "failed" };
    world.files.contents.set(path, Buffer.from(JSON.stringify(open)));
    world.host.isCompacting = false;
    await ask(world, after);
    expect(world.host.isCompacting).toBe(true);
    expect(JSON.parse(world.files.text(path) ?? "{}")).toEqual({ v: 1, failures: 0, poor: 0, refills: 0 });
  });
});

describe("a summary whose records cannot be written at once", () => {
  it.each([
    ["savings ledger", '"event":"compacted"'],
    ["decision", '"outcome":"rewritten"'],
  ])(
    "a summary whose %s cannot be written at once is repaired with the next request, counted once, and told to the breaker once",
    async (_, part) => {
      let isFull = true;
      const wrap: WorldOptions["wrap"] = (inner) => ({
        ...inner,
        appendLine: async (path, line) =>
          isFull && line.includes(part) ? Promise.reject(new Error("ENOSPC")) : inner.appendLine(path, line),
      });
      const { world, after } = await compact(GOOD, { wrap }, false, 107_000);
      const readPoor = () =>
        JSON.parse(world.files.text(`${PROJECT}/.opencode/strata/state/breakers/ses_1.json`) ?? "{}").poor;
      expect(textOf(await ask(world, after))).toBe(GOOD);
      expect(readPoor()).toBe(1);
      isFull = false;
      expect(textOf(await ask(world, after))).toContain("## Left out by this summary");
      await ask(world, after);
      expect(readPoor()).toBe(1);
      const records = world.ledger("ses_1", "compacted");
      expect(new Set(records.map(({ tokensFreed }) => tokensFreed)).size).toBe(1);
      expect(sumSavings(records)).toEqual(sumSavings(records.slice(-1)));
      expect(sumSavings(records).tokensFreed).toBeGreaterThan(5_000);
    },
  );
});

describe("a summary that was sent as it is", () => {
  const full = (isFull: () => boolean): WorldOptions => ({
    host: createFakeHost(),
    wrap: (inner) => ({
      ...inner,
      appendLine: async (path, line) =>
        isFull() && line.includes("rewritten")
          ? Promise.reject(new Error("ENOSPC"))
          : inner.appendLine(path, line),
    }),
  });

  it("a summary that was sent as it is because it could not be recorded stays so while it is cached, and is repaired when that is over", async () => {
    let isFull = true;
    const { world, after } = await compact(
      GOOD,
      full(() => isFull),
    );
    expect(textOf(await ask(world, after))).toBe(GOOD);
    expect(await world.log()).toContain("layer full-compact at hook compacted failed: ENOSPC");
    isFull = false;
    const grown = answerAfter(world, after);
    expect(textOf(await ask(world, grown))).toBe(GOOD);
    world.clock.advance(HOUR);
    const [told, ...more] = world.ledger("ses_1", "compacted");
    expect(told?.tokensFreed).toBeGreaterThan(5_000);
    expect(more).toEqual([]);
    const again = await world.restart();
    expect(textOf(await ask(again, grown))).toContain("## Left out by this summary");
    const [, record] = again.ledger("ses_1", "compacted");
    expect(record).toMatchObject({ key: told?.key });
    expect(record).not.toHaveProperty("tokensFreed");
  });

  it("a summary that was sent as it is is not looked at with the layer off, nor in the request for a summary", async () => {
    const off = await compact(GOOD, { options: { autoCompact: { enabled: false } } });
    expect(textOf(await ask(off.world, off.after))).toBe(GOOD);
    const { world, after } = await compact(GOOD, { options: { autoCompact: { threshold: 140_000 } } });
    await world.strata.dispatcher.ask("compacting", { sessionID: "ses_1" }, undefined);
    expect(textOf(await ask(world, after))).toBe(GOOD);
  });
});

it("the instruction for a summary has nine sections and the facts that must be in it", async () => {
  const { world } = await compact(GOOD);
  const prompt = await world.strata.dispatcher.ask("compacting", { sessionID: "ses_1" }, undefined);
  expect(prompt).toContain("## Next Step");
  expect(prompt).toContain("word for word:\n- The user's rule: Never use eval.");
  expect(prompt?.length).toBeLessThan(lines(600).length);
});
