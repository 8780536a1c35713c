/** What the played session shows about each hook and each layer. */

import { formatCount } from "../../base/format.js";
import type { Config } from "../../config/schema.js";
import { findOffSwitch, type LayerDefinition } from "../../kernel/layer-definition.js";
import type { Proof, ProofSeen } from "../../kernel/proof.js";
import type { Beat, PulseRecord } from "../../kernel/pulse.js";
import { type Finding, fine, note, problem } from "../../operations/doctor/finding.js";

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
