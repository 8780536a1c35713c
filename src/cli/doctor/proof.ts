/**
 * Runs the installed OpenCode with the configured plugin on a short session in a scratch project, and reads what that has
 * left. Nothing of it stays on the disk; whatever goes wrong in it is a finding.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { mergeRecords, type PlainRecord } from "../../base/shape.js";
import type { Config } from "../../config/schema.js";
import { isSwitchedOn, listSwitches } from "../../config/setting.js";
import type { ServerAddress } from "../../host/server.js";
import type { Clock } from "../../io/clock.js";
import { createScratch } from "../../io/node-files.js";
import { findOffSwitch, type LayerDefinition } from "../../kernel/layer-context.js";
import type { CliContext } from "../../operations/command.js";
import { type Finding, problem } from "../../operations/doctor/machine.js";
import { prepareOpenCode, serveOpenCode } from "../../operations/doctor/opencode.js";
import {
  describeRefusal,
  type Evidence,
  findRefusalInEvent,
  findRefusalInLog,
  type ProvenLayer,
  readEvidence,
  readTraces,
} from "./evidence.js";
import type { Configured } from "./installed.js";
import { PLAYED_FILES, playSession, type ScriptedModel, startScriptedModel } from "./session.js";

export interface ProofOptions extends Pick<CliContext, "files" | "clock" | "env" | "home"> {
  /** The OpenCode to run. */
  binary: string;
  /** It is OpenCode 2. */
  isSecond: boolean;
  /** What it is to load. A package is installed, with the registry and the cache that OpenCode itself would use. */
  plugin: Configured;
  /** What is on and off stays so. */
  config: Config;
  layers: readonly LayerDefinition[];
  /** For the host's start and the session. */
  withinSeconds: number;
  /** Told of every step as it begins. */
  onStep(step: string): void;
}

export interface Proof {
  findings: Finding[];
  /** What the plugin that was loaded calls its version. */
  version?: string;
}

export async function prove(options: ProofOptions): Promise<Proof> {
  const { clock, config, layers, withinSeconds } = options;
  const ended = new AbortController();
  const cancel = clock.after(withinSeconds * 1_000, () =>
    ended.abort(
      problem(
        `the session did not end within ${withinSeconds} s, so nothing is proved`,
        "once more when the machine is less busy, or with a longer --within; opencode --print-logs in the project says what it is doing",
      ),
    ),
  );
  const scratch = await createScratch("strata-doctor-");
  // Ctrl-C ends the host with us, since it is of our group; the folder has to go all the same.
  const onInterrupt = (): void => void scratch.remove().finally(() => process.exit(130));
  process.once("SIGINT", onInterrupt);
  const model = await startScriptedModel();
  try {
    const evidence = await gather({ ...options, proven: layers, ended, model, root: scratch.path });
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
  proven: readonly ProvenLayer[];
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
  const proofs = options.proven
    .filter((layer) => findOffSwitch(layer, config) === undefined)
    .map(({ proof }) => proof);
  const settings = await planSettings(options);
  // The user's own there: in a file of the project not all of them would count.
  const own = join(root, "config", "opencode", "opencode.json");
  await files.writeWhole(own, JSON.stringify(formatConfig(isSecond, plugin.spec, settings, model.url)));
  const planted = Object.assign({}, PLAYED_FILES, ...proofs.map((proof) => proof.files ?? {}));
  for (const [name, text] of Object.entries<string>(planted))
    await files.writeWhole(join(project, name), text);

  onStep("OpenCode starts");
  const isolated = await prepareOpenCode({
    env,
    files,
    root,
    ...(plugin.isPackage && { installsFor: home }),
  });
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
    const stands = (paths: readonly string[]) => async (): Promise<boolean> =>
      !(await Promise.all(paths.map((path) => files.stat(join(project, path))))).includes(undefined);
    const whenLeft = (paths: readonly string[]): Promise<void> =>
      waitUntil(clock, LAST_FILE_MS, signal, stands(paths));
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
async function planSettings({ config, files, proven, root }: GatherOptions): Promise<PlainRecord> {
  const switches = listSwitches(proven.map(({ settings }) => settings));
  const enabled = Object.fromEntries(switches.map((name) => [name, { enabled: isSwitchedOn(config, name) }]));
  // What is played there is nobody's but ours: else the dream would leave all of it alone.
  const trust = { projects: [join((await files.realPath(root)) ?? root, "*")] };
  const kernel = { background: { enabled: false }, log: { level: "info" }, trust };
  return proven.reduce<PlainRecord>(
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
