/** Carries out the layers' slash commands and tools for OpenCode 1 and 2, in bounded time. */
import type { Hooks, ToolDefinition } from "@opencode-ai/plugin";
import type { z } from "zod";
import { formatError, StrataError } from "../base/error.js";
import { toPrintable } from "../base/printable.js";
import { isRecord } from "../base/shape.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import type { Log } from "../io/log.js";
import { formatParameters, type SlashCommand, type Tool } from "../kernel/layer.js";

type Use = { clock: Clock; log: Log };

const COMMAND_DEADLINE_MS = 5_000;

/** Never rejects: a failure is an answer too. */
export async function answerCommand(
  { clock, log }: Use,
  command: SlashCommand,
  call: { sessionID: string; words: string },
): Promise<string> {
  const { deadlineMs = COMMAND_DEADLINE_MS, name } = command;
  const waited = await waitAtMost(clock, deadlineMs, (signal) => command.execute(call, signal));
  return toPrintable(format());

  function format(): string {
    if (waited.kind === "done") return `[Strata] /${name}\n${waited.value}`;
    if (waited.kind === "overran")
      return `[Strata] /${name} did not finish within ${deadlineMs} ms. Try again.`;
    const { thrown } = waited;
    if (thrown instanceof StrataError) return `[Strata] /${name}: ${thrown.message}`;
    log.error("commands", `/${name} failed: ${formatError(thrown)}`);
    return `[Strata] /${name} failed: ${formatError(thrown)}. See .opencode/strata/strata.log`;
  }
}

/**
 * A message that is added while the model works makes the host call it once more, which nobody asked for: an answer waits
 * for the end of the turn. `send` never rejects.
 */
export function createAnswers<Message extends { sessionID: string }>(
  send: (message: Message) => Promise<boolean>,
) {
  /** What waits, by the sessions at work. */
  const atWork = new Map<string, Message[]>();
  return {
    /** Shows it now, or after the turn under way. Resolves with whether the host took it; never rejects. */
    async show(message: Message): Promise<boolean> {
      const waiting = atWork.get(message.sessionID);
      waiting?.push(message);
      return waiting ? true : send(message);
    },
    isAtWork: (sessionID: string): boolean => atWork.has(sessionID),
    /** Learns from an event of the host that a turn begins, or ends. */
    notice(type: string, properties: unknown): void {
      if (!isRecord(properties) || typeof properties.sessionID !== "string") return;
      const { sessionID, status } = properties;
      const waiting = atWork.get(sessionID) ?? [];
      if (type === "session.status" && isRecord(status) && status.type !== "idle")
        atWork.set(sessionID, waiting);
      if (type !== "session.idle" && type !== "session.deleted") return;
      atWork.delete(sessionID);
      for (const message of waiting) void send(message);
    },
  };
}

const TOOL_DEADLINE_MS = 10_000;

/** The host passes `callID`, which its types leave out. */
type Context = Parameters<ToolDefinition["execute"]>[1] & { callID?: string };

export function bindTools(tools: readonly Tool[], { clock, log }: Use): Record<string, ToolDefinition> {
  return Object.fromEntries(tools.map((tool) => [tool.name, bind(tool)]));

  function bind(tool: Tool): ToolDefinition {
    const { deadlineMs = TOOL_DEADLINE_MS, description, name, parameters } = tool;
    return {
      description,
      // The host also accepts JSON Schema but requires every argument; `defineTools` says which are optional.
      args: parameters.properties as unknown as ToolDefinition["args"],
      async execute(given: unknown, { abort, callID = "", messageID, sessionID }: Context) {
        const waited = await waitAtMost(clock, deadlineMs, async (signal) => {
          const parsed = (await tool.loadCheck()).safeParse(given);
          if (!parsed.success) return { wrong: parsed.error };
          const call = { tool: name, sessionID, callID, messageID };
          return { text: await tool.execute(parsed.data, call, AbortSignal.any([signal, abort])) };
        });
        if (waited.kind === "done") {
          const { text, wrong } = waited.value;
          if (wrong) throw new Error(formatWrongArguments(name, wrong));
          return text;
        }
        if (waited.kind === "overran")
          throw new Error(`${name} did not answer within ${deadlineMs} ms; try again`);
        if (!(waited.thrown instanceof StrataError))
          log.error("tools", `${name} failed: ${String(waited.thrown)}`);
        throw waited.thrown;
      },
    };
  }
}

/**
 * Gives the host each tool's parameters. The host does not check arguments itself (measured). Shortens its own
 * definitions and notes what that saves, if there is a place for it.
 */
export function defineTools(
  tools: readonly Tool[],
  shortened?: Map<string, number>,
): NonNullable<Hooks["tool.definition"]> {
  let texts: typeof import("./short-definitions.js") | undefined;
  return async ({ toolID }, output) => {
    const tool = tools.find(({ name }) => name === toolID);
    if (shortened && !tool) {
      // Awaited once: the host asks for every tool of every request, and goes on with other work at each wait.
      texts ??= await import("./short-definitions.js");
      const { countSaved, shortenDescription } = texts;
      const short = shortenDescription(toolID, output.description);
      if (short === undefined) return;
      shortened.set(toolID, countSaved(output.description, short));
      output.description = short;
    }
    // The host sends `jsonSchema` if it is set (measured); its types leave it out.
    if (tool) Object.assign(output, { jsonSchema: formatParameters(tool.parameters) });
  };
}

/** Names each wrong argument and says that the tool was not run. */
function formatWrongArguments(name: string, { issues }: z.ZodError): string {
  const wrong = issues.map(({ message, path }) => `${path.join(".") || "arguments"}: ${message}`);
  return `${name} was not run, its arguments do not fit. ${wrong.join("; ")}`;
}
