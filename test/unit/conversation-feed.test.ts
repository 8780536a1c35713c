/** What the index learns from the host, and when. */
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openFeed } from "../../src/conversations/feed.js";
import type { Host } from "../../src/io/host.js";
import type { Message } from "../../src/io/message.js";
import { createNews } from "../../src/messages/news.js";
import { BLOG, openConversations, SHOP, said } from "../support/conversations-world.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { user } from "../support/messages.js";
import { removeFolder } from "../support/remove-folder.js";

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "strata-feed-"));
});
afterEach(() => removeFolder(scratch));

/** A host with these sessions, whose messages a test may change. */
function openWorld({ isOffForAll = false, isOn = true, lists = true } = {}) {
  const clock = createFakeClock(MORNING + 3_600_000);
  const index = openConversations(scratch);
  const sessions = new Map<string, Message[]>();
  const usedMs = new Map<string, number>();
  const reads: string[] = [];
  const host: Partial<Host> = {
    project: SHOP.project,
    findParent: async (id) => (id.startsWith("sub") ? "ses_1" : undefined),
    findTitle: async (id) => `title of ${id}`,
    isOwnSession: (id) => id.startsWith("own"),
    readMessages: async (id, last = Number.POSITIVE_INFINITY) => {
      reads.push(id);
      return sessions.get(id)?.slice(-last);
    },
    sessionLastUsedMs: async (id) => (sessions.has(id) ? (usedMs.get(id) ?? 0) : undefined),
    ...(lists && {
      listSessions: async () => ({
        ids: [...sessions.keys()].filter((id) => !/^(sub|own)/.test(id)),
        isTemplate: (text: string) => text.startsWith("template"),
      }),
    }),
  };
  const news = createNews({ clock, host: host as Host });
  const config = { search: { enabled: isOn } };
  const reading = { limits: { users: isOffForAll ? { search: { enabled: false } } : {} } };
  const start = () => openFeed({ clock, config, host, news, reading } as never, index);
  const tell = (feed: ReturnType<typeof start>, type: string, id: string) => {
    news.onEvent({ type: "session.idle", properties: {} });
    return feed.onEvent({
      ...{ type, properties: type === "session.deleted" ? { info: { id } } : { sessionID: id } },
    });
  };
  const idle = (feed: ReturnType<typeof start>, id: string) => tell(feed, "session.idle", id);
  const find = async (words: string) => (await index.search(words)).map(({ session }) => session.id).sort();
  return { clock, find, idle, index, reads, sessions, start, tell, usedMs };
}

it("at the first turn of a process reads what was said without it, and later only what is new", async () => {
  const { clock, find, idle, reads, sessions, start, usedMs } = openWorld();
  for (const id of ["ses_1", "ses_2"]) sessions.set(id, [user(`the okapi of ${id}`, id)]);
  const feed = start();
  await idle(feed, "ses_1");
  expect(await find("okapi")).toEqual(["ses_1", "ses_2"]);
  sessions.get("ses_1")?.push(user("a zebra"));
  await idle(feed, "ses_1");
  expect(await find("zebra")).toEqual(["ses_1"]);
  clock.advance(1_000);
  sessions.get("ses_2")?.push(user("another zebra", "ses_2"));
  usedMs.set("ses_2", clock.now());
  reads.length = 0;
  await idle(start(), "ses_1");
  expect(await find("zebra")).toEqual(["ses_1", "ses_2"]);
  reads.length = 0;
  clock.advance(1_000);
  await idle(start(), "ses_1");
  expect(reads).toEqual(["ses_1"]);
});

it("reads all of a session of which more is new than it asks for at first", async () => {
  const { find, idle, index, sessions, start } = openWorld();
  const many = Array.from({ length: 200 }, (_, n) => user(n === 0 ? "the okapi" : `word ${n}`));
  sessions.set("ses_1", many);
  await idle(start(), "ses_1");
  expect(await find("okapi")).toEqual(["ses_1"]);
  expect((await index.session("ses_1", { limit: 999 }))?.lines).toHaveLength(200);
});

it("leaves out subagents, its own sessions and the texts of commands", async () => {
  const { find, idle, sessions, start } = openWorld();
  for (const id of ["ses_1", "sub_1", "own_1"]) sessions.set(id, [user("the okapi", id)]);
  sessions.set("ses_2", [user("template okapi", "ses_2")]);
  const feed = start();
  for (const id of sessions.keys()) await idle(feed, id);
  expect(await find("okapi")).toEqual(["ses_1"]);
});

it("keeps no secret of a title", async () => {
  const { find, idle, index, sessions, start } = openWorld();
  const id = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
  sessions.set(id, [user("the okapi", id)]);
  await idle(start(), id);
  expect(await find("okapi")).toEqual([id]);
  expect((await index.list({ limit: 1 }))[0]?.title).toBe("title of [removed: GitHub token]");
});

it.each([true, false])(
  "drops a session that the host no longer has, also where it lists none (%s)",
  async (lists) => {
    const { find, idle, sessions, start, tell } = openWorld({ lists });
    for (const id of ["ses_1", "ses_2", "ses_3"]) sessions.set(id, [user("the okapi", id)]);
    const feed = start();
    for (const id of sessions.keys()) await idle(feed, id);
    sessions.delete("ses_2");
    await tell(feed, "session.deleted", "ses_2");
    expect(await find("okapi")).toEqual(["ses_1", "ses_3"]);
    sessions.delete("ses_3");
    await idle(start(), "ses_1");
    expect(await find("okapi")).toEqual(["ses_1"]);
  },
);

it("takes back what was undone, and its title with the last word", async () => {
  const { find, idle, index, sessions, start } = openWorld();
  const messages = [user("the okapi"), user("a zebra")];
  sessions.set("ses_1", messages);
  const feed = start();
  await idle(feed, "ses_1");
  await feed.onTakenBack("ses_1", messages.slice(0, 1));
  expect(await find("zebra")).toEqual([]);
  await feed.onTakenBack("ses_1", messages);
  expect(await find("zebra")).toEqual(["ses_1"]);
  await feed.onTakenBack("ses_1", []);
  for (const word of ["okapi", "zebra", "title"]) expect(await index.search(word)).toEqual([]);
});

it("when it is switched off removes the project, and makes no file where there is none", async () => {
  const { find, idle, sessions, start } = openWorld();
  sessions.set("ses_1", [user("the okapi")]);
  await idle(start(), "ses_1");
  const off = openWorld({ isOn: false });
  off.sessions.set("ses_1", [user("the okapi")]);
  await off.idle(off.start(), "ses_1");
  expect(await find("okapi")).toEqual([]);
  expect(readdirSync(join(scratch, "conversations"))).toEqual([]);
  await off.idle(off.start(), "ses_1");
  expect(readdirSync(join(scratch, "conversations"))).toEqual([]);
});

it("when the user has switched it off removes what was said in every project", async () => {
  const { idle, index, start } = openWorld({ isOn: false, isOffForAll: true });
  await index.add(BLOG, [said(1, "an okapi")]);
  await idle(start(), "ses_1");
  expect(readdirSync(join(scratch, "conversations"))).toEqual([]);
});
