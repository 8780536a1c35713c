/** Whatever the way in, a memory is compared and checked for conflicts in the same way. */
import { expect, it } from "vitest";
import { bindTools } from "../../src/host/commands-and-tools.js";
import { createFakeHost, PROJECT } from "../support/fake-host.js";
import { createSession } from "../support/session.js";
import { runStrata } from "../support/shell.js";
import { openWorld, type World } from "../support/world.js";

const MEMORY = `${PROJECT}/.opencode/memory`;
const OLD = "From now on, the staging server listens on port 8080.";
const NEW = "From now on, the staging server listens on port 9090.";

/** Says a sentence in a session, and has it extracted. */
async function sayInChat(world: World, text: string): Promise<void> {
  const session = createSession(world.clock);
  (world.host as ReturnType<typeof createFakeHost>).messages.set("ses_1", session.messages);
  const { dispatcher } = world.strata;
  await dispatcher.ask("turn", { sessionID: "ses_1" } as never, undefined);
  await world.strata.idle();
  session.user(text);
  session.answer([], { text: "done" });
  await dispatcher.ask("event", { type: "session.idle", properties: { sessionID: "ses_1" } }, undefined);
  await world.strata.idle();
}

const ways: [name: string, keep: (world: World) => Promise<unknown>][] = [
  ["the extraction", (world) => sayInChat(world, NEW)],
  [
    "/remember",
    async ({ strata }) => {
      const command = strata.dispatcher.commands.find(({ name }) => name === "remember");
      return command?.execute(
        { sessionID: "ses_1", words: `directive: ${NEW}` },
        new AbortController().signal,
      );
    },
  ],
  ["strata remember", (world) => runStrata(world.files, `remember --type directive ${NEW}`)],
  [
    "memory_remember",
    async (world) => {
      const session = createSession(world.clock);
      (world.host as ReturnType<typeof createFakeHost>).messages.set("ses_1", session.messages);
      session.user(NEW);
      const { clock, dispatcher, log } = world.strata;
      const context = {
        sessionID: "ses_1",
        messageID: "m",
        callID: "c",
        abort: new AbortController().signal,
      };
      const args = { type: "directive", content: NEW };
      return bindTools(dispatcher.tools, { clock, log }).memory_remember?.execute(
        args as never,
        context as never,
      );
    },
  ],
];

/** The memories' files: status and content. */
function readStates({ files }: World): string[] {
  return [...files.contents.keys()]
    .filter((path) => path.startsWith(`${MEMORY}/directive/`))
    .map((path) => files.text(path) ?? "")
    .map((text) => `${/status: (\w+)/.exec(text)?.[1] ?? "active"} ${/port (\d+)/.exec(text)?.[1]}`)
    .sort();
}

it.each(ways)("what comes by %s supersedes what it contradicts", async (_, keep) => {
  const host = createFakeHost();
  const world = await openWorld({ host });
  await runStrata(world.files, `remember --type directive ${OLD}`, { clock: world.clock });
  world.clock.advance(60_000);
  await keep(world);
  await world.strata.idle();
  expect(readStates(world)).toEqual(["active 9090", "superseded 8080"]);
});
