/** The index of conversations on a real disk, with the engine that Node runs. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/conversations/engine.js";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { BLOG, openConversations, SHOP, said } from "../support/conversations-world.js";
import { MORNING } from "../support/fake-clock.js";
import { patiently } from "../support/patience.js";
import { startChild } from "../support/processes/child.js";
import { removeFolder } from "../support/remove-folder.js";

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "strata-conversations-"));
});
afterEach(() => removeFolder(scratch));

const realLocks = () =>
  createLocks({ clock, files: nodeFiles, processes: createRunningProcesses(), instance: randomUUID() });
const texts = (quotes: readonly { text: string }[]): string[] => quotes.map(({ text }) => text);

describe("the index of conversations", () => {
  it("finds what was said by its words in any form, and says who, when and where", async () => {
    const index = openConversations(scratch);
    await index.add(SHOP, [
      said(1, "Which port do we use in createUserIndex?"),
      said(2, "We decided on port 8080 for the dev server.", "agent"),
      said(3, "bash npm test → ok", "tool"),
    ]);
    const [quote, ...others] = await index.search("what were we deciding for the servers");
    expect(quote).toMatchObject({
      session: SHOP,
      messageID: "msg_2",
      atMs: MORNING + 2 * 60_000,
      by: "agent",
      text: "We decided on port 8080 for the dev server.",
    });
    expect(texts(others)).toEqual(["Moving the server"]);
    expect(texts(await index.search("createUserIndex"))).toHaveLength(1);
    expect(await index.search("the of what")).toEqual([]);
    expect(await index.search('"port" AND (8080 OR *')).not.toEqual([]);
  });

  it("keeps to the project, the author, the time and the sessions that are asked for", async () => {
    const index = openConversations(scratch);
    await index.add(SHOP, [said(1, "a red button"), said(5, "a red door", "agent")]);
    await index.add(BLOG, [said(3, "a red header")]);
    const ask = async (query: object) => texts(await index.search("red", query)).sort();
    expect(await ask({ project: BLOG.project })).toEqual(["a red header"]);
    expect(await ask({ by: "agent" })).toEqual(["a red door"]);
    expect(await ask({ sinceMs: MORNING + 3 * 60_000 })).toEqual(["a red door", "a red header"]);
    expect(await ask({ exceptSession: SHOP.id })).toEqual(["a red header"]);
    expect(await ask({ limit: 1 })).toHaveLength(1);
    expect(await index.list({ limit: 9 })).toMatchObject([
      { ...SHOP, atMs: MORNING + 5 * 60_000 },
      { ...BLOG, atMs: MORNING + 3 * 60_000 },
    ]);
  });

  it.each([
    ["zh", "数据库的迁移要在星期五之前完成，先备份。", "什么时候迁移数据库"],
    ["ja", "データベースの移行は金曜日までに終わらせる。", "移行はいつ終わる"],
    ["pt", "A migração não pode apagar as sessões antigas.", "migracao das sessoes"],
    ["de", "Für die Prüfung der Größe nehmen wir höchstens 20 Zeilen.", "Wie viele Zeilen bei der prüfung"],
    ["ru", "Миграцию базы данных закончим в пятницу.", "когда базы данных"],
  ])("finds what was said in another language (%s) by its words, and quotes them", async (_, told, asked) => {
    const index = openConversations(scratch);
    const other = told.startsWith("数") ? "我们明天再讨论颜色和字体。" : "Nothing of it.";
    await index.add(SHOP, [said(1, other.repeat(40) + told), said(2, other)]);
    const [quote, ...others] = await index.search(asked);
    expect(quote?.text).toContain(told.slice(0, 12));
    expect(others).toEqual([]);
  });

  it("shows a session in order, from a message on or its end", async () => {
    const index = openConversations(scratch);
    await index.add(
      SHOP,
      [1, 2, 3, 4].map((n) => said(n, `word ${n}`)),
    );
    const shown = async (options: { from?: string; limit: number }) =>
      (await index.session(SHOP.id, options))?.lines.map(({ text }) => text);
    expect(await shown({ limit: 2 })).toEqual(["word 3", "word 4"]);
    expect(await shown({ from: "msg_2", limit: 2 })).toEqual(["word 2", "word 3"]);
    expect(await index.session("ses_other", { limit: 1 })).toBeUndefined();
  });

  it("keeps what a fork repeats once in an answer, and a message that comes again once in the index", async () => {
    const index = openConversations(scratch);
    await index.add(SHOP, [said(1, "the blue whale")]);
    await index.add(SHOP, [said(1, "the blue whale"), said(2, "is large")]);
    await index.add({ ...SHOP, id: "ses_fork" }, [{ ...said(1, "the blue whale"), messageID: "msg_copy" }]);
    expect(await index.search("whale")).toHaveLength(1);
    expect((await index.session(SHOP.id, { limit: 9 }))?.lines).toHaveLength(2);
    expect((await index.findCursor(SHOP.id))?.untilMs).toBe(MORNING + 2 * 60_000);
  });

  it("counts a session as read when its last line is in", async () => {
    let isKilled = false;
    const pause = async (): Promise<void> => {
      if (isKilled) throw new Error("killed");
      isKilled = true;
    };
    const lines = Array.from({ length: 90 }, (_, n) => said(n, `word ${n}`));
    await expect(
      openConversations(scratch, { clock: { now: () => 0, pause } }).add(SHOP, lines, 77),
    ).rejects.toThrow();
    const index = openConversations(scratch);
    expect(await index.findCursor(SHOP.id)).toMatchObject({ readMs: 0 });
    await index.add(SHOP, lines, 77);
    expect(await index.findCursor(SHOP.id)).toMatchObject({ readMs: 77 });
    expect((await index.session(SHOP.id, { limit: 999 }))?.lines).toHaveLength(90);
  });

  it("finds words of which one is common and one is rare, those with both first", async () => {
    const index = openConversations(scratch);
    await index.add(SHOP, [said(1, "common word"), said(2, "a rare bird and a common one"), said(3, "rare")]);
    const quotes = texts(await index.search("rare common"));
    expect(quotes[0]).toContain("bird");
    expect(quotes).toHaveLength(3);
  });

  it("leaves no byte of what is removed, and no file when nothing is left", async () => {
    const index = openConversations(scratch);
    await index.add(SHOP, [said(1, "the okapi runs"), said(2, "the zebra sleeps")]);
    await index.add(BLOG, [said(3, "a quagga")]);
    await index.removeMessages(SHOP.id, ["msg_1"]);
    expect(await index.search("okapi")).toEqual([]);
    expect(await index.search("zebra")).toHaveLength(1);
    expect(readFileSync(index.path).includes("okapi")).toBe(false);
    await index.removeSession(SHOP.id);
    for (const word of ["zebra", "server", SHOP.id]) expect(await index.search(word)).toEqual([]);
    for (const word of ["zebra", "Moving", SHOP.id])
      expect(readFileSync(index.path).includes(word)).toBe(false);
    await index.removeProject(BLOG.project);
    expect(readdirSync(dirname(index.path))).toEqual([]);
  });

  it("adds nothing of a session that is to be forgotten, of which only the id stays", async () => {
    const index = openConversations(scratch);
    await index.add(SHOP, [said(1, "the okapi runs")]);
    await index.forgetSession(SHOP.id);
    await index.add(SHOP, [said(1, "the okapi runs"), said(2, "an okapi")]);
    expect(await index.search("okapi")).toEqual([]);
    expect(await index.list({ limit: 9 })).toEqual([]);
    expect(await index.findCursor(SHOP.id)).toMatchObject({ isForgotten: true });
    for (const word of ["okapi", "server", SHOP.project])
      expect(readFileSync(index.path).includes(word)).toBe(false);
  });

  it("makes no file by being asked", async () => {
    const index = openConversations(scratch);
    expect(await index.search("anything")).toEqual([]);
    expect(await index.list({ limit: 1 })).toEqual([]);
    expect(await index.findCursor("ses_1")).toBeUndefined();
    await index.removeSession("ses_1");
    expect(readdirSync(scratch)).toEqual([]);
  });

  it("is for its user's eyes only", async () => {
    const index = openConversations(scratch);
    await index.add(SHOP, [said(1, "hello")]);
    const folder = dirname(index.path);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  it("drops the oldest text when it is full, and still finds its session by the title", async () => {
    const index = openConversations(scratch, { maxBytes: 400_000 });
    const long = (n: number): string =>
      `${n === 0 ? "okapi" : n === 499 ? "zebra" : ""} ${Array.from({ length: 100 }, (_, k) => `w${n}x${k}`).join(" ")}`;
    await index.add(
      SHOP,
      Array.from({ length: 200 }, (_, n) => said(n, long(n))),
    );
    await index.add(
      BLOG,
      Array.from({ length: 200 }, (_, n) => said(300 + n, long(300 + n))),
    );
    expect(await index.search("okapi")).toEqual([]);
    expect(await index.search("zebra")).toHaveLength(1);
    expect(await index.search("moving server")).toMatchObject([{ by: "title", session: SHOP }]);
    expect(statSync(index.path).size).toBeLessThan(450_000);
  });

  it("makes a damaged or foreign database anew, and says so", async () => {
    for (const damage of ["not a database at all".repeat(500), "foreign"]) {
      const index = openConversations(scratch);
      await index.add(SHOP, [said(1, "an early bird")]);
      if (damage === "foreign") {
        const database = await openDatabase(nodeFiles)(index.path);
        database.exec("PRAGMA user_version = 99");
        database.close();
      } else writeFileSync(index.path, damage);
      await index.add(BLOG, [said(2, "a late worm")]);
      expect(await index.search("worm")).toHaveLength(1);
      expect(index.log.lines).toEqual([expect.stringContaining("is made anew")]);
    }
  });

  it("goes on where a process was killed: nothing is lost and nothing is there twice", {
    timeout: patiently(60_000),
  }, async () => {
    const folder = join(scratch, "conversations");
    const count = 40;
    let from = 0;
    for (const killedAfter of [3, 11, 24]) {
      const worker = startChild("conversations-worker.ts", folder, String(count), String(from));
      await worker.line(`added msg_${killedAfter}`);
      await worker.kill();
      const index = openConversations(scratch, { locks: realLocks() });
      from = ((await index.findCursor("ses_1"))?.untilMs ?? 0) - 1_000;
      expect(from).toBeGreaterThanOrEqual(killedAfter);
    }
    const last = startChild("conversations-worker.ts", folder, String(count), String(from));
    await last.ended();
    const index = openConversations(scratch, { locks: realLocks() });
    const { lines = [] } = (await index.session("ses_1", { limit: 1_000 })) ?? {};
    expect(lines.map(({ messageID }) => messageID)).toEqual(
      Array.from({ length: count }, (_, n) => `msg_${n}`),
    );
    expect(await index.search("message", { limit: 100 })).toHaveLength(count);
  });
});
