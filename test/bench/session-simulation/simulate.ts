/**
 * Plays a recorded session in this process, in seconds: the same agent, the same plugin, the same prompt cache and the
 * same files as `replay`, with a host that is simulated. Requests are the same to the byte, but for the host's own
 * summaries, which are near.
 *
 *     const opening = await readOpening([session], { hostTools: await readHostTools(), plugin: withStrata });
 *     const strata = await simulate(session, { opening, plugin: withStrata, options: { microCompact: { horizon: 20 } } });
 *
 * A change in the sources counts at once; a change in the tools or the system prompt with the next build.
 */
import { join } from "node:path";
import type { Message } from "../../../src/io/message.js";
import { readRecords } from "../../host/stage/break-reasons.js";
import { createProject } from "../../host/stage/project.js";
import { createPromptCache } from "../../host/stage/prompt-cache.js";
import { costOf, modelOf } from "../../sessions/prices.js";
import { applyCall } from "../../sessions/project-files.js";
import { createRecordedAgent } from "../../sessions/recorded-agent.js";
import { type RecordedAnswer, toAnswer } from "../../sessions/recorded-answers.js";
import type { RecordedCall, RecordedSession } from "../../sessions/recorded-session.js";
import { createRecordedClock, type ReplayOptions, steadyClock, sumClaims } from "../../sessions/replay.js";
import type { Replay } from "../../sessions/request-record.js";
import { planScript } from "../../sessions/script.js";
import { SESSION, USUAL_MODEL } from "./host-messages.js";
import { planOpening, type SeenOpening } from "./opening.js";
import { createSimulatedHost } from "./simulated-host.js";
import { noPlugin, openSimulatedPlugin } from "./simulated-plugin.js";

export interface SimulationOptions extends Omit<ReplayOptions, "tools"> {
  /** From `readOpening`, with the same plugin. */
  opening: SeenOpening;
}

export async function simulate(session: RecordedSession, given: SimulationOptions): Promise<Replay> {
  const startedMs = performance.now();
  const { plugin: path, window = 200_000, hasPauses = false, options = {} } = given;
  const project = await createProject();
  try {
    const folder = project.path;
    const turns = planScript(session, folder);
    const clock = hasPauses
      ? createRecordedClock(session.turns[0]?.at ?? 0, join(project.root, "recorded-clock"))
      : steadyClock;
    const now = createTicking(clock.now);
    const calls = new Map<string, RecordedCall>();
    const agent = createRecordedAgent({
      turns,
      folder,
      clock,
      onCall: (callID, call) => void calls.set(callID, call),
    });
    agent.enter(SESSION);
    const messages: Message[] = [];
    const plugin =
      path === undefined ? noPlugin : await openSimulatedPlugin({ project, now, messages, options });
    const host = createSimulatedHost({
      opening: planOpening(given.opening, session, folder),
      window,
      model: given.model ? modelOf(given.model) : USUAL_MODEL,
      cost: given.model && costOf(given.model),
      messages,
      plugin,
      cache: createPromptCache({ now }),
      now,
      respond: agent.respond,
      run(callID, tool, args) {
        const answer = runCall(calls.get(callID), { tool, args, folder });
        agent.wait();
        return answer;
      },
    });
    for (const [index, turn] of turns.entries()) {
      clock.reach(turn.at);
      agent.begin(index);
      await host.ask(turn.user);
      if (!agent.isTurnOver())
        throw new Error(`turn ${index + 1} ended before all recorded answers were given`);
      given.onTurn?.(index + 1, turns.length);
    }
    await plugin.close();
    const ledger = readRecords(project.file(".opencode/strata"));
    const times = { seconds: (performance.now() - startedMs) / 1_000, hookSeconds: plugin.hookMs() / 1_000 };
    return { id: session.id, ...agent.close(), claimed: sumClaims(ledger), ledger, ...times };
  } finally {
    await project.remove();
  }
}

/** A clock of which no two readings are the same, as the messages of a session need. */
function createTicking(now: () => number): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + 1, now());
    return last;
  };
}

interface Made {
  tool: string;
  args: Record<string, unknown>;
  folder: string;
}

function runCall(call: RecordedCall | undefined, { tool, args, folder }: Made): RecordedAnswer {
  if (!call) throw new Error(`a call of ${tool} that is not recorded`);
  // The host keeps todos itself and answers with the list.
  if (tool === "todowrite") return { result: JSON.stringify(args.todos ?? [], null, 2), isError: false };
  applyCall(call, folder);
  return toAnswer(call);
}
