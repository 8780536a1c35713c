/** The definitions under which the recorded tools are offered: the host's own, as its requests carry them. */
import { fileURLToPath } from "node:url";
import type { ChatTool } from "../host/stage/model-request.js";
import { openStage } from "../host/stage/stage.js";
import { HOST } from "../host/stage/which-host.js";
import type { RecordedSession } from "./recorded-session.js";
import { toPlanned } from "./script.js";

/** The plugin that offers them in the host, and the file, under a stage's root, that it reads them from. */
export const recordedTools = fileURLToPath(
  new URL(HOST === 2 ? "./recorded-tools" : "./recorded-tools/index.ts", import.meta.url),
);
export const TOOLS_FILE = "recorded-tools.json";

/** Todos need nothing from the recording: OpenCode 1 keeps them itself. OpenCode 2 has none. */
const REAL_TOOLS = new Set(HOST === 1 ? ["todowrite", "todoread"] : []);

/** Asks a bare host for its tools. */
export async function readHostTools(): Promise<ChatTool[]> {
  await using stage = await openStage({ alone: true, plugin: [] });
  await (await stage.newSession("tools")).ask("hello");
  return stage.model.lastRequest().tools;
}

/** The definitions of the tools that the sessions call. A tool that the host does not offer gets a short one. */
export function planDefinitions(
  hostTools: readonly ChatTool[],
  sessions: readonly RecordedSession[],
): ChatTool[] {
  const turns = sessions.flatMap((session) => session.turns);
  const recorded = turns.flatMap(({ steps }) => steps.flatMap((step) => step.calls));
  const calls = recorded.map((call) => toPlanned(call));
  const names = [...new Set(calls.map(({ tool }) => tool))].filter((name) => !REAL_TOOLS.has(name)).sort();
  return names.map((name) => {
    const known = hostTools.find((one) => one.function.name === name);
    const fields = calls.filter(({ tool }) => tool === name).flatMap(({ args }) => Object.keys(args));
    return known ?? describeTool(name, [...new Set(fields)].sort());
  });
}

function describeTool(name: string, fields: readonly string[]): ChatTool {
  const properties = Object.fromEntries(fields.map((field) => [field, {}]));
  const description = name === "other" ? "Any other tool." : `The tool ${name}.`;
  return { type: "function", function: { name, description, parameters: { type: "object", properties } } };
}
