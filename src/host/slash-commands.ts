/**
 * Slash commands that are answered at once, without a model call (measured with OpenCode 1.18.33):
 *
 *     config                    the command is added to the host's list, unless the user has one of that name
 *     command.execute.before    the answer is put into the session as a message that is shown and not sent (`noReply`,
 *                               `ignored`); then the hook throws, which ends the command before it becomes a turn
 *
 * The screen shows the answer and nothing of what was thrown; a program that asks over HTTP gets a 500 and finds the
 * answer among the messages. While a turn is under way a message in the session would make the host ask the model
 * once more, so the answer waits for the end of the turn.
 */

import type { SlashCommand } from "../dispatcher/slash-command.js";
import { formatError, StrataError } from "../error.js";
import { toPrintable } from "../printable.js";
import type { Log } from "../record/log.js";
import { isRecord } from "../records.js";
import { type Clock, waitAtMost } from "../seams/clock.js";

export interface SlashCommands {
  /** Adds them to the host's own configuration. Never throws. */
  register(config: unknown): void;
  /** Answers one of ours, by throwing `CommandAnswered`; returns where it is somebody else's or cannot be shown. */
  answer(call: CommandCall, parts: unknown[]): Promise<void>;
  /** Follows which sessions are busy. */
  notice(type: string, properties: unknown): void;
}

export interface CommandCall {
  command: string;
  sessionID: string;
  arguments: string;
}

export interface SlashCommandsOptions {
  commands: readonly SlashCommand[];
  clock: Clock;
  log: Log;
  /** Puts a message into the session that is shown and not sent; whether it could. */
  show(sessionID: string, text: string): Promise<boolean>;
  toast(text: string): void;
}

/** Thrown to end a command that has been answered. No failure. */
export class CommandAnswered extends Error {
  override readonly name = "CommandAnswered";
  constructor(command: string) {
    super(`[Strata] /${command} has been answered, no model was asked. This is no failure.`);
  }
}

const DEADLINE_MS = 5_000;

export function createSlashCommands({
  commands,
  clock,
  log,
  show,
  toast,
}: SlashCommandsOptions): SlashCommands {
  const registered = new Map<string, SlashCommand>();
  const busy = new Set<string>();
  const waiting = new Map<string, string[]>();

  return {
    register(config) {
      if (!isRecord(config)) return;
      const users = isRecord(config.command) ? config.command : {};
      const added: Record<string, unknown> = {};
      for (const command of commands) {
        if (users[command.name] !== undefined) continue;
        registered.set(command.name, command);
        added[command.name] = { template: "$ARGUMENTS", description: command.description };
      }
      if (Object.keys(added).length > 0) Reflect.set(config, "command", { ...users, ...added });
    },

    async answer({ arguments: words, command: name, sessionID }, parts) {
      const command = registered.get(name);
      if (!command) return;
      const text = toPrintable(await execute(command, sessionID, words));
      if (busy.has(sessionID)) {
        waiting.set(sessionID, [...(waiting.get(sessionID) ?? []), text]);
        toast(`the answer to /${name} is shown when this turn is over.`);
        throw new CommandAnswered(name);
      }
      if (await show(sessionID, text)) throw new CommandAnswered(name);
      log.warn(
        "commands",
        `the answer to /${name} cannot be shown by itself, the model is asked to repeat it`,
      );
      const request = `Repeat this to the user word for word, and do nothing else:\n\n${text}`;
      parts.splice(0, parts.length, { type: "text", text: request });
    },

    notice(type, properties) {
      if (!isRecord(properties) || typeof properties.sessionID !== "string") return;
      const { sessionID, status } = properties;
      if (type === "session.status" && isRecord(status) && status.type !== "idle") busy.add(sessionID);
      if (type !== "session.idle" && type !== "session.deleted") return;
      busy.delete(sessionID);
      const texts = waiting.get(sessionID);
      waiting.delete(sessionID);
      if (texts && type === "session.idle") void show(sessionID, texts.join("\n\n"));
    },
  };

  async function execute(command: SlashCommand, sessionID: string, words: string): Promise<string> {
    const { deadlineMs = DEADLINE_MS, name } = command;
    const waited = await waitAtMost(clock, deadlineMs, (signal) =>
      command.execute({ sessionID, words }, signal),
    );
    if (waited.kind === "done") return `[Strata] /${name}\n${waited.value}`;
    if (waited.kind === "overran") return `[Strata] /${name} did not end within ${deadlineMs} ms. Try again.`;
    const { thrown } = waited;
    if (thrown instanceof StrataError) return `[Strata] /${name}: ${thrown.message}`;
    log.error("commands", `/${name} failed: ${formatError(thrown)}`);
    return `[Strata] /${name} failed: ${formatError(thrown)}. More in .opencode/strata/strata.log`;
  }
}
