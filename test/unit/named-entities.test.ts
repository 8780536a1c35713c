/** Issues and merge requests that a message names, as shown to the agent. */
import { describe, expect, it } from "vitest";
import { stack } from "../../layers/index.js";
import type { Message, Part } from "../../src/io/message.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { type ForgeServer, gitHubIssue, startForgeServer } from "../support/forge-server.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { createSession } from "../support/session.js";
import { bytesOf } from "../support/view-check.js";
import { openWorld } from "../support/world.js";

const ISSUE_34 = "/repos/acme/shop/issues/34";
const LINE = '- [github.com/acme/shop#34] issue, open, by octocat, labels bug: "Found a bug" (today)';
const autoMemory = stack.layers.filter(({ name }) => name === "auto-memory");

const isText = ({ type }: Part) => type === "text";
/** The text after a message. */
const added = (message: Message | undefined): string =>
  (message?.parts.filter(isText).slice(1) ?? []).map(({ text }) => text).join("|");

async function open(server: ForgeServer, { background }: { background: boolean }) {
  const clock = createFakeClock();
  const config = '[remote "origin"]\n\turl = https://github.com/acme/shop\n';
  const files = createMemoryFiles(
    { [`${PROJECT}/.git/HEAD`]: "x", [`${PROJECT}/.git/config`]: config },
    clock.now,
  );
  const world = await openWorld({
    ...{ clock, files, get: server.getFor("https://api.github.com"), layers: autoMemory },
    options: { recall: { entities: { background } } },
  });
  const session = createSession(clock);
  return {
    ...{ world, session },
    /** The text after a message with these words, once all background work is done. */
    async say(text: string): Promise<string> {
      session.user(text);
      const sent = await world.request(session.messages);
      await world.strata.idle();
      session.answer([], { text: "ok" });
      return added(sent.at(-1));
    },
  };
}

describe("an issue that a message names", () => {
  it("an issue that a message names is looked up in the background, and shown once from the next message on", async () => {
    await using server = await startForgeServer({ [ISSUE_34]: gitHubIssue(34) });
    const { say, session, world } = await open(server, { background: true });
    expect(await say("what about #34?")).toBe("");
    expect(server.requests.map(({ path }) => path)).toEqual([ISSUE_34]);
    const shown = await say("#34 again");
    expect(shown).toContain(LINE);
    expect(shown).toMatch(/^\[Strata\] What GitLab or GitHub said .* data, no request\.\n/);
    expect(await say("and #34")).toBe("");
    const before = bytesOf(await world.request(session.messages));
    expect(bytesOf(await (await world.restart()).request(session.messages))).toEqual(before);
    expect(server.requests).toHaveLength(1);
  });

  it("an issue is not looked up unless the user has allowed it", async () => {
    await using server = await startForgeServer({ [ISSUE_34]: gitHubIssue(34) });
    const { say, world } = await open(server, { background: false });
    expect([await say("#34"), await say("#34")]).toEqual(["", ""]);
    expect(server.requests).toEqual([]);
    expect([...world.files.contents.keys()].filter((path) => path.endsWith("entities.json"))).toEqual([]);
  });
});
