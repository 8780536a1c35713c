/** What the played session has left in its project, and what that shows about each hook and each layer. */
import { join } from "node:path";
import { formatCount } from "../../base/format.js";
import { parseJson } from "../../base/shape.js";
import type { Config } from "../../config/schema.js";
import { readLedger } from "../../costs/sums.js";
import { type Files, listFilesBelow } from "../../io/files.js";
import type { CallRecord, HostCall } from "../../kernel/calls.js";
import { findOffSwitch, type LayerDefinition } from "../../kernel/layer-context.js";
import type { Proof, ProofSeen } from "../../kernel/proof.js";
import { type Finding, fine, note, problem } from "../../operations/doctor/machine.js";
import { planFolders } from "../../project/folders.js";
import { readCallRecords } from "../../status/status.js";

export interface Evidence extends ProofSeen {
  calls: CallRecord | undefined;
  /** Was /memory answered without a request to the model? */
  isCommandFree: boolean;
}

/** A layer with its proof. */
export type ProvenLayer = LayerDefinition & { proof: Proof };

/** Hooks that the host calls in the session. */
const hooks: readonly HostCall[] = [
  "config",
  "turn",
  "modelWindow",
  "context",
  "toolArguments",
  "event",
  "compacting",
];

/** Hooks that OpenCode 2 does not have. */
const ONLY_FIRST: ReadonlySet<HostCall> = new Set(["config"]);

/** What the evidence says about each hook and each layer. */
export function readEvidence(evidence: Evidence, config: Config, layers: readonly ProvenLayer[]): Finding[] {
  const { isCommandFree, calls } = evidence;
  if (!calls) {
    const what = "no hook fired: OpenCode has not loaded the plugin";
    return [problem(what, "to see why, run opencode --print-logs in the project")];
  }
  const others = Object.entries(calls.layers).filter(
    ([name, { failed }]) => failed > 0 && !layers.some((layer) => layer.name === name),
  );
  return [
    ...hooks.map((hook) => describeHook(hook, calls)),
    isCommandFree
      ? fine("command /memory answered without a model call")
      : problem(
          "command /memory was sent to the model",
          "a command of the same name in your configuration replaces it",
        ),
    ...layers.map((layer) => describeLayer(layer, evidence, config)),
    ...others.map(([name, seen]) => describeFailure(name, seen)),
  ];
}

function describeHook(hook: HostCall, { bound, hooks: counts, host }: CallRecord): Finding {
  const count = counts[hook]?.count ?? 0;
  if (count > 0) return fine(`hook ${hook} fired ${count === 1 ? "once" : `${formatCount(count)} times`}`);
  if (host && ONLY_FIRST.has(hook)) return note(`hook ${hook} does not exist in ${host}`);
  if (!bound.includes(hook)) return note(`hook ${hook} never fired: no enabled layer needs it`);
  return problem(`hook ${hook} never fired`, "OpenCode did not call it; its version may not be supported");
}

function describeLayer(layer: ProvenLayer, evidence: Evidence, config: Config): Finding {
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

/** Reads what Strata has in the project. */
export async function readTraces(
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

export interface Refusal {
  /** The step that failed. */
  step: Step;
  why: string;
}

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

export const describeRefusal = ({ step, why }: Refusal, place: string): Finding =>
  problem(`${refusals[step].says(place)}: ${why}`, refusals[step].todo);

/** Reads an event of OpenCode's. */
export function findRefusalInEvent(json: string): Refusal | undefined {
  const [, message = ""] = /"message":("Failed to (?:[^"\\]|\\.)*")/.exec(json) ?? [];
  // A spec may contain colons, but none followed by a space.
  const found = /^Failed to (install|load) plugin (?:(?!: ).)*: (.*)$/s.exec(String(parseJson(message)));
  return found ? { step: found[1] as Step, why: found[2] ?? "" } : undefined;
}

/** Reads what OpenCode has printed. */
export function findRefusalInLog(text: string): Refusal | undefined {
  const line = text.split("\n").find((one) => one.includes('message="failed to load plugin"'));
  const [, quoted] = /\berror=("(?:[^"\\]|\\.)*"|\S+)/.exec(line ?? "") ?? [];
  if (quoted === undefined) return undefined;
  const why = parseJson(quoted);
  return { step: "start", why: typeof why === "string" ? why : quoted };
}
