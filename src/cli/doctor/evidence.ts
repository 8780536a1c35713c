/** What the played session shows about each hook and each layer. */
import type { Config } from "../../config/schema.js";
import type { Beat, PulseRecord } from "../../dispatcher/pulse.js";
import { formatCount } from "../../format.js";
import type { SavingsRecord } from "../../record/savings.js";
import type { switches } from "../../status/status.js";
import { type Finding, fine, note, problem } from "./finding.js";
import type { Played } from "./session.js";

/** What the session left in the scratch folder. */
export interface Evidence {
  pulse: PulseRecord | undefined;
  records: readonly SavingsRecord[];
  hasNotes: boolean;
  /** Number of memories by type. */
  memories: Readonly<Record<string, number>>;
  /** Has a dream changed something and reported it? */
  hasDreamt: boolean;
  played: Played;
}

/** Each layer's name in settings and in records, and the proof that it acted. */
const layers: readonly {
  setting: (typeof switches)[number];
  name: string;
  /** The layer that it depends on. */
  needs?: (typeof switches)[number];
  acted(evidence: Evidence): string | undefined;
}[] = [
  {
    setting: "toolResults",
    name: "tool-results",
    acted: (seen) => countEvents(seen, "spilled", "moved to a file"),
  },
  {
    setting: "microCompact",
    name: "micro-compact",
    acted: (seen) => countEvents(seen, "cleared", "cleared"),
  },
  {
    setting: "sessionMemory",
    name: "session-memory",
    acted: ({ hasNotes }) => (hasNotes ? "notes written" : undefined),
  },
  {
    setting: "autoCompact",
    name: "full-compact",
    acted: (seen) => countEvents(seen, "cut", "history replaced"),
  },
  {
    setting: "autoMemory",
    name: "auto-memory",
    acted(seen) {
      const told = countEvents(seen, "extended", "memories shown", "auto-memory");
      return told && seen.memories.knowledge ? `${told}, one stored` : undefined;
    },
  },
  {
    setting: "dream",
    name: "dream",
    needs: "autoMemory",
    acted: ({ hasDreamt }) => (hasDreamt ? "a duplicate archived" : undefined),
  },
  {
    setting: "errors",
    name: "errors",
    acted: (seen) => countEvents(seen, "extended", "an earlier failure shown", "errors"),
  },
  {
    setting: "crossAgent",
    name: "across-agents",
    acted: ({ played }) => (played.hasClaimed ? "a lease claimed" : undefined),
  },
];

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

export function readEvidence(evidence: Evidence, config: Config): Finding[] {
  const { played, pulse } = evidence;
  if (!pulse) {
    const what = "no hook fired: OpenCode has not loaded the plugin";
    return [problem(what, "to see why, run opencode --print-logs in the project")];
  }
  const commands = played.isCommandFree
    ? fine("command /memory answered without a model call")
    : problem(
        "command /memory was sent to the model",
        "a command of the same name in your configuration replaces it",
      );
  return [
    ...hooks.map((hook) => describeHook(hook, pulse)),
    commands,
    ...layers.map((layer) => describeLayer(layer, evidence, config)),
    ...describeOthers(pulse),
  ];
}

function describeHook(hook: Beat, { bound, hooks: counts }: PulseRecord): Finding {
  const count = counts[hook]?.count ?? 0;
  if (count > 0) return fine(`hook ${hook} fired ${count === 1 ? "once" : `${formatCount(count)} times`}`);
  if (!bound.includes(hook)) return note(`hook ${hook} never fired: no enabled layer needs it`);
  return problem(`hook ${hook} never fired`, "OpenCode did not call it; its version may not be supported");
}

function describeLayer(
  { acted, name, needs, setting }: (typeof layers)[number],
  evidence: Evidence,
  config: Config,
): Finding {
  const off = [setting, needs ?? setting].find((one) => !config[one].enabled);
  if (off !== undefined) return note(`layer ${name} is off: ${off}.enabled is false`);
  const seen = evidence.pulse?.layers[name];
  if (seen?.lastFailure !== undefined) {
    const what = `layer ${name} failed ${formatCount(seen.failed)} times, last ${seen.lastFailure}`;
    return problem(what, "please report it with .opencode/strata/strata.log");
  }
  const what = acted(evidence);
  if (what !== undefined) return fine(`layer ${name} works: ${what}`);
  if (!seen) return problem(`layer ${name} was never called`);
  return problem(`layer ${name} was called ${formatCount(seen.asked)} times and did nothing`);
}

/** Failures of layers that are not in the table. */
function describeOthers({ layers: seen }: PulseRecord): Finding[] {
  return Object.entries(seen)
    .filter(([name, { failed }]) => failed > 0 && !layers.some((layer) => layer.name === name))
    .map(([name, { failed, lastFailure }]) =>
      problem(`layer ${name} failed ${formatCount(failed)} times, last ${lastFailure}`),
    );
}

function countEvents({ records }: Evidence, event: string, what: string, layer?: string): string | undefined {
  const found = records.filter(
    (record) => record.event === event && (layer === undefined || record.layer === layer),
  );
  const results = found.reduce((sum, record) => sum + (record.results ?? 1), 0);
  return results === 0 ? undefined : `${formatCount(results)} × ${what}`;
}
