/** How the real host begins a request: its tools, the plugin's among them, and its system prompt. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChatMessage, ChatTool } from "../../host/stage/model-request.js";
import { openStage } from "../../host/stage/stage.js";
import type { RecordedSession } from "../../sessions/recorded-session.js";
import { planDefinitions, recordedTools, TOOLS_FILE } from "../../sessions/tool-definitions.js";

export interface Opening {
  tools: ChatTool[];
  system: ChatMessage[];
}

export interface OpeningOptions {
  /** The host's own tools. */
  tools: readonly ChatTool[];
  plugin?: string;
  options?: Record<string, unknown>;
}

/** Starts the host once to see. Paths in it are moved by `moveOpening`. */
export async function readOpening(
  session: RecordedSession,
  { tools, plugin, options }: OpeningOptions,
): Promise<Opening & { folder: string }> {
  await using stage = await openStage({
    plugin: [recordedTools, ...(plugin === undefined ? [] : [plugin])],
    ...(options ? { options } : {}),
    config: { small_model: undefined },
    env: ({ root }) => ({
      STRATA_RECORDED_TOOLS: join(root, TOOLS_FILE),
      STRATA_HOOK_TIMES: join(root, "hook-times.json"),
    }),
    prepare: ({ root }) =>
      writeFile(join(root, TOOLS_FILE), JSON.stringify(planDefinitions(tools, session))),
  });
  await (await stage.newSession("opening")).ask("hello");
  const request = stage.model.lastRequest();
  const system = request.messages.filter(({ role }) => role === "system");
  return { tools: request.tools, system, folder: stage.project.path };
}

/** The same in another folder. */
export function moveOpening({ tools, system, folder }: Opening & { folder: string }, to: string): Opening {
  return JSON.parse(JSON.stringify({ tools, system }).replaceAll(folder, to)) as Opening;
}
