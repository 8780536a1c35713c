/** How the real host begins a request: its tools, the plugin's among them, and its system prompt. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChatMessage, ChatTool } from "../host/stage/model-request.js";
import { openStage } from "../host/stage/stage.js";
import type { RecordedSession } from "./recorded-session.js";
import { planDefinitions, recordedTools, TOOLS_FILE } from "./tool-definitions.js";

export interface Opening {
  tools: ChatTool[];
  system: ChatMessage[];
}

/** What one start of the host has shown. */
export interface SeenOpening extends Opening {
  /** The host's own tools, before any was replaced. */
  hostTools: readonly ChatTool[];
  /** The tools that were replaced. */
  replaced: ReadonlySet<string>;
  /** The project that paths in it name. */
  folder: string;
}

export interface OpeningOptions {
  hostTools: readonly ChatTool[];
  plugin?: string;
  /** Options of the plugin. */
  options?: Record<string, unknown>;
}

/** Starts the host once, with the tools of all these sessions replaced. */
export async function readOpening(
  sessions: readonly RecordedSession[],
  { hostTools, plugin, options }: OpeningOptions,
): Promise<SeenOpening> {
  const definitions = planDefinitions(hostTools, sessions);
  await using stage = await openStage({
    plugin: [recordedTools, ...(plugin === undefined ? [] : [plugin])],
    ...(options ? { options } : {}),
    config: { small_model: undefined },
    env: ({ root }) => ({
      STRATA_RECORDED_TOOLS: join(root, TOOLS_FILE),
      STRATA_WATCH: join(root, "watch.json"),
    }),
    prepare: ({ root }) => writeFile(join(root, TOOLS_FILE), JSON.stringify(definitions)),
  });
  await (await stage.newSession("opening")).ask("hello");
  const { messages, tools } = stage.model.lastRequest();
  return {
    tools,
    system: messages.filter(({ role }) => role === "system"),
    hostTools,
    replaced: new Set(definitions.map((one) => one.function.name)),
    folder: stage.project.path,
  };
}

/** The opening of one session, in which only the tools that it calls are replaced, for a project in `folder`. */
export function planOpening(seen: SeenOpening, session: RecordedSession, folder: string): Opening {
  const own = new Map(planDefinitions(seen.hostTools, [session]).map((one) => [one.function.name, one]));
  const tools = seen.tools.flatMap((tool) => {
    const { name } = tool.function;
    const used = own.get(name);
    if (used) return [keepFields(tool, used)];
    if (!seen.replaced.has(name)) return [tool];
    return seen.hostTools.filter((one) => one.function.name === name);
  });
  const text = JSON.stringify({ tools, system: seen.system });
  return JSON.parse(text.replaceAll(seen.folder, folder)) as Opening;
}

interface Parameters {
  properties?: Record<string, unknown>;
}

/** The tool as the host sends it, with the fields of this definition only. */
function keepFields(sent: ChatTool, { function: { parameters } }: ChatTool): ChatTool {
  const fields = Object.keys((parameters as Parameters).properties ?? {});
  const all = sent.function.parameters as Parameters;
  const kept = Object.entries(all.properties ?? {}).filter(([name]) => fields.includes(name));
  return {
    ...sent,
    function: { ...sent.function, parameters: { ...all, properties: Object.fromEntries(kept) } },
  };
}
