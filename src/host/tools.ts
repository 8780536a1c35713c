/** The layers' tools as the host calls them: arguments checked, time bounded, failures told to the model. */
import type { ToolDefinition } from "@opencode-ai/plugin";
import type { z } from "zod";
import type { Tool } from "../dispatcher/tool.js";
import { StrataError } from "../error.js";
import type { Log } from "../record/log.js";
import { type Clock, waitAtMost } from "../seams/clock.js";

const DEADLINE_MS = 10_000;

/** What the host adds to its context, which its types leave out. */
type Context = Parameters<ToolDefinition["execute"]>[1] & { callID?: string };

export function bindTools(
  tools: readonly Tool[],
  { clock, log }: { clock: Clock; log: Log },
): Record<string, ToolDefinition> {
  return Object.fromEntries(tools.map((tool) => [tool.name, bind(tool)]));

  function bind(tool: Tool): ToolDefinition {
    const { deadlineMs = DEADLINE_MS, description, name, parameters } = tool;
    return {
      description,
      // The host makes a JSON Schema of it and checks nothing; another copy of zod than its own does (measured).
      args: parameters.shape as unknown as ToolDefinition["args"],
      async execute(given: unknown, { abort, callID = "", messageID, sessionID }: Context) {
        const parsed = parameters.safeParse(given);
        if (!parsed.success) throw new Error(formatWrongArguments(name, parsed.error));
        const waited = await waitAtMost(clock, deadlineMs, (signal) =>
          tool.execute(
            parsed.data,
            { tool: name, sessionID, callID, messageID },
            AbortSignal.any([signal, abort]),
          ),
        );
        if (waited.kind === "done") return waited.value;
        if (waited.kind === "overran")
          throw new Error(`${name} did not answer within ${deadlineMs} ms; try again`);
        if (!(waited.thrown instanceof StrataError))
          log.error("tools", `${name} failed: ${String(waited.thrown)}`);
        throw waited.thrown;
      },
    };
  }
}

/** What was expected of which argument, and that nothing was done. */
function formatWrongArguments(name: string, { issues }: z.ZodError): string {
  const wrong = issues.map(({ message, path }) => `${path.join(".") || "arguments"}: ${message}`);
  return `${name} was not run, its arguments do not fit. ${wrong.join("; ")}`;
}
