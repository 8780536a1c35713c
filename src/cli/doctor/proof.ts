/** Runs the installed OpenCode with the plugin on a short session and reports which hook and which layer fired. */
import { join } from "node:path";
import type { Config } from "../../config/schema.js";
import { formatError } from "../../error.js";
import { planFolders } from "../../folders.js";
import { formatCount } from "../../format.js";
import { readJsonLines } from "../../record/json-lines.js";
import { type Beat, type PulseRecord, parsePulse } from "../../record/pulse.js";
import { parseSavingsRecord, type SavingsRecord } from "../../record/savings.js";
import { mergeRecords, type PlainRecord } from "../../records.js";
import { createScratch } from "../../seams/scratch.js";
import { readMemoryStatus } from "../../status/memory-status.js";
import { switches } from "../../status/status.js";
import type { Surroundings } from "../command.js";
import { type Finding, fine, note, problem } from "./finding.js";
import { startOpenCode } from "./opencode.js";
import { startScriptedModel } from "./scripted-model.js";
import { PLAYED_FILES, type Played, playSession, TIGHT_SETTINGS } from "./session.js";

export interface ProofOptions extends Pick<Surroundings, "files" | "clock" | "env"> {
  /** The OpenCode to run. */
  binary: string;
  /** The folder of the plugin to load. */
  plugin: string;
  /** What is on and off stays so. */
  config: Config;
  /** For the host's start and the session. */
  withinSeconds: number;
}

/** What was found in the scratch folder after the session. */
export interface Evidence {
  pulse: PulseRecord | undefined;
  records: readonly SavingsRecord[];
  hasNotes: boolean;
  /** Memories of the project by their types. */
  memories: Readonly<Record<string, number>>;
  /** A dream has changed something, and said so. */
  hasDreamt: boolean;
  played: Played;
}

/** Each layer as settings name it and as records do, and what shows that it has acted. */
const layers: readonly {
  setting: (typeof switches)[number];
  name: string;
  /** Without this one it has nothing to work on. */
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
      const told = countEvents(seen, "extended", "told of memories", "auto-memory");
      return told && seen.memories.knowledge ? `${told}, one kept` : undefined;
    },
  },
  {
    setting: "dream",
    name: "dream",
    needs: "autoMemory",
    acted: ({ hasDreamt }) => (hasDreamt ? "what was there twice put away" : undefined),
  },
  {
    setting: "errors",
    name: "errors",
    acted: (seen) => countEvents(seen, "extended", "told of an earlier failure", "errors"),
  },
  {
    setting: "crossAgent",
    name: "across-agents",
    acted: ({ played }) => (played.hasClaimed ? "a lease claimed" : undefined),
  },
];

const LAST_PULSE_MS = 2_000;
const LOOK_EVERY_MS = 50;

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

/** Findings of one run. Nothing of it stays on the disk; whatever goes wrong in it is a finding. */
export async function prove(options: ProofOptions): Promise<Finding[]> {
  try {
    const evidence = await gather(options);
    return readEvidence(evidence, options.config);
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === "TimeoutError") {
      const what = `the session did not end within ${options.withinSeconds} s, so nothing is proved`;
      return [problem(what, "on a machine that is busy or slow: strata doctor --within 90")];
    }
    return [problem(`the proof could not be run: ${formatError(thrown)}`)];
  }
}

/** What the evidence says about each hook and each layer. */
export function readEvidence(evidence: Evidence, config: Config): Finding[] {
  const { played, pulse } = evidence;
  if (!pulse) {
    const what = "no hook fired: OpenCode has not loaded the plugin";
    return [problem(what, "opencode --print-logs in the project says why")];
  }
  const commands = played.isCommandFree
    ? fine("command /memory answered without a model call")
    : problem(
        "command /memory was sent to the model",
        "a command of that name in your configuration is in its place",
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
  if (!bound.includes(hook)) return note(`hook ${hook} never fired: no layer that is on needs it`);
  return problem(
    `hook ${hook} never fired`,
    "OpenCode has not called it; is its version one that Strata knows?",
  );
}

function describeLayer(
  { acted, name, needs, setting }: (typeof layers)[number],
  evidence: Evidence,
  config: Config,
): Finding {
  const off = [setting, needs ?? setting].find((one) => !config[one].enabled);
  if (off !== undefined) return note(`layer ${name} never fired: ${off}.enabled is false`);
  const seen = evidence.pulse?.layers[name];
  if (seen?.lastFailure !== undefined) {
    const what = `layer ${name} failed ${formatCount(seen.failed)} times, last ${seen.lastFailure}`;
    return problem(what, "please report it, with .opencode/strata/strata.log");
  }
  const what = acted(evidence);
  if (what !== undefined) return fine(`layer ${name} fired: ${what}`);
  if (!seen) return problem(`layer ${name} never fired: no hook has reached it`);
  return problem(`layer ${name} was asked ${formatCount(seen.asked)} times and did nothing`);
}

/** Anybody else among the layers who has failed. */
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

async function gather(options: ProofOptions): Promise<Evidence> {
  const scratch = await createScratch("strata-doctor-");
  const model = await startScriptedModel();
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

async function run(
  { binary, clock, config, env, files, plugin, withinSeconds }: ProofOptions,
  root: string,
  model: Awaited<ReturnType<typeof startScriptedModel>>,
): Promise<Evidence> {
  const project = join(root, "project");
  const enabled = Object.fromEntries(switches.map((name) => [name, { enabled: config[name].enabled }]));
  // What is played there is nobody's but ours: else the dream would leave all of it alone.
  const trust = { projects: [(await files.realPath(root)) ?? root].map((place) => join(place, "*")) };
  const settings = mergeRecords(enabled, { ...TIGHT_SETTINGS, trust });
  // The user's own there: in a file of the project not all of them would count.
  const own = join(root, "config", "opencode", "opencode.json");
  await files.writeWhole(own, formatHostConfig(plugin, settings, model.url));
  for (const [name, text] of Object.entries(PLAYED_FILES)) await files.writeWhole(join(project, name), text);
  const startMs = withinSeconds * 1_000;
  const deadlineMs = clock.now() + startMs;
  const host = await startOpenCode({ binary, root, project, files, clock, env, startMs });
  try {
    const signal = AbortSignal.timeout(Math.max(1, deadlineMs - clock.now()));
    const played = await playSession({ url: host.url, project, model, signal });
    return await readTraces({ clock, files }, project, played);
  } finally {
    await host.stop();
  }
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

async function readTraces(
  { clock, files }: Pick<ProofOptions, "clock" | "files">,
  project: string,
  played: Played,
): Promise<Evidence> {
  const { memory, pulse: pulses, savings, sessionMemory } = planFolders(project);
  const pulse = await waitForPulse({ clock, files }, pulses);
  const ledger = join(savings, `${played.sessionID}.jsonl`);
  const { records } = await readJsonLines(files, ledger, parseSavingsRecord);
  const notes = await files.stat(join(sessionMemory, `${played.sessionID}.md`));
  const { memories } = await readMemoryStatus(files, memory);
  const dreams = await files.stat(join(memory, "DREAMS.md"));
  return { pulse, records, hasNotes: notes !== undefined, memories, hasDreamt: dreams !== undefined, played };
}

/** The host has let the plugin go, which writes its last pulse a moment later. Without one, what there is. */
async function waitForPulse(
  { clock, files }: Pick<ProofOptions, "clock" | "files">,
  folder: string,
): Promise<PulseRecord | undefined> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const [name] = await files.list(folder);
    const contents = name === undefined ? undefined : await files.read(join(folder, name));
    const pulse = contents && parsePulse(JSON.parse(new TextDecoder().decode(contents)));
    if (pulse?.hasEnded || waitedMs >= LAST_PULSE_MS) return pulse;
    await clock.pause(LOOK_EVERY_MS);
  }
}
