/** What a session's work showed: a command that worked after failures, a proposal that the user agreed to. Pure. */
import type { Message } from "../../../src/io/message.js";
import { toCode, toLine } from "../../../src/text/text.js";
import { readCommands } from "../extraction/read-turns.js";
import { simplifyCommand } from "../extraction/repeated-commands.js";
import { readAgreed } from "../said/find-agreed.js";
import type { UsersMessage } from "../words/own-words.js";

export interface Work {
  /** For a judge: "`npm test -- --run` worked after 2 failures". */
  line: string;
  message: string;
  atMs: number;
}

const MOST_FOUND = 8;
const LONGEST_COMMAND = 160;

export function findWork(messages: readonly Message[], said: readonly UsersMessage[]): Work[] {
  return [...findMended(messages), ...findAgreements(said)].slice(-MOST_FOUND);
}

/** Commands that worked after others that begin alike had failed. */
function findMended(messages: readonly Message[]): Work[] {
  const failed = new Map<string, number>();
  return messages.flatMap((message) =>
    readCommands(message).flatMap(({ atMs, command, hasSucceeded }): Work[] => {
      if (simplifyCommand(command) === undefined) return [];
      const [program = ""] = command.trim().split(/\s/);
      if (!hasSucceeded) {
        failed.set(program, (failed.get(program) ?? 0) + 1);
        return [];
      }
      const failures = failed.get(program) ?? 0;
      failed.delete(program);
      const after = failures === 1 ? "a failure" : `${failures} failures`;
      return failures === 0
        ? []
        : [
            {
              line: `${toCode(command, LONGEST_COMMAND)} worked after ${after}`,
              message: message.info.id,
              atMs,
            },
          ];
    }),
  );
}

/** Questions of the agent's that the user said yes to. */
function findAgreements(said: readonly UsersMessage[]): Work[] {
  return said.flatMap((message): Work[] => {
    const question = readAgreed(message);
    if (question === undefined) return [];
    const line = `the agent asked "${question}", the user said "${toLine(message.text, 40)}"`;
    return [{ line, message: message.id, atMs: message.atMs ?? 0 }];
  });
}
