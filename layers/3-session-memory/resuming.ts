/** `/checkpoint`, `/attach` and `/refresh`, and the text that a person attached to a session. */

import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { SlashCommand } from "../../src/kernel/slash-command.js";
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
        description: "Strata: save the state of this session, e.g. /checkpoint before the rewrite",
        execute: async (call) => (await import("./checkpoint-commands.js")).keepCheckpoint(context, call),
      },
      {
        name: "attach",
        description: "Strata: continue an earlier session or checkpoint here, by its id",
        execute: async (call) => (await import("./checkpoint-commands.js")).attachHere(context, call),
      },
      {
        name: "refresh",
        description: "Strata: show the agent the goal, the open points and your rules again",
        execute: async (call) => (await import("./checkpoint-commands.js")).refreshHere(context, call),
      },
    ],
  };
}
