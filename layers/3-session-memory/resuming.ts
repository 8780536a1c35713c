/** `/checkpoint`, `/attach` and `/refresh`, and what a person has attached to a session. */
import type { SlashCommand } from "../../src/dispatcher/slash-command.js";
import type { LayerContext } from "../../src/layer-context.js";
import { type Attachments, createAttachments } from "./attachments.js";

export interface Resuming extends Pick<Attachments, "find"> {
  commands: readonly SlashCommand[];
}

export function createResuming(
  context: LayerContext,
  options: { isSubagents(this: void, sessionID: string): boolean; layer: string },
): Resuming {
  return {
    find: createAttachments(context, options).find,
    commands: [
      {
        name: "checkpoint",
        description: "Strata: keep the state of this session, e.g. /checkpoint before the rewrite",
        execute: async (call) => (await import("./checkpoint-commands.js")).keepCheckpoint(context, call),
      },
      {
        name: "attach",
        description: "Strata: go on here with an earlier session or checkpoint, by its id",
        execute: async (call) => (await import("./checkpoint-commands.js")).attachHere(context, call),
      },
      {
        name: "refresh",
        description: "Strata: put the goal, the open points and your rules before the agent again",
        execute: async (call) => (await import("./checkpoint-commands.js")).refreshHere(context, call),
      },
    ],
  };
}
