/**
 * Slash commands answered at once, without a model call (measured with OpenCode 1.18.33):
 *
 *     config                    adds the command to the host's list, unless the user has one of that name
 *     command.execute.before    adds the answer to the session as a message that is shown but not sent (`noReply`,
 *                               `ignored`), then throws, which ends the command before it becomes a turn
 *
 * The TUI shows the answer and not the exception; an HTTP client gets a 500 and finds the answer among the messages.
 * During a turn a new message would make the host call the model once more, so the answer waits for the turn's end.
 */

import { isRecord } from "../../base/records.js";
import type { Clock } from "../../io/clock.js";
import type { Log } from "../../io/log.js";
import type { SlashCommand } from "../../kernel/slash-command.js";
import { answerCommand } from "../command-answers.js";

export interface SlashCommands {
  /** Adds the commands to the host's configuration. Never throws. */
  register(config: unknown): void;
  /** Answers one of our commands by throwing `CommandAnswered`. Returns if it is not ours or cannot be shown. */
  answer(call: CommandCall, parts: unknown[]): Promise<void>;
  /** Tracks which sessions are busy. */
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
  /** Adds a message to the session that is shown but not sent. Returns whether it succeeded. */
  show(sessionID: string, text: string): Promise<boolean>;
  toast(text: string): void;
}

/** Thrown to end an answered command; not an error. */
export class CommandAnswered extends Error {
  override readonly name = "CommandAnswered";
  constructor(command: string) {
    super(`[Strata] /${command} was answered without a model call. This is not an error.`);
  }
}

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
      const text = await answerCommand({ clock, log }, command, { sessionID, words });
      if (busy.has(sessionID)) {
        waiting.set(sessionID, [...(waiting.get(sessionID) ?? []), text]);
        toast(`the answer to /${name} appears when this turn ends.`);
        throw new CommandAnswered(name);
      }
      if (await show(sessionID, text)) throw new CommandAnswered(name);
      log.warn("commands", `the host did not show the answer to /${name}; asking the model to repeat it`);
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
}
