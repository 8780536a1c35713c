/**
 * `npm run bench:megabyte [-- PATTERN]`: how long a text of one megabyte holds the thread of the host, in milliseconds.
 *
 * Each text comes once through every place that text comes from, in the whole plugin on a real disk. What it takes
 * without a pause counts, background work too. Prints the worst text of each place, and every one above 50 ms. PATTERN:
 * only the texts whose name it matches; all take an hour.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stack } from "../../layers/index.js";
import { systemClock as clock } from "../../src/io/clock.js";
import type { ToolPart } from "../../src/io/message.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createStrata } from "../../src/strata.js";
import type { FakeClock } from "../support/fake-clock.js";
import { createFakeHost } from "../support/fake-host.js";
import { bindTestHooks } from "../support/hooks.js";
import { call, lines } from "../support/messages.js";
import { SAID, SECRETS } from "../support/parsers/parser.js";
import { createSession, MODEL } from "../support/session.js";
import { type Shape, shapes } from "../support/shapes.js";

const SIZE = 1_000_000;
const MOST_MS = 50;
const sessionID = "ses_1";

const repeat = (piece: string): string => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);
const all: readonly Shape[] = [
  { name: "what people say", make: () => repeat(`${SAID}\n`) },
  { name: "secrets", make: () => repeat(`${SECRETS}\n`) },
  { name: "lines", make: () => lines(40_000) },
  ...shapes,
];
const pattern = new RegExp(process.argv[2] ?? "");
const texts = all.filter(({ name }) => pattern.test(name));

/** Where a text comes from: the user, the model's answer, a tool's output, its error, its input, a file of the memory. */
const PLACES = ["user", "answer", "output", "error", "input", "memory"] as const;

/** Of each tick of the event loop, the smaller of its time and its processor time: another process may have had the core. */
function watchTicks() {
  let longest = 0;
  let isOn = true;
  let begun = { ms: performance.now(), cpu: process.cpuUsage() };
  const tick = (): void => {
    const { system, user } = process.cpuUsage(begun.cpu);
    longest = Math.max(longest, Math.min(performance.now() - begun.ms, (system + user) / 1_000));
    begun = { ms: performance.now(), cpu: process.cpuUsage() };
    if (isOn) setImmediate(tick);
  };
  setImmediate(tick);
  return {
    stop(): number {
      isOn = false;
      return longest;
    },
  };
}

/** Two turns with one call. @returns the longest tick, in milliseconds */
async function play(place: (typeof PLACES)[number], text: string): Promise<number> {
  const project = mkdtempSync(join(tmpdir(), "strata-megabyte-"));
  const memory = join(project, ".opencode", "memory", "decision");
  mkdirSync(memory, { recursive: true });
  if (place === "memory") writeFileSync(join(memory, "large.md"), `---\ntype: decision\n---\n${text}\n`);
  const host = { ...createFakeHost([]), project, directory: project, stateFolder: join(project, "state") };
  const session = createSession({ ...clock, advance() {} } as FakeClock);
  host.messages.set(sessionID, session.messages);
  host.sessions.set(sessionID, clock.now());
  const strata = await createStrata({ clock, files, host, readVariable: () => undefined }, stack);
  const hooks = bindTestHooks(strata).hooks as Record<string, ((...given: unknown[]) => unknown) | undefined>;
  const tell = async (name: string, ...given: unknown[]): Promise<unknown> => hooks[name]?.(...given);
  const tellEvent = (type: string, properties: unknown) => tell("event", { event: { type, properties } });
  const request = () => tell("experimental.chat.messages.transform", {}, { messages: [...session.messages] });
  const limit = { context: 200_000, output: 8_000 };
  const model = { id: MODEL.modelID, providerID: MODEL.providerID, limit };
  const turn = async (said: string): Promise<void> => {
    const { info, parts } = session.user(said);
    await tell("chat.message", { sessionID, agent: "build" }, { message: info, parts });
    await tell("chat.params", { sessionID, agent: "build", model }, {});
    await request();
  };

  const ticks = watchTicks();
  await tellEvent("session.created", { info: { id: sessionID } });
  await turn(place === "user" ? text : "Port the parser. Never run `git push --force` on main.");
  const command = place === "input" ? text : "seq 1 9";
  const metadata = { exit: place === "error" ? 1 : 0 };
  const known = { tool: "bash", sessionID, callID: "call_1" };
  const result = { title: "", output: ["output", "error"].includes(place) ? text : "ok", metadata };
  await tell("tool.execute.before", known, { args: { command } });
  await tell("tool.execute.after", { ...known, args: { command } }, result);
  const part: ToolPart = call("bash", result.output, {
    callID: "call_1",
    state: { input: { command }, metadata },
  });
  session.answer([part]);
  await request();
  const { info } = session.answer([], { text: place === "answer" ? text : "Done. The port is next." });
  await tellEvent("message.updated", { info });
  await tellEvent("session.idle", { sessionID });
  await strata.idle();
  await turn("And now? Which port?");
  await strata.idle();
  const longest = ticks.stop();
  await strata.dispose();
  rmSync(project, { recursive: true, force: true });
  return longest;
}

await play("user", "warms the compiler up");
await play("output", repeat("abc\n"));
for (const place of PLACES) {
  let worst = { ms: 0, name: "" };
  for (const { make, name } of texts) {
    const text = make(SIZE);
    // What is slow twice is not a pause of the collector's.
    let ms = await play(place, text);
    if (ms > MOST_MS) ms = Math.min(ms, await play(place, text));
    if (ms > MOST_MS) console.log(`above ${MOST_MS} ms: ${place}, ${name}: ${ms.toFixed(0)}`);
    if (ms > worst.ms) worst = { ms, name };
  }
  console.log(`${place.padEnd(8)} ${worst.ms.toFixed(1).padStart(6)} ms  ${worst.name}`);
}
process.exit(0);
