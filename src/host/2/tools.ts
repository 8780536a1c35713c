/** The layers' tools in the form of OpenCode 2. */

import type { Clock } from "../../io/clock.js";
import type { Log } from "../../io/log.js";
import { formatParameters, type Tool } from "../../kernel/tool.js";
import { bindTools } from "../tools.js";
import type { TheirTool } from "./contract.js";

/** Needs sessions of our own, which OpenCode 2 does not let a plugin remove. */
const NOT_OFFERED: ReadonlySet<string> = new Set(["fork"]);

/** A tool never throws: its failure is its answer, since a host might end the turn otherwise. */
export function formatTools(tools: readonly Tool[], use: { clock: Clock; log: Log }): TheirTool[] {
  const offered = tools.filter(({ name }) => !NOT_OFFERED.has(name));
  const bound = bindTools(offered, use);
  return offered.map(({ description, name, parameters }) => ({
    name,
    description,
    input: formatParameters(parameters),
    // Else the model would have to call it from a program.
    options: { codemode: false },
    async execute(input, { id, messageID, sessionID, signal = new AbortController().signal }) {
      const context = { abort: signal, callID: id, messageID, sessionID };
      try {
        return { content: String(await bound[name]?.execute(input as never, context as never)) };
      } catch (thrown) {
        return { content: thrown instanceof Error ? thrown.message : String(thrown) };
      }
    },
  }));
}
