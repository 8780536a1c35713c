/** What the played session shows about each hook and each layer. */
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import type { Config } from "../../config/schema.js";
import { readLedger } from "../../costs/figures.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { findOffSwitch, type LayerDefinition } from "../../kernel/layer-context.js";
import type { Proof, ProofSeen } from "../../kernel/proof.js";
import type { Beat, PulseRecord } from "../../kernel/pulse.js";
import { type Finding, fine, note, problem } from "../../operations/doctor/machine.js";
import { planFolders } from "../../project/folders.js";
import { readPulses } from "../../status/status.js";
import { type Line, mergePulses, playWork, type ScriptedModel } from "./runs.js";

/** What the session left in the scratch folder. */
export interface Evidence extends ProofSeen {
  pulse: PulseRecord | undefined;
  /** Was /memory answered without a request to the model? Absent if it was not tried. */
  isCommandFree?: boolean;
}

/** A layer with its proof. */
export type ProvenLayer = LayerDefinition & { proof: Proof };

/** Hooks that the host calls in the session. */
const hooks: readonly Beat[] = [
  "config",
  "turn",
  "modelWindow",
  "context",
  "toolArguments",
  "event",
  "compacting",
];

/** Not called by the session that is played in OpenCode 2, which has no configuration hook either. */
const NOT_PLAYED: ReadonlySet<Beat> = new Set(["compacting", "config"]);

/** What the evidence says about each hook and each layer. */
export function readEvidence(evidence: Evidence, config: Config, layers: readonly ProvenLayer[]): Finding[] {
  const { isCommandFree, pulse } = evidence;
  if (!pulse) {
    const what = "no hook fired: OpenCode has not loaded the plugin";
    return [problem(what, "to see why, run opencode --print-logs in the project")];
  }
  return [
    ...hooks.map((hook) => describeHook(hook, pulse)),
    ...(pulse.host ? pulse.host.missing.map((what) => note(`${pulse.host?.name}: ${what}`)) : []),
    describeCommand(isCommandFree),
    ...layers.map((layer) => describeLayer(layer, evidence, config)),
    ...describeOthers(pulse, layers),
  ];
}

function describeCommand(isFree: boolean | undefined): Finding {
  if (isFree === undefined)
    return note("command /memory was not tried: this OpenCode runs it in its screen only");
  if (isFree) return fine("command /memory answered without a model call");
  return problem(
    "command /memory was sent to the model",
    "a command of the same name in your configuration replaces it",
  );
}

function describeHook(hook: Beat, { bound, hooks: counts, host }: PulseRecord): Finding {
  const count = counts[hook]?.count ?? 0;
  if (count === 0 && host && NOT_PLAYED.has(hook)) return note(`hook ${hook} was not tried in ${host.name}`);
  if (count > 0) return fine(`hook ${hook} fired ${count === 1 ? "once" : `${formatCount(count)} times`}`);
  if (!bound.includes(hook)) {
    const why = host && host.missing.length > 0 ? `, or ${host.name} does not offer it (see below)` : "";
    return note(`hook ${hook} never fired: no enabled layer needs it${why}`);
  }
  return problem(`hook ${hook} never fired`, "OpenCode did not call it; its version may not be supported");
}

function describeLayer(layer: ProvenLayer, evidence: Evidence, config: Config): Finding {
  const { name, proof } = layer;
  const off = findOffSwitch(layer, config);
  if (off !== undefined) return note(`layer ${name} is off: ${off}.enabled is false`);
  const seen = evidence.pulse?.layers[name];
  if (seen?.lastFailure !== undefined) {
    const what = `layer ${name} failed ${formatCount(seen.failed)} times, last ${seen.lastFailure}`;
    return problem(what, "please report it with strata doctor --report");
  }
  const what = proof.acted(evidence);
  if (what !== undefined) return fine(`layer ${name} works: ${what}`);
  if (proof.command !== undefined && evidence.isCommandFree === undefined)
    return note(`layer ${name} was not tried: its command runs in OpenCode's screen only`);
  if (!seen) return problem(`layer ${name} was never called`);
  return problem(`layer ${name} was called ${formatCount(seen.asked)} times and did nothing`);
}

/** Failures of anything else that the dispatcher asks. */
function describeOthers({ layers: seen }: PulseRecord, layers: readonly ProvenLayer[]): Finding[] {
  return Object.entries(seen)
    .filter(([name, { failed }]) => failed > 0 && !layers.some((layer) => layer.name === name))
    .map(([name, { failed, lastFailure }]) =>
      problem(`layer ${name} failed ${formatCount(failed)} times, last ${lastFailure}`),
    );
}

/* The session that the doctor plays: short, but it calls every hook. The layers bring what makes them act. */

/** Files of the project besides those that the layers bring: results to move out of the context. */
export const PLAYED_FILES = {
  "large.txt": Array.from({ length: 400 }, (_, n) => `line ${n} of a large file\n`).join(""),
  "small.txt": Array.from({ length: 60 }, (_, n) => `line ${n} of a small file\n`).join(""),
} as const;

export interface Played {
  /** Was /memory answered without a request to the model? */
  isCommandFree: boolean;
}

export interface PlayOptions {
  url: string;
  project: string;
  model: ScriptedModel;
  signal: AbortSignal;
  /** Told of each step as it begins. */
  onStep(step: string): void;
  /** What the enabled layers bring. */
  proofs: readonly Proof[];
  /** Resolves when these files exist, or will not. */
  whenLeft(paths: readonly string[]): Promise<void>;
}

/** Throws if the host refuses a request or does not answer. */
export async function playSession({
  model,
  onStep,
  project,
  proofs,
  signal,
  url,
  whenLeft,
}: PlayOptions): Promise<Played> {
  const post = createPost(url, signal);
  const { id: sessionID } = (await post("/session", { title: "strata doctor" })) as { id: string };
  const ask = (text: string, ...lines: Line[]): Promise<unknown> => {
    model.script(...lines);
    return post(`/session/${sessionID}/message`, { parts: [{ type: "text", text }] });
  };
  await playWork(ask, { onStep, project, proofs });
  onStep("a summary is made");
  await post(`/session/${sessionID}/summarize`, { providerID: "scripted", modelID: "m1" });
  await ask("Go on.");
  onStep("commands are answered");
  const run = (command: string): Promise<unknown> =>
    post(`/session/${sessionID}/command`, { command, arguments: "" }).catch(() => undefined);
  for (const { command } of proofs) if (command !== undefined) await run(command);
  // A command may answer before its work is done, and disposing the instance would stop that.
  await whenLeft(proofs.flatMap(({ leaves }) => leaves ?? []));
  const before = model.requests.length;
  await run("memory");
  const isCommandFree = model.requests.length === before;
  onStep("OpenCode stops, and the results are checked");
  // Makes the plugin write its counts.
  await post("/instance/dispose", {});
  return { isCommandFree };
}

function createPost(url: string, signal: AbortSignal): (path: string, body: object) => Promise<unknown> {
  return async (path, body) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    const text = await response.text();
    if (response.ok) return text === "" ? undefined : JSON.parse(text);
    throw new StrataError("HOST_REFUSED", `OpenCode answered POST ${path} with ${response.status}: ${text}`);
  };
}

/* What the played session has left in its project, for the evidence. */

interface Reading {
  clock: Clock;
  files: Files;
}

const LAST_PULSE_MS = 20_000;
/** A plugin that was loaded has written one long before the end. */
const FIRST_PULSE_MS = 3_000;
/** For what a command leaves after it has answered. */
const LAST_FILE_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** Everything that Strata has in the project. */
const OWN = ".opencode";

/** After a session in one process, which has let the plugin go. */
export async function readTraces(
  { clock, files }: Reading,
  project: string,
  { isCommandFree }: Played,
): Promise<Omit<Evidence, "requests">> {
  await waitForPulse({ clock, files }, planFolders(project).pulse);
  return { ...(await readAllTraces(files, project)), isCommandFree };
}

/** Every file below a folder, relative to the project. */
async function listPaths(files: Files, project: string, folder: string): Promise<string[]> {
  const names = (await files.list(join(project, folder))).filter((name) => name !== "node_modules");
  const below = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const isFile = (await files.stat(join(project, path)))?.kind === "file";
      return isFile ? [path] : listPaths(files, project, path);
    }),
  );
  return below.flat();
}

export async function waitForFiles(
  { clock, files }: Reading,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < LAST_FILE_MS && !signal.aborted; waitedMs += LOOK_EVERY_MS) {
    const stats = await Promise.all(paths.map((path) => files.stat(path)));
    if (stats.every((stat) => stat !== undefined)) return;
    await clock.pause(LOOK_EVERY_MS);
  }
}

/** The host has let the plugin go, which writes its last pulse a moment later. */
async function waitForPulse({ clock, files }: Reading, folder: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const [pulse] = await readPulses(files, folder);
    const mostMs = pulse ? LAST_PULSE_MS : FIRST_PULSE_MS;
    if (pulse?.hasEnded || waitedMs >= mostMs) return;
    await clock.pause(LOOK_EVERY_MS);
  }
}

/** After processes that have all ended, for any number of sessions. */
export async function readAllTraces(files: Files, project: string): Promise<Omit<Evidence, "requests">> {
  const { pulse, savings } = planFolders(project);
  const { sessions } = await readLedger(files, savings);
  return {
    pulse: mergePulses(await readPulses(files, pulse)),
    records: [...sessions.values()].flat(),
    paths: await listPaths(files, project, OWN),
  };
}
