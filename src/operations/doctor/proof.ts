/**
 * Runs the installed OpenCode with the configured plugin on a short session in a scratch project, and reads what that has
 * left. Nothing of it stays on the disk; whatever goes wrong in it is a finding.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import { mergeRecords, type PlainRecord, parseJson } from "../../base/shape.js";
import type { Config } from "../../config/schema.js";
import { isSwitchedOn, listSwitches } from "../../config/setting.js";
import { readLedger } from "../../costs/sums.js";
import type { ServerAddress } from "../../host/server.js";
import type { Clock } from "../../io/clock.js";
import { type Files, listFilesBelow } from "../../io/files.js";
import { createScratch } from "../../io/node-files.js";
import type { CallRecord, HostCall } from "../../kernel/calls.js";
import { findOffSwitch, type LayerDefinition } from "../../kernel/layer-context.js";
import type { ProofSeen } from "../../kernel/proof.js";
import { planFolders } from "../../project/folders.js";
import { readCallRecords } from "../../status/status.js";
import type { CliContext } from "../command.js";
import type { Configured } from "./installed.js";
import { type Finding, fine, note, problem } from "./machine.js";
import { prepareOpenCode, serveOpenCode } from "./opencode.js";
import { PLAYED_FILES, playSession, type ScriptedModel, startScriptedModel } from "./session.js";

interface ProofOptions extends Pick<CliContext, "files" | "clock" | "env" | "home"> {
  binary: string;
  isSecond: boolean;
  /** What it is to load. A package is installed, with the registry and the cache that OpenCode itself would use. */
  plugin: Configured;
  /** What is on and off stays so. */
  config: Config;
  layers: readonly LayerDefinition[];
  withinSeconds: number;
  onStep(step: string): void;
}

/** `version`: what the plugin that was loaded calls its own. */
export async function prove(options: ProofOptions): Promise<{ findings: Finding[]; version?: string }> {
  const { clock, config, layers, withinSeconds } = options;
  const ended = new AbortController();
  const late = problem(
    `the session did not end within ${withinSeconds} s, so nothing is proved`,
    "run it again when the machine is less busy, or with a longer --within; opencode --print-logs in the project shows what it is doing",
  );
  const cancel = clock.after(withinSeconds * 1_000, () => ended.abort(late));
  const scratch = await createScratch("strata-doctor-");
  // Ctrl-C ends the host with us, since it is of our group; the folder has to go all the same.
  const onInterrupt = (): void => void scratch.remove().finally(() => process.exit(130));
  process.once("SIGINT", onInterrupt);
  const model = await startScriptedModel();
  try {
    const evidence = await gather({ ...options, ended, model, root: scratch.path });
    const version = evidence.calls?.version;
    return { findings: readEvidence(evidence, config, layers), ...(version !== undefined && { version }) };
  } catch (thrown) {
    const why: Finding = ended.signal.aborted
      ? ended.signal.reason
      : problem(`the proof could not be run: ${formatError(thrown)}`);
    return { findings: [why] };
  } finally {
    cancel();
    process.off("SIGINT", onInterrupt);
    await model.close();
    await scratch.remove();
  }
}

interface GatherOptions extends ProofOptions {
  /** Aborted with a finding: the time is up, or OpenCode goes on without the plugin. */
  ended: AbortController;
  model: ScriptedModel;
  root: string;
}

/** For what a command leaves after it has answered. */
const LAST_FILE_MS = 30_000;
/** For the last counts, which the plugin writes a moment after the host has let it go. */
const LAST_COUNTS_MS = 20_000;
const LOOK_EVERY_MS = 50;

async function gather(options: GatherOptions): Promise<Evidence> {
  const { binary, clock, config, ended, env, files, home, isSecond, model, onStep, plugin, root } = options;
  const project = join(root, "project");
  const on = options.layers.filter((layer) => findOffSwitch(layer, config) === undefined);
  const proofs = on.map(({ proof }) => proof);
  const settings = await planSettings(options);
  // The user's own there: in a file of the project not all of them would count.
  const own = join(root, "config", "opencode", "opencode.json");
  await files.writeWhole(own, JSON.stringify(formatConfig(isSecond, plugin.spec, settings, model.url)));
  const planted = Object.assign({}, PLAYED_FILES, ...proofs.map((proof) => proof.files ?? {}));
  for (const [name, text] of Object.entries<string>(planted))
    await files.writeWhole(join(project, name), text);

  onStep("OpenCode starts");
  const installing = plugin.isPackage && { installsFor: home };
  const isolated = await prepareOpenCode({ env, files, root, ...installing });
  const login = isSecond ? { password: randomUUID(), name: "opencode" } : undefined;
  const host = await serveOpenCode({
    ...{ binary, clock, isSecond, project, startMs: options.withinSeconds * 1_000 },
    env: { ...isolated, ...(login && { OPENCODE_SERVER_PASSWORD: login.password }) },
    onWords(words) {
      const refusal = findRefusalInLog(words);
      if (refusal) ended.abort(describeRefusal(refusal, plugin.place));
    },
  });
  const { signal } = ended;
  try {
    const server: ServerAddress = { url: host.url, ...(login && { login }) };
    if (!isSecond) await watchEvents(host.url, ended, plugin.place);
    onStep(`OpenCode ${plugin.isPackage ? "installs and " : ""}loads ${plugin.place}`);
    const whenLeft = (paths: readonly string[]): Promise<void> =>
      waitUntil(clock, LAST_FILE_MS, signal, async () => {
        const stats = paths.map((path) => files.stat(join(project, path)));
        return !(await Promise.all(stats)).includes(undefined);
      });
    const played = await playSession({ server, isSecond, project, model, proofs, signal, onStep, whenLeft });
    const hasEnded = async (): Promise<boolean> => {
      const { calls } = await readTraces(files, project);
      return calls === undefined || calls.hasEnded;
    };
    await waitUntil(clock, LAST_COUNTS_MS, signal, hasEnded);
    return { ...(await readTraces(files, project)), ...played, requests: model.requests };
  } finally {
    await host.stop();
  }
}

async function waitUntil(
  clock: Clock,
  mostMs: number,
  signal: AbortSignal,
  isDone: () => Promise<boolean>,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < mostMs && !signal.aborted && !(await isDone()); waitedMs += LOOK_EVERY_MS)
    await clock.pause(LOOK_EVERY_MS);
}

/** Settings under which every layer that is on acts in a short session. */
async function planSettings({ config, files, layers, root }: GatherOptions): Promise<PlainRecord> {
  const switches = listSwitches(layers.map(({ settings }) => settings));
  const enabled = Object.fromEntries(switches.map((name) => [name, { enabled: isSwitchedOn(config, name) }]));
  // What is played there is nobody's but ours: else the dream would leave all of it alone.
  const trust = { projects: [join((await files.realPath(root)) ?? root, "*")] };
  const kernel = { background: { enabled: false }, log: { level: "info" }, trust };
  return layers.reduce<PlainRecord>(
    (settings, { proof }) => mergeRecords(settings, proof.settings ?? {}),
    mergeRecords(enabled, kernel),
  );
}

/** OpenCode's configuration, in the form of its version. */
function formatConfig(isSecond: boolean, plugin: string, settings: PlainRecord, url: string): PlainRecord {
  const limit = { context: 200_000, output: 8_000 };
  const endpoint = { baseURL: url, apiKey: "none" };
  const model = "scripted/m1";
  if (!isSecond) {
    const models = { m1: { name: "m1", limit, tool_call: true } };
    return {
      ...{ plugin: [[plugin, settings]], share: "disabled", autoupdate: false, permission: { "*": "allow" } },
      ...{ model, small_model: model },
      provider: { scripted: { npm: "@ai-sdk/openai-compatible", options: endpoint, models } },
    };
  }
  const capabilities = { tools: true, input: ["text"], output: ["text"] };
  const models = { m1: { name: "m1", limit, capabilities } };
  return {
    ...{ plugins: [{ package: plugin, options: settings }], share: "disabled", update: "disable", model },
    permissions: [{ action: "*", resource: "*", effect: "allow" }],
    providers: { scripted: { package: "aisdk:@ai-sdk/openai-compatible", settings: endpoint, models } },
  };
}

/** Resolves when the event stream is open or has failed; a stream that ends is ignored. */
async function watchEvents(url: string, ended: AbortController, place: string): Promise<void> {
  const response = await fetch(`${url}/global/event`, { signal: ended.signal }).catch(() => undefined);
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of response?.body ?? []) {
      const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter((one) => one.startsWith("data:"))) {
        const refusal = findRefusalInEvent(line.slice("data:".length));
        if (refusal) ended.abort(describeRefusal(refusal, place));
      }
    }
  };
  void read().catch(() => undefined);
}

/* What the played session has left in its project, and what that shows about each hook and each layer. */

export interface Evidence extends ProofSeen {
  calls: CallRecord | undefined;
  /** Was /memory answered without a request to the model? */
  isCommandFree: boolean;
}

/** Hooks that the host calls in the session. */
const hooks: readonly HostCall[] = [
  ...(["config", "turn", "modelWindow", "context"] as const),
  ...(["toolArguments", "event", "compacting"] as const),
];

/** What the evidence says about each hook and each layer. */
export function readEvidence(
  evidence: Evidence,
  config: Config,
  layers: readonly LayerDefinition[],
): Finding[] {
  const { isCommandFree, calls } = evidence;
  if (!calls) {
    const what = "no hook fired: OpenCode has not loaded the plugin";
    return [problem(what, "to see why, run opencode --print-logs in the project")];
  }
  const others = Object.entries(calls.layers).filter(
    ([name, { failed }]) => failed > 0 && !layers.some((layer) => layer.name === name),
  );
  const replaced = "a command of the same name in your configuration replaces it";
  return [
    ...hooks.map((hook) => describeHook(hook, calls)),
    isCommandFree
      ? fine("command /memory answered without a model call")
      : problem("command /memory was sent to the model", replaced),
    ...layers.map((layer) => describeLayer(layer, evidence, config)),
    ...others.map(([name, seen]) => describeFailure(name, seen)),
  ];
}

function describeHook(hook: HostCall, { bound, hooks: counts, host }: CallRecord): Finding {
  const count = counts[hook]?.count ?? 0;
  if (count > 0) return fine(`hook ${hook} fired ${count === 1 ? "once" : `${formatCount(count)} times`}`);
  // OpenCode 2, which alone names itself, does not have it.
  if (host && hook === "config") return note(`hook ${hook} does not exist in ${host}`);
  if (!bound.includes(hook)) return note(`hook ${hook} never fired: no enabled layer needs it`);
  return problem(`hook ${hook} never fired`, "OpenCode did not call it; its version may not be supported");
}

function describeLayer(layer: LayerDefinition, evidence: Evidence, config: Config): Finding {
  const { name, proof } = layer;
  const off = findOffSwitch(layer, config);
  if (off !== undefined) return note(`layer ${name} is off: ${off}.enabled is false`);
  const seen = evidence.calls?.layers[name];
  if (seen?.lastFailure !== undefined) return describeFailure(name, seen);
  const what = proof.acted(evidence);
  if (what !== undefined) return fine(`layer ${name} works: ${what}`);
  if (!seen) return problem(`layer ${name} was never called`);
  return problem(`layer ${name} was called ${formatCount(seen.asked)} times and did nothing`);
}

const describeFailure = (name: string, { failed, lastFailure }: CallRecord["layers"][string]): Finding =>
  problem(
    `layer ${name} failed ${formatCount(failed)} times, last ${lastFailure}`,
    "please report it with strata doctor --report",
  );

async function readTraces(
  files: Files,
  project: string,
): Promise<Pick<Evidence, "paths" | "calls" | "records">> {
  const { calls, savings } = planFolders(project);
  const { sessions } = await readLedger(files, savings);
  const own = ".opencode";
  const { paths } = await listFilesBelow(files, join(project, own), (path) => path !== "node_modules");
  return {
    calls: (await readCallRecords(files, calls)).at(-1),
    records: [...sessions.values()].flat(),
    paths: paths.map((path) => join(own, path)),
  };
}

/*
 * Why OpenCode 1 did not load a plugin, in its own words. Its screen does not show them: a plugin that it cannot install
 * or load is a `session.error` event, and one that throws at start is a line of its log.
 */

type Step = "install" | "load" | "start";

type Refusal = { step: Step; why: string };

const refusals: Record<Step, { says(place: string): string; todo: string }> = {
  install: {
    says: (place) => `OpenCode cannot install ${place}`,
    todo: "it tries at each start, waits, and goes on without the plugin: name a version that the registry has, or a folder",
  },
  load: {
    says: (place) => `OpenCode cannot load ${place}`,
    todo: "install or build it anew; OpenCode goes on without the plugin and does not show why",
  },
  start: {
    says: (place) => `OpenCode has loaded ${place}, and it failed to start`,
    todo: "please report it; OpenCode goes on without the plugin",
  },
};

const describeRefusal = ({ step, why }: Refusal, place: string): Finding =>
  problem(`${refusals[step].says(place)}: ${why}`, refusals[step].todo);

export function findRefusalInEvent(json: string): Refusal | undefined {
  const [, message = ""] = /"message":("Failed to (?:[^"\\]|\\.)*")/.exec(json) ?? [];
  // A spec may contain colons, but none followed by a space.
  const found = /^Failed to (install|load) plugin (?:(?!: ).)*: (.*)$/s.exec(String(parseJson(message)));
  return found ? { step: found[1] as Step, why: found[2] ?? "" } : undefined;
}

export function findRefusalInLog(text: string): Refusal | undefined {
  const line = text.split("\n").find((one) => one.includes('message="failed to load plugin"'));
  const [, quoted] = /\berror=("(?:[^"\\]|\\.)*"|\S+)/.exec(line ?? "") ?? [];
  if (quoted === undefined) return undefined;
  const why = parseJson(quoted);
  return { step: "start", why: typeof why === "string" ? why : quoted };
}
