/** Runs the installed OpenCode with the configured plugin on a short session, and reads what that has left. */
import { join } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
import { isRecord, mergeRecords, type PlainRecord, parseJson } from "../../base/shape.js";
import { isSwitchedOn, listSwitches } from "../../config/part.js";
import type { Config } from "../../config/schema.js";
import type { Clock } from "../../io/clock.js";
import { createScratch } from "../../io/scratch.js";
import { findOffSwitch, type LayerDefinition } from "../../kernel/layer-context.js";
import type { Proof as ProofOfLayer } from "../../kernel/proof.js";
import type { CliContext } from "../../operations/command.js";
import { type Finding, problem } from "../../operations/doctor/machine.js";
import { prepareOpenCode, startOpenCode } from "../../operations/doctor/opencode.js";
import type { Configured } from "./configured.js";
import {
  type Evidence,
  PLAYED_FILES,
  type ProvenLayer,
  playSession,
  readAllTraces,
  readEvidence,
  readTraces,
  waitForFiles,
} from "./evidence.js";
import { formatSecondConfig, playRuns, type ScriptedModel, startScriptedModel } from "./runs.js";

export interface ProofOptions extends Pick<CliContext, "files" | "clock" | "env" | "home"> {
  /** The OpenCode to run. */
  binary: string;
  /** It is OpenCode 2 or later. */
  isSecond?: boolean;
  /** What it is to load. A package is installed, with the registry and the cache that OpenCode itself would use. */
  plugin: Configured;
  /** What is on and off stays so. */
  config: Config;
  layers: readonly LayerDefinition[];
  /** For the host's start and the session; without it they may take their time, as long as they go on. */
  withinSeconds?: number;
  /** Told of every step as it begins. */
  onStep(step: string): void;
}

export interface Proof {
  findings: Finding[];
  /** What the plugin that was loaded calls its version. */
  version?: string;
}

/** OpenCode says nothing while it installs. */
const INSTALL_QUIET_MS = 180_000;

/** Findings of one run. Nothing of it stays on the disk; whatever goes wrong in it is a finding. */
export async function prove(options: ProofOptions): Promise<Proof> {
  const { clock, config, layers, onStep, plugin, withinSeconds } = options;
  const patience = createPatience({ clock, onStep, ...(withinSeconds !== undefined && { withinSeconds }) });
  const refused = new AbortController();
  const refusals: Refusal[] = [];
  const onRefusal = (refusal: Refusal): void => {
    refusals.push(refusal);
    refused.abort();
  };
  try {
    const proven = await Promise.all(
      layers.map(async (layer) => ({ ...layer, ...(await layer.loadProof()) })),
    );
    const evidence = await gather({ ...options, proven, patience, refused: refused.signal, onRefusal });
    const version = evidence.pulse?.version;
    return { findings: readEvidence(evidence, config, proven), ...(version !== undefined && { version }) };
  } catch (thrown) {
    const [refusal] = refusals;
    return {
      findings: [refusal ? describeRefusal(refusal, plugin) : describeFailure(thrown, withinSeconds)],
    };
  } finally {
    patience.end();
  }
}

function describeRefusal({ what, why }: Refusal, { place }: Configured): Finding {
  if (what === "install")
    return problem(
      `OpenCode cannot install ${place}: ${why}`,
      "it tries at each start, waits, and goes on without the plugin: name a version that the registry has, or a folder",
    );
  if (what === "load")
    return problem(
      `OpenCode cannot load ${place}: ${why}`,
      "install or build it anew; OpenCode goes on without the plugin and does not show why",
    );
  return problem(
    `OpenCode has loaded ${place}, and it failed to start: ${why}`,
    "please report it; OpenCode goes on without the plugin",
  );
}

function describeFailure(thrown: unknown, withinSeconds: number | undefined): Finding {
  if (isImpatience(thrown))
    return problem(
      `${thrown.message}, so nothing is proved`,
      withinSeconds === undefined
        ? "once more, when the machine is less busy; opencode --print-logs in the project says what it is doing"
        : "without --within it may take its time, as long as it goes on",
    );
  return problem(`the proof could not be run: ${formatError(thrown)}`);
}

interface GatherOptions extends ProofOptions {
  proven: readonly ProvenLayer[];
  patience: Patience;
  /** OpenCode goes on without the plugin, and there is nothing left to prove. */
  refused: AbortSignal;
  onRefusal(refusal: Refusal): void;
}

async function gather(options: GatherOptions): Promise<Evidence> {
  const scratch = await createScratch("strata-doctor-");
  const model = await startScriptedModel(options.patience.moved);
  // Ctrl-C ends the host with us, since it is of our group; the folder has to go all the same.
  const onInterrupt = (): void => void scratch.remove().finally(() => process.exit(130));
  process.once("SIGINT", onInterrupt);
  try {
    return await run(options, scratch.path, model);
  } finally {
    process.off("SIGINT", onInterrupt);
    await model.close();
    await scratch.remove();
  }
}

/** Settings under which every layer that is on acts in a short session. */
async function planSettings({ config, files, proven }: GatherOptions, root: string): Promise<PlainRecord> {
  const switches = listSwitches(proven.map(({ settings }) => settings));
  const enabled = Object.fromEntries(
    switches.map((name) => [name, { enabled: isSwitchedOn(config, name) }] as const),
  );
  // What is played there is nobody's but ours: else the dream would leave all of it alone.
  const trust = { projects: [(await files.realPath(root)) ?? root].map((place) => join(place, "*")) };
  const kernel = { background: { enabled: false }, log: { level: "info" }, trust };
  return proven.reduce<PlainRecord>(
    (settings, { proof }) => mergeRecords(settings, proof.settings ?? {}),
    mergeRecords(enabled, kernel),
  );
}

async function run(options: GatherOptions, root: string, model: ScriptedModel): Promise<Evidence> {
  const { config, files, isSecond = false, plugin, proven } = options;
  const project = join(root, "project");
  const settings = await planSettings(options, root);
  const proofs = proven
    .filter((layer) => findOffSwitch(layer, config) === undefined)
    .map(({ proof }) => proof);
  // The user's own there: in a file of the project not all of them would count.
  const own = join(root, "config", "opencode", "opencode.json");
  const format = isSecond ? formatSecondConfig : formatHostConfig;
  await files.writeWhole(own, format(plugin.spec, settings, model.url));
  const planted = Object.assign({}, PLAYED_FILES, ...proofs.map((proof) => proof.files ?? {}));
  for (const [name, text] of Object.entries<string>(planted))
    await files.writeWhole(join(project, name), text);
  const scene = { root, project, model, proofs };
  return isSecond ? runSecond(options, scene) : runServer(options, scene);
}

interface Scene {
  root: string;
  project: string;
  model: ScriptedModel;
  proofs: readonly ProofOfLayer[];
}

/** OpenCode 1: a server, asked over HTTP. */
async function runServer(
  { binary, clock, env, files, home, onRefusal, patience, plugin, refused, withinSeconds }: GatherOptions,
  { model, project, proofs, root }: Scene,
): Promise<Evidence> {
  const startMs = withinSeconds === undefined ? QUIET_MS : withinSeconds * 1_000;
  patience.begin("OpenCode starts");
  const onWords = (words: string): void => {
    const refusal = findRefusalInLog(words);
    if (refusal) onRefusal(refusal);
  };
  const installsFor = plugin.isPackage ? home : undefined;
  const host = await startOpenCode({
    ...{ binary, root, project, files, clock, env, startMs, onWords },
    ...(installsFor !== undefined && { installsFor }),
  });
  const signal = AbortSignal.any([patience.signal, refused]);
  try {
    const { url } = host;
    await listenToOpenCode({ url, signal, onRefusal });
    const loading = plugin.isPackage ? `installs and loads ${plugin.place}` : `loads ${plugin.place}`;
    patience.begin(`OpenCode ${loading}`, plugin.isPackage ? INSTALL_QUIET_MS : QUIET_MS);
    const whenLeft = (paths: readonly string[]): Promise<void> =>
      waitForFiles(
        { clock, files },
        paths.map((path) => join(project, path)),
        signal,
      );
    const onStep = patience.begin;
    const played = await playSession({ url, project, model, proofs, signal, onStep, whenLeft });
    return { ...(await readTraces({ clock, files }, project, played)), requests: model.requests };
  } finally {
    await host.stop();
  }
}

/** OpenCode 2: a process for each message. */
async function runSecond(
  { binary, env, files, home, patience, plugin }: GatherOptions,
  { model, project, proofs, root }: Scene,
): Promise<Evidence> {
  const isolated = await prepareOpenCode({
    ...{ env, files, root },
    ...(plugin.isPackage && { installsFor: home }),
  });
  const onStep = (step: string): void => patience.begin(step, INSTALL_QUIET_MS);
  await playRuns({ binary, env: isolated, project, model, proofs, signal: patience.signal, onStep });
  return { ...(await readAllTraces(files, project)), requests: model.requests };
}

function formatHostConfig(plugin: string, settings: PlainRecord, url: string): string {
  const limit = { context: 200_000, output: 8_000 };
  return JSON.stringify({
    plugin: [[plugin, settings]],
    share: "disabled",
    autoupdate: false,
    permission: { "*": "allow" },
    model: "scripted/m1",
    small_model: "scripted/m1",
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: url, apiKey: "none" },
        models: { m1: { name: "m1", limit, tool_call: true } },
      },
    },
  });
}

/*
 * Why OpenCode did not load a plugin, in its own words. Its screen does not show them: a plugin that it cannot install or
 * load is a `session.error` event, and one that throws at start is a line of its log.
 */

export interface Refusal {
  /** The step that failed. */
  what: "install" | "load" | "start";
  why: string;
}

/** Reads an event of OpenCode's. */
export function findRefusalInEvent(json: string): Refusal | undefined {
  const event = parseJson(json);
  const { payload } = isRecord(event) ? event : {};
  if (!isRecord(payload) || payload.type !== "session.error" || !isRecord(payload.properties))
    return undefined;
  const { error } = payload.properties;
  const message = isRecord(error) && isRecord(error.data) ? error.data.message : undefined;
  const found = typeof message === "string" ? /^Failed to (install|load) plugin (.*)$/s.exec(message) : null;
  if (!found) return undefined;
  const [, what, rest = ""] = found;
  // A spec may contain colons, but none followed by a space.
  return { what: what as "install" | "load", why: rest.slice(rest.indexOf(": ") + 2) };
}

/** Reads what OpenCode has printed. */
export function findRefusalInLog(text: string): Refusal | undefined {
  const line = text.split("\n").find((one) => one.includes('message="failed to load plugin"'));
  const quoted = line === undefined ? null : /\berror=("(?:[^"\\]|\\.)*"|\S+)/.exec(line);
  if (!quoted?.[1]) return undefined;
  const why = parseJson(quoted[1]);
  return { what: "start", why: typeof why === "string" ? why : quoted[1] };
}

export interface Listening {
  url: string;
  signal: AbortSignal;
  onRefusal(refusal: Refusal): void;
}

/** Resolves when the event stream is open or has failed; a stream that ends is ignored. */
export async function listenToOpenCode({ onRefusal, signal, url }: Listening): Promise<void> {
  const response = await fetch(`${url}/global/event`, { signal }).catch(() => undefined);
  if (response?.ok && response.body) void readEvents(response.body, onRefusal).catch(() => undefined);
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  onRefusal: Listening["onRefusal"],
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const refusal = line.startsWith("data:") ? findRefusalInEvent(line.slice("data:".length)) : undefined;
      if (refusal) onRefusal(refusal);
    }
  }
}

/*
 * How long the proof waits. A slow machine is not a broken one: the session may take as long as it makes progress, unless
 * the user has set a limit.
 */

export interface Patience {
  /** Aborted at the end of patience, with a `StrataError` that says what did not happen. */
  readonly signal: AbortSignal;
  /** A step begins, which may make no progress for this long. */
  begin(step: string, quietMs?: number): void;
  /** The step has made progress. */
  moved(): void;
  end(): void;
}

export interface PatienceOptions {
  clock: Clock;
  /** The user's limit for the whole session. */
  withinSeconds?: number;
  /** Told of every step. */
  onStep(step: string): void;
}

/** No step takes longer than two seconds on an idle machine with two cores. */
export const QUIET_MS = 60_000;
/** A session that takes longer is in a loop. */
export const MOST_MS = 900_000;

export const isImpatience = (thrown: unknown): thrown is StrataError =>
  thrown instanceof StrataError && thrown.code === "TOO_SLOW";

export function createPatience({ clock, onStep, withinSeconds }: PatienceOptions): Patience {
  const abort = new AbortController();
  const mostMs = withinSeconds === undefined ? MOST_MS : withinSeconds * 1_000;
  let step = "start";
  let allowedMs = QUIET_MS;
  let cancelQuiet = (): void => {};
  const give = (what: string): void => abort.abort(new StrataError("TOO_SLOW", what));
  const cancelMost = clock.after(mostMs, () => give(`the session did not end within ${mostMs / 1_000} s`));

  function wait(): void {
    cancelQuiet();
    if (withinSeconds !== undefined) return;
    const what = `no progress for ${allowedMs / 1_000} s (${step})`;
    cancelQuiet = clock.after(allowedMs, () => give(what));
  }

  return {
    signal: abort.signal,
    begin(name, quietMs = QUIET_MS) {
      step = name;
      allowedMs = quietMs;
      onStep(name);
      wait();
    },
    moved: wait,
    end() {
      cancelQuiet();
      cancelMost();
    },
  };
}
