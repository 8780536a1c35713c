/**
 * Slash commands in OpenCode 2. A command runs our code; its answer is added to the session as a synthetic message that
 * wakes no model, and the context hook leaves it out of every request. A message that is added while the model works is
 * delivered to it at the end, by one more request that nobody asked for: such an answer waits for the end of the turn.
 */

import { isRecord } from "../../base/records.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Log } from "../../io/log.js";
import type { SlashCommand } from "../../kernel/slash-command.js";
import { answerCommand } from "../command-answers.js";
import type { SyntheticInput, TheirCommand } from "./contract.js";
import { ANSWER_METADATA } from "./stored.js";

export interface CommandsOptions {
  clock: Clock;
  log: Log;
  answers: Answers;
  /** The host's `command.list`; absent if it is not offered. */
  list: (() => unknown) | undefined;
}

const WITHIN_MS = 5_000;

export interface Answers {
  /** Shows it now, or after the turn under way. Resolves with whether the host took it; never rejects. */
  show(message: SyntheticInput): Promise<boolean>;
  /** A turn begins, or ends. */
  noteTurn(sessionID: string, isAtWork: boolean): void;
}

/** `synthetic` is the host's `session.synthetic`; absent if it is not offered. */
export function createAnswers(
  clock: Clock,
  synthetic: ((input: SyntheticInput) => unknown) | undefined,
): Answers {
  /** What waits, by the sessions at work. */
  const atWork = new Map<string, SyntheticInput[]>();
  const send = async (message: SyntheticInput): Promise<boolean> =>
    synthetic !== undefined && (await waitAtMost(clock, WITHIN_MS, () => synthetic(message))).kind === "done";
  return {
    async show(message) {
      const waiting = synthetic && atWork.get(message.sessionID);
      if (!waiting) return send(message);
      waiting.push(message);
      return true;
    },
    noteTurn(sessionID, isAtWork) {
      const waiting = atWork.get(sessionID) ?? [];
      if (isAtWork) return void atWork.set(sessionID, waiting);
      atWork.delete(sessionID);
      for (const message of waiting) void send(message);
    },
  };
}

/** The commands to add. A user's own command of the same name stays. Never rejects. */
export async function formatCommands(
  commands: readonly SlashCommand[],
  { answers, clock, list, log }: CommandsOptions,
): Promise<TheirCommand[]> {
  const taken = await readNames();
  return commands.filter(({ name }) => !taken.has(name)).map(format);

  async function readNames(): Promise<Set<unknown>> {
    if (!list) return new Set();
    const waited = await waitAtMost(clock, WITHIN_MS, list);
    const all = waited.kind === "done" && isRecord(waited.value) ? waited.value.data : [];
    return new Set((Array.isArray(all) ? all : []).map((one) => (isRecord(one) ? one.name : undefined)));
  }

  function format(command: SlashCommand): TheirCommand {
    return {
      name: command.name,
      description: command.description,
      async execute({ prompt, sessionID }) {
        const words = typeof prompt?.text === "string" ? prompt.text : "";
        const text = await answerCommand({ clock, log }, command, { sessionID, words });
        // People see the description, models the text.
        const message = { sessionID, text: `/${command.name}`, description: text };
        if (!(await answers.show({ ...message, metadata: ANSWER_METADATA, resume: false }))) {
          // The host shows the message of an error, which is all that is left to show it with.
          throw new Error(text);
        }
      },
    };
  }
}
