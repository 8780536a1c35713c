import { it } from "vitest";
import type { ToolPart } from "../../src/io/message.js";
import { bindTestHooks } from "../support/hooks.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { call, lines } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { trapFiles } from "../support/trapped-files.js";
import { openWorld, type WorldOptions } from "../support/world.js";

const SESSION = "ses_1";
type Hook = (...given: unknown[]) => unknown;

/** Plays a session as the host does, with a disk that can be stopped. */
async function openSession(given: WorldOptions = {}) {
  const files = trapFiles(createMemoryFiles(), () => false);
  const world = await openWorld({ ...given, wrap: () => files });
  const hooks = bindTestHooks(world.strata).hooks as unknown as Record<string, Hook>;
  const session = createSession(world.clock, SESSION);
  world.host.messages.set(SESSION, session.messages);
  let sent = 20_000;
  const event = (type: string, properties: unknown) => hooks.event?.({ event: { type, properties } });
  return {
    files,
    request: () => hooks["experimental.chat.messages.transform"]?.({}, { messages: [...session.messages] }),

    async say(text: string): Promise<void> {
      const { info, parts } = session.user(text);
      await hooks["chat.message"]?.({ sessionID: SESSION, agent: "build" }, { message: info, parts });
    },

    /** A call, and its result. */
    async work(tool: string, input: ToolPart["state"]["input"]): Promise<void> {
      const callID = `call_${session.messages.length}`;
      await hooks["tool.execute.before"]?.({ tool, sessionID: SESSION, callID }, { args: { ...input } });
      const part = call(tool, lines(20 + session.messages.length), { callID, state: { input: input ?? {} } });
      const { info } = session.answer([part], { sent, cached: sent - 500 });
      sent += 500;
      await event("message.part.updated", { sessionID: SESSION, part });
      await event("message.updated", { info });
      await world.strata.idle();
    },
  };
}

it("a request that has nothing to record waits for no file, as what others may have changed was looked at when the tool ended", async () => {
  const { files, request, say, work } = await openSession();
  await say("Say what is wrong with the parser.");
  await request();
  await work("read", { filePath: "src/first.ts" });
  await request();
  for (let n = 0; n < 20; n++) {
    await work("read", { filePath: `src/part-${n}.ts` });
    files.hang(1);
    await request();
    files.release();
  }
});
