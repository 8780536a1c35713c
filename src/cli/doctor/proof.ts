/**
 * Runs the installed OpenCode with the configured plugin on a short session in a scratch project, and reads what that has
 * left. Nothing of it stays on the disk; whatever goes wrong in it is a finding.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
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
  type Refusal,
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

export async function prove(options: ProofOptions): Promise<Proof> {
  const { config, layers, plugin, withinSeconds } = options;
  const patience = createPatience(options);
  const scratch = await createScratch("strata-doctor-");
  // Ctrl-C ends the host with us, since it is of our group; the folder has to go all the same.
  const onInterrupt = (): void => void scratch.remove().finally(() => process.exit(130));
  process.once("SIGINT", onInterrupt);
  const model = await startScriptedModel(patience.moved);
  const refused = new AbortController();
  try {
    const proven = await Promise.all(
      layers.map(async (layer) => ({ ...layer, ...(await layer.loadProof()) })),
    );
    const evidence = await gather({ ...options, proven, patience, refused, model, root: scratch.path });
    const version = evidence.calls?.version;
    return { findings: readEvidence(evidence, config, proven), ...(version !== undefined && { version }) };
  } catch (thrown) {
    const refusal = refused.signal.reason as Refusal | undefined;
    return {
      findings: [refusal ? describeRefusal(refusal, plugin) : describeFailure(thrown, withinSeconds)],
    };
  } finally {
    patience.end();
    process.off("SIGINT", onInterrupt);
    await model.close();
    await scratch.remove();
  }
}

function describeFailure(thrown: unknown, withinSeconds: number | undefined): Finding {
  if (!(thrown instanceof StrataError && thrown.code === "TOO_SLOW"))
    return problem(`the proof could not be run: ${formatError(thrown)}`);
  return problem(
    `${thrown.message}, so nothing is proved`,
    withinSeconds === undefined
      ? "once more, when the machine is less busy; opencode --print-logs in the project says what it is doing"
      : "without --within it may take its time, as long as it goes on",
  );
}

interface GatherOptions extends ProofOptions {
  proven: readonly ProvenLayer[];
  patience: Patience;
  /** Aborted with a `Refusal`: OpenCode goes on without the plugin, and there is nothing left to prove. */
  refused: AbortController;
  model: ScriptedModel;
  root: string;
}

/** OpenCode says nothing while it installs. */
const INSTALL_QUIET_MS = 180_000;
/** For what a command leaves after it has answered. */
const LAST_FILE_MS = 30_000;
/** For the last counts, which the plugin writes a moment after the host has let it go. */
const LAST_COUNTS_MS = 20_000;
const LOOK_EVERY_MS = 50;

async function gather(options: GatherOptions): Promise<Evidence> {
  const { binary, clock, config, env, files, home, isSecond, model, patience, plugin, root } = options;
  const project = join(root, "project");
  const proofs = options.proven
    .filter((layer) => findOffSwitch(layer, config) === undefined)
    .map(({ proof }) => proof);
  const settings = await planSettings(options);
  const format = isSecond ? formatSecondConfig : formatFirstConfig;
  // The user's own there: in a file of the project not all of them would count.
  const own = join(root, "config", "opencode", "opencode.json");
  await files.writeWhole(own, JSON.stringify(format(plugin.spec, settings, model.url)));
  const planted = Object.assign({}, PLAYED_FILES, ...proofs.map((proof) => proof.files ?? {}));
  for (const [name, text] of Object.entries<string>(planted))
    await files.writeWhole(join(project, name), text);

  patience.begin("OpenCode starts");
  const isolated = await prepareOpenCode({
    env,
    files,
    root,
    ...(plugin.isPackage && { installsFor: home }),
  });
  const login = isSecond ? { password: randomUUID(), name: "opencode" } : undefined;
  const host = await serveOpenCode({
    ...{ binary, clock, isSecond, project, startMs: (options.withinSeconds ?? QUIET_MS / 1_000) * 1_000 },
    env: { ...isolated, ...(login && { OPENCODE_SERVER_PASSWORD: login.password }) },
    onWords(words) {
      const refusal = findRefusalInLog(words);
      if (refusal) options.refused.abort(refusal);
    },
  });
  const signal = AbortSignal.any([patience.signal, options.refused.signal]);
  try {
    const server: ServerAddress = { url: host.url, ...(login && { login }) };
    if (!isSecond) await watchEvents(host.url, options.refused, signal);
    const loading = plugin.isPackage ? `installs and loads ${plugin.place}` : `loads ${plugin.place}`;
    patience.begin(`OpenCode ${loading}`, plugin.isPackage ? INSTALL_QUIET_MS : QUIET_MS);
    const stands = (paths: readonly string[]) => async (): Promise<boolean> =>
      !(await Promise.all(paths.map((path) => files.stat(join(project, path))))).includes(undefined);
    const whenLeft = (paths: readonly string[]): Promise<void> =>
      waitUntil(clock, LAST_FILE_MS, signal, stands(paths));
    const onStep = patience.begin;
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

const LIMIT = { context: 200_000, output: 8_000 };

function formatFirstConfig(plugin: string, settings: PlainRecord, url: string): PlainRecord {
  return {
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
        models: { m1: { name: "m1", limit: LIMIT, tool_call: true } },
      },
    },
  };
}

function formatSecondConfig(plugin: string, settings: PlainRecord, url: string): PlainRecord {
  const capabilities = { tools: true, input: ["text"], output: ["text"] };
  return {
    plugins: [{ package: plugin, options: settings }],
    share: "disabled",
    update: "disable",
    permissions: [{ action: "*", resource: "*", effect: "allow" }],
    model: "scripted/m1",
    providers: {
      scripted: {
        package: "aisdk:@ai-sdk/openai-compatible",
        settings: { baseURL: url, apiKey: "none" },
        models: { m1: { name: "m1", limit: LIMIT, capabilities } },
      },
    },
  };
}

/** Resolves when the event stream is open or has failed; a stream that ends is ignored. */
async function watchEvents(url: string, refused: AbortController, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${url}/global/event`, { signal }).catch(() => undefined);
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of response?.body ?? []) {
      const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter((one) => one.startsWith("data:"))) {
        const refusal = findRefusalInEvent(line.slice("data:".length));
        if (refusal) refused.abort(refusal);
      }
    }
  };
  void read().catch(() => undefined);
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

/** No step takes longer than two seconds on an idle machine with two cores. */
export const QUIET_MS = 60_000;
/** A session that takes longer is in a loop. */
export const MOST_MS = 900_000;

export function createPatience({
  clock,
  onStep,
  withinSeconds,
}: Pick<ProofOptions, "clock" | "onStep" | "withinSeconds">): Patience {
  const abort = new AbortController();
  const mostMs = withinSeconds === undefined ? MOST_MS : withinSeconds * 1_000;
  let step = "start";
  let allowedMs = QUIET_MS;
  let cancelQuiet = (): void => {};
  const give = (what: string): void => abort.abort(new StrataError("TOO_SLOW", what));
  const cancelMost = clock.after(mostMs, () => give(`the session did not end within ${mostMs / 1_000} s`));

  function moved(): void {
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
      moved();
    },
    moved,
    end() {
      cancelQuiet();
      cancelMost();
    },
  };
}
