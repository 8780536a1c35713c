/** A session with unfinished work, and what people do with it: checkpoint, attach, refresh. */
import { PROJECT, STATE } from "./fake-host.js";
import { call } from "./messages.js";
import { textOf } from "./pair.js";
import { createSession, type Session } from "./session.js";
import { runStrata } from "./shell.js";
import { openWorld, type World } from "./world.js";

export const SECRET = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);

/** A session that has begun the parser. */
export async function openWorker(given?: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(given);
  await world.files.writeWhole(`${PROJECT}/plan.md`, `1. lexer\n2. emitter, with ${SECRET}\n`);
  await world.files.writeWhole(`${PROJECT}/src/parser.ts`, "x\n");
  const session = createSession(world.clock);
  session.user("Port the parser. Never use eval.");
  session.answer([
    call("edit", "ok", { state: { input: { filePath: `${PROJECT}/src/parser.ts`, newString: "x" } } }),
    call("write", "ok", { state: { input: { filePath: `${PROJECT}/plan.md`, content: "1." } } }),
    call("todowrite", "ok", { state: { input: { todos: [{ content: "emitter", status: "in_progress" }] } } }),
  ]);
  await request(world, session);
  return { world, session };
}

export async function request(world: World, { messages }: Session) {
  const shown = await world.request([...messages]);
  await world.strata.idle();
  return shown;
}

export async function type(world: World, name: string, words = "", sessionID = "ses_1"): Promise<string> {
  const command = world.strata.dispatcher.commands.find((one) => one.name === name);
  const said = await command?.execute({ sessionID, words }, new AbortController().signal);
  await world.strata.idle();
  return said ?? "";
}

export const strata = ({ clock, files }: World, line: string, env: Record<string, string> = {}) =>
  runStrata(files, line, { clock, env });

export const kept = ({ files }: World): string[] =>
  [...files.contents.keys()].filter(
    (path) => path.startsWith(`${STATE}/projects/`) && /checkpoint-/.test(path),
  );

export const idIn = (text: string): string => /cp-[0-9a-f]{7}/.exec(text)?.[0] ?? "";

/** A new session and its first request. */
export async function begin(world: World, sessionID: string): Promise<{ session: Session; text: string }> {
  const session = createSession(world.clock, sessionID);
  session.user("Go on.");
  return { session, text: textOf(await request(world, session)) };
}
