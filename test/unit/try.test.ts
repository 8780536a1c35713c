/** `strata try` with sessions that a scripted OpenCode has stored. */
import { describe, expect, it } from "vitest";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { startForgeServer } from "../support/forge-server.js";
import { call, lines } from "../support/messages.js";
import { createSession, MODEL, type Session } from "../support/session.js";
import { runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";

type Step = (session: Session, n: number) => void;

const works: Step = (session, n) =>
  session.answer([call("task", `${n} ${lines(200)}`)], { sent: 9_000 + 3_000 * n });
const fails: Step = (session) => session.answer([], { info: { error: { name: "APIError" } } });

/** What `strata try` prints of these sessions, each of so many steps, and what it has written. */
async function tryPast(held: Record<string, [steps: number, step: Step]>, settings = {}) {
  const clock = createFakeClock();
  const config = JSON.stringify({ memory: settings });
  const files = openRepository({ "/home/me/.config/opencode/opencode.json": config }, clock.now);
  const place = `directory=${encodeURIComponent(PROJECT)}`;
  const cost = { input: 3, output: 15, cache: { read: 0.3, write: 3.75 } };
  const models = { m: { id: MODEL.modelID, limit: { context: 200_000, output: 8_000 }, cost } };
  const infos = Object.keys(held).map((id, at) => ({
    ...{ id, directory: PROJECT, title: id, time: { created: at } },
  }));
  const messagesOf = ([steps, step]: [number, Step], id: string) => {
    const session = createSession(clock, id);
    session.user(`Port ${id}.`);
    for (let n = 0; n < steps; n++) step(session, n);
    return session.messages;
  };
  await using server = await startForgeServer({
    [`/session?limit=100000&${place}`]: { body: infos },
    [`/command?${place}`]: { body: [] },
    [`/config/providers?${place}`]: { body: { providers: [{ id: MODEL.providerID, models }] } },
    ...Object.fromEntries(
      Object.entries(held).flatMap(([id, given], at) => [
        [`/session/${id}?${place}`, { body: infos[at] }],
        [`/session/${id}/message?${place}`, { body: messagesOf(given, id) }],
      ]),
    ),
  });
  const before = [...files.contents.keys()];
  const ran = await runStrata(files, `try --server ${server.url}`, { clock });
  return { ...ran, written: [...files.contents.keys()].filter((path) => !before.includes(path)) };
}

describe("strata try", () => {
  it("strata try says what the sessions would have cost, and writes nothing", async () => {
    const { code, err, out, written } = await tryPast({ ses_a: [40, works] });
    expect([code, err, written]).toEqual([0, "", []]);
    expect(out).toMatch(
      /^Your last 1 session would have cost \d+ % less with Strata: \$\S+ instead of \$\S+\.$/m,
    );
    expect(out).toMatch(/^ {2}Port ses_a\. {2}40 requests {2}\$\S+ → \$\S+ {2}\d+ % less$/m);
  });

  it("strata try skips a session whose answers all failed, and says so", async () => {
    const { code, err, out } = await tryPast({ ses_a: [12, fails] });
    expect([code, out, err]).toEqual([
      0,
      "No session was played.",
      "Skipped  1 session of fewer than 10 requests: nothing is cleared so early",
    ]);
  });

  it("strata try skips sessions that are paid for by the request, and says so", async () => {
    const { err, out } = await tryPast({ ses_a: [12, works] }, { prices: { "*": "requests" } });
    expect([out, err]).toEqual([
      "No session was played.",
      "Skipped  1 session: paid for by the request, as `prices` says, whatever its size",
    ]);
  });
});
