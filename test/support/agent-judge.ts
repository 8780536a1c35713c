import { bindTools } from "../../src/host/commands-and-tools.js";
import type { Message } from "../../src/io/message.js";
import { KEEP_TOOL, QUESTION_HEAD } from "../../src/memory/candidates/candidate.js";
import { createFakeHost, PROJECT } from "../support/fake-host.js";
import { createSession } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

export const SESSION = "ses_1";

export interface Opened {
  world: World;
  host: ReturnType<typeof createFakeHost>;
  session: ReturnType<typeof createSession>;
}

export async function open(judge: string, given: Partial<Opened> = {}): Promise<Opened> {
  const host = given.host ?? createFakeHost();
  const world = given.world ?? (await openWorld({ host, options: { autoMemory: { judge } } }));
  return { host, world, session: createSession(world.clock, SESSION) };
}

export const event = ({ strata }: World, type: string, properties: Record<string, unknown>) =>
  strata.dispatcher.ask("event", { type, properties }, undefined);

/** Plays a turn as the host does; the request of the user's message as it is sent. */
export async function say({ host, session, world }: Opened, text: string): Promise<readonly Message[]> {
  const { sessionID = "" } = session.messages[0]?.info ?? { sessionID: SESSION };
  await world.strata.dispatcher.ask("turn", { sessionID } as never, undefined);
  session.user(text);
  host.messages.set(sessionID, [...session.messages]);
  await world.strata.idle();
  const sent = await world.request(session.messages);
  session.answer([], { text: "Understood." });
  host.messages.set(sessionID, [...session.messages]);
  await event(world, "session.idle", { sessionID });
  await world.strata.idle();
  return sent;
}

export const questionIn = (view: readonly Message[]): string | undefined =>
  view
    .at(-1)
    ?.parts.map(({ text = "" }) => text)
    .find((text) => text.includes(QUESTION_HEAD));

export async function keep(
  { world }: Pick<Opened, "world">,
  letters: string,
  sessionID = SESSION,
): Promise<string> {
  const { clock, dispatcher, log } = world.strata;
  const bound = bindTools(dispatcher.tools, { clock, log })[KEEP_TOOL];
  const context = { sessionID, messageID: "msg_a", callID: "c", abort: new AbortController().signal };
  return (bound?.execute({ letters } as never, context as never) ?? Promise.resolve("no such tool")).then(
    String,
    (thrown: Error) => `refused: ${thrown.message}`,
  );
}

export const pages = ({ files }: World): string[] =>
  [...files.contents]
    .filter(([path]) => path.startsWith(`${PROJECT}/.opencode/memory/`) && /\/\w+\/[^/]+\.md$/.test(path))
    .map(([, bytes]) => bytes.toString());
