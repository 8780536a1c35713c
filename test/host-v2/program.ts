/**
 * The contract host as a program, for `strata doctor`: `opencode run --standalone [--continue] TEXT`. It loads the
 * plugins that its configuration names, plays one turn with the configured model over HTTP, and keeps its session in a
 * file.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TheirTool } from "../../src/host/setup/contract.js";
import { systemClock } from "../../src/seams/clock.js";
import { makeContext } from "./context.js";
import { createContractHost } from "./contract-host.js";
import type { HostSession } from "./host-types.js";
import type { Line, ScriptedModel, WireRequest } from "./script.js";

const args = process.argv.slice(2);
if (args.includes("--version")) {
  process.stdout.write("2.2.7\n");
  process.exit(0);
}

const { XDG_CONFIG_HOME = "", XDG_DATA_HOME = "" } = process.env;
const config = JSON.parse(readFileSync(join(XDG_CONFIG_HOME, "opencode", "opencode.json"), "utf8"));
const [plugin] = config.plugins;
const model: ScriptedModel = { requests: [], script() {}, answer: ask, primary: () => [] };
const directory = process.cwd();
/** No two messages of a real host begin in the same millisecond. */
let aheadMs = 0;
const clock = {
  now: () => systemClock.now() + aheadMs,
  advance() {
    aheadMs += 5;
  },
};
const stored = join(XDG_DATA_HOME, "session.json");
const earlier: HostSession | undefined =
  args.includes("--continue") && existsSync(stored) ? JSON.parse(readFileSync(stored, "utf8")) : undefined;
// No id is given twice.
const idsFrom = (earlier?.stored.length ?? 0) * 100;
const host = createContractHost(clock, { directory, model, idsFrom });
const made = makeContext(host, { directory, options: plugin.options });
const session = earlier ?? host.newSession();
host.sessions.set(session.id, session);
const entry = await import(pathToFileURL(join(plugin.package, "dist/plugin.js")).href);
const cleanup = await entry.default.setup(made.context);
for (const tool of builtIn()) host.tools.set(tool.name, tool);
await host.ask(session, args.at(-1) ?? "");
writeFileSync(stored, JSON.stringify(session));
// Events are heard a moment later.
await new Promise(setImmediate);
await cleanup?.();
process.exit(0);

/** The tools that the doctor's script calls. */
function builtIn(): TheirTool[] {
  const tool = (
    name: string,
    execute: (input: Record<string, string>) => { content: string },
  ): TheirTool => ({
    name,
    description: name,
    input: { type: "object" },
    options: { codemode: false },
    execute: async (input) => execute(input as Record<string, string>),
  });
  return [
    tool("read", ({ path = "" }) => ({ content: readFileSync(path, "utf8") })),
    tool("shell", ({ command = "" }) => {
      const { status, stderr, stdout } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
      // A command that fails is a success with an exit code.
      return { content: `${stdout}${stderr}`, metadata: { exit: status } };
    }),
  ];
}

/** Asks the configured model, in the protocol of its provider. */
async function ask({ messages, tools }: WireRequest): Promise<Line> {
  const { baseURL } = config.providers.scripted.settings;
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ messages, tools }),
  });
  let say = "";
  const calls: { name: string; input: Record<string, unknown> }[] = [];
  for (const line of (await response.text()).split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const delta = JSON.parse(line.slice("data: ".length)).choices?.[0]?.delta ?? {};
    say += delta.content ?? "";
    for (const { function: called } of delta.tool_calls ?? [])
      calls.push({ name: called.name, input: JSON.parse(called.arguments) });
  }
  return calls.length > 0 ? { calls } : { say };
}
