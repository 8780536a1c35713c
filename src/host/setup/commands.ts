/**
 * Slash commands in OpenCode 2. A command runs our code; its answer is added to the session as a synthetic message that
 * wakes no model, and the context hook leaves it out of every request.
 */
import type { SlashCommand } from "../../dispatcher/slash-command.js";
import type { Log } from "../../record/log.js";
import { isRecord } from "../../records.js";
import { type Clock, waitAtMost } from "../../seams/clock.js";
import { answerCommand } from "../command-answers.js";
import type { SyntheticInput, TheirCommand } from "./contract.js";
import { ANSWER_METADATA } from "./stored.js";

export interface CommandsOptions {
  clock: Clock;
  log: Log;
  /** The host's `session.synthetic`; absent if it is not offered. */
  synthetic: ((input: SyntheticInput) => unknown) | undefined;
  /** The host's `command.list`; absent if it is not offered. */
  list: (() => unknown) | undefined;
}

const WITHIN_MS = 5_000;

/** The commands to add. A user's own command of the same name stays. Never rejects. */
export async function formatCommands(
  commands: readonly SlashCommand[],
  { clock, list, log, synthetic }: CommandsOptions,
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
        if (!(await show(sessionID, command.name, text))) {
          // The host shows the message of an error, which is all that is left to show it with.
          throw new Error(text);
        }
      },
    };
  }

  async function show(sessionID: string, name: string, text: string): Promise<boolean> {
    if (!synthetic) return false;
    // People see the description, models the text.
    const message = {
      ...{ sessionID, text: `/${name}`, description: text },
      ...{ metadata: ANSWER_METADATA, resume: false },
    };
    return (await waitAtMost(clock, WITHIN_MS, () => synthetic(message))).kind === "done";
  }
}
