import { expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { user } from "../support/messages.js";
import { openWorld } from "../support/world.js";

const MEMORY = `${PROJECT}/.opencode/memory`;
const FILE = `${MEMORY}/idea/mine.md`;

it("a file removed by OpenCode's undo comes back, even if the disk fails when the undo is reported", async () => {
  const world = await openWorld();
  world.files.contents.set(FILE, Buffer.from("# Mine\n\nUse a cache some day.\n"));
  world.host.messages.set("ses_1", [user("hello")]);
  await world.request([user("hello")]);
  await world.strata.idle();
  expect([...world.files.contents.keys()].some((path) => path.startsWith(`${MEMORY}/ledger/`))).toBe(true);
  world.clock.advance(300_000);

  const { read } = world.files;
  world.files.contents.delete(FILE);
  world.files.read = (path) =>
    path.startsWith(`${MEMORY}/ledger/`) ? Promise.reject(new Error("EIO: i/o error")) : read(path);
  const info = { id: "ses_1", revert: { messageID: "msg_1" } };
  await world.strata.dispatcher.ask("event", { type: "session.updated", properties: { info } }, undefined);
  await world.strata.idle();
  expect(world.files.contents.has(FILE)).toBe(false);

  world.files.read = read;
  world.clock.advance(5_000);
  await world.strata.idle();
  expect(world.files.text(FILE)).toBe("# Mine\n\nUse a cache some day.\n");
});
