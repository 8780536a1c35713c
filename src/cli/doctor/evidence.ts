/** What a played session says about each hook and each layer. */
import type { Config } from "../../config/schema.js";
import type { Beat, PulseRecord } from "../../dispatcher/pulse.js";
import { formatCount } from "../../format.js";
import { findOffSwitch, type LayerDefinition } from "../../layer-definition.js";
import type { Proof, ProofSeen } from "../../proof.js";
import { type Finding, fine, note, problem } from "./finding.js";

/** What was found in the scratch folder after the session. */
export interface Evidence extends ProofSeen {
  pulse: PulseRecord | undefined;
  /** Did the answer to /memory come without a request to the model? */
  isCommandFree: boolean;
}

/** A layer, and what it says of the evidence. */
export type ProvenLayer = LayerDefinition & { proof: Proof };

/** Hooks that the session makes the host call. */
const hooks: readonly Beat[] = [
  "config",
  "turn",
  "modelWindow",
  "context",
  "toolArguments",
  "event",
  "compacting",
];

/** What the evidence says about each hook and each layer. */
export function readEvidence(evidence: Evidence, config: Config, layers: readonly ProvenLayer[]): Finding[] {
  const { isCommandFree, pulse } = evidence;
  if (!pulse) {
    const what = "no hook fired: OpenCode has not loaded the plugin";
    return [problem(what, "opencode --print-logs in the project says why")];
  }
  const commands = isCommandFree
    ? fine("command /memory answered without a model call")
    : problem(
        "command /memory was sent to the model",
        "a command of that name in your configuration is in its place",
      );
  return [
    ...hooks.map((hook) => describeHook(hook, pulse)),
    commands,
    ...layers.map((layer) => describeLayer(layer, evidence, config)),
    ...describeOthers(pulse, layers),
  ];
}

function describeHook(hook: Beat, { bound, hooks: counts }: PulseRecord): Finding {
  const count = counts[hook]?.count ?? 0;
  if (count > 0) return fine(`hook ${hook} fired ${count === 1 ? "once" : `${formatCount(count)} times`}`);
  if (!bound.includes(hook)) return note(`hook ${hook} never fired: no layer that is on needs it`);
  return problem(
    `hook ${hook} never fired`,
    "OpenCode has not called it; is its version one that Strata knows?",
  );
}

function describeLayer(layer: ProvenLayer, evidence: Evidence, config: Config): Finding {
  const { name, proof } = layer;
  const off = findOffSwitch(layer, config);
  if (off !== undefined) return note(`layer ${name} never fired: ${off}.enabled is false`);
  const seen = evidence.pulse?.layers[name];
  if (seen?.lastFailure !== undefined) {
    const what = `layer ${name} failed ${formatCount(seen.failed)} times, last ${seen.lastFailure}`;
    return problem(what, "please report it, with .opencode/strata/strata.log");
  }
  const what = proof.acted(evidence);
  if (what !== undefined) return fine(`layer ${name} fired: ${what}`);
  if (!seen) return problem(`layer ${name} never fired: no hook has reached it`);
  return problem(`layer ${name} was asked ${formatCount(seen.asked)} times and did nothing`);
}

/** Anybody else among the layers who has failed. */
function describeOthers({ layers: seen }: PulseRecord, layers: readonly ProvenLayer[]): Finding[] {
  return Object.entries(seen)
    .filter(([name, { failed }]) => failed > 0 && !layers.some((layer) => layer.name === name))
    .map(([name, { failed, lastFailure }]) =>
      problem(`layer ${name} failed ${formatCount(failed)} times, last ${lastFailure}`),
    );
}
