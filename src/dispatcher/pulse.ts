/**
 * The pulse of a running plugin: which hooks the host has called and which layers were asked, how often and when last.
 * A plugin that the host has stopped calling looks like one with nothing to do; this tells them apart, for `/memory`,
 * `strata status` and `strata doctor`.
 *
 * Counted in memory. `state/pulse/<instance>.json` is written seconds after the first beat, then once a minute at most,
 * and at the end; it may be deleted at any time.
 */
import { join } from "node:path";
import type PQueue from "p-queue";
import { formatError } from "../error.js";
import type { Log } from "../record/log.js";
import { formatPage } from "../record/state-file.js";
import { isVersion } from "../record/version.js";
import { isRecord } from "../records.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { anyList, anyObject, each, number, object, string, unchecked } from "../shape.js";
import { VERSION } from "../version.js";
import type { HookName } from "./hooks.js";

/** What the host calls: the hooks of the dispatcher, and that with its configuration. */
export type Beat = HookName | "config";

/** What shows that a turn has been had, whichever hooks were called in it. */
export type Sign = "answer" | "toolRun" | "compaction";

/** What came of asking a layer. */
export type Heard = { layer: string; hook: string } & (
  | { outcome: "passed" | "answered" }
  | { outcome: "failed"; why: string }
);

export interface Count {
  count: number;
  lastMs: number;
}

export interface LayerPulse {
  asked: number;
  answered: number;
  failed: number;
  lastMs: number;
  lastFailure?: string;
}

/** The pulse as it is on disk. */
export interface PulseRecord {
  v: 1;
  instance: string;
  version: string;
  startedMs: number;
  writtenMs: number;
  /** The plugin was disposed of; otherwise the process may have been killed. */
  hasEnded: boolean;
  /** Hooks that the plugin has asked the host to call. */
  bound: readonly Beat[];
  hooks: Partial<Record<Beat, Count>>;
  signs: Partial<Record<Sign, Count>>;
  layers: Record<string, LayerPulse>;
}

export interface Pulse {
  readonly startedMs: number;
  /** The plugin has asked the host to call these. */
  bind(hooks: readonly Beat[]): void;
  beat(hook: Beat): void;
  sign(sign: Sign): void;
  hear(heard: Heard): void;
  /** Hooks that should have been called by now and were not: a sentence each. */
  silent(): string[];
  record(): PulseRecord;
  /** Writes it down for the last time. Never rejects. */
  end(): Promise<void>;
}

export interface PulseOptions {
  clock: Clock;
  files: Files;
  log: Log;
  writes: PQueue;
  folder: string;
  instance: string;
}

const FIRST_WRITE_MS = 2_000;
const NEXT_WRITE_MS = 60_000;

/** When the host must have called a hook, had it called it at all. */
const expectations: readonly { hook: Beat; by: Sign; least?: number; what: string }[] = [
  { hook: "config", by: "answer", what: "commands and compaction cannot be set" },
  { hook: "turn", by: "answer", what: "automatic summaries cannot be held back" },
  { hook: "context", by: "answer", what: "nothing can be moved out of the context" },
  { hook: "modelWindow", by: "answer", what: "the size of the model's window is not known" },
  { hook: "toolArguments", by: "toolRun", least: 3, what: "a search in a moved result may find nothing" },
  { hook: "compacting", by: "compaction", what: "summaries are made with the host's own instruction" },
];

export function createPulse({ clock, files, log, writes, folder, instance }: PulseOptions): Pulse {
  const state: PulseRecord = {
    v: 1,
    instance,
    version: VERSION,
    startedMs: clock.now(),
    writtenMs: 0,
    hasEnded: false,
    bound: [],
    hooks: {},
    signs: {},
    layers: {},
  };
  const complained = new Set<string>();
  let isScheduled = false;

  return {
    startedMs: state.startedMs,
    bind(hooks) {
      state.bound = [...hooks];
    },
    beat(hook) {
      count(state.hooks, hook);
      schedule();
    },
    sign(sign) {
      count(state.signs, sign);
      for (const sentence of findSilent(state)) {
        if (complained.has(sentence)) continue;
        complained.add(sentence);
        log.error("pulse", sentence);
      }
    },
    hear(heard) {
      const layer = state.layers[heard.layer] ?? { asked: 0, answered: 0, failed: 0, lastMs: 0 };
      state.layers[heard.layer] = layer;
      layer.asked++;
      layer.lastMs = clock.now();
      if (heard.outcome === "answered") layer.answered++;
      if (heard.outcome !== "failed") return;
      layer.failed++;
      layer.lastFailure = `at hook ${heard.hook}: ${heard.why}`;
    },
    silent: () => findSilent(state),
    record: () => structuredClone(state),
    async end() {
      state.hasEnded = true;
      if (Object.keys(state.hooks).length > 0) await writes.add(write);
    },
  };

  function count<K extends string>(counts: Partial<Record<K, Count>>, key: K): void {
    counts[key] = { count: ((counts[key] as Count | undefined)?.count ?? 0) + 1, lastMs: clock.now() };
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    clock.after(state.writtenMs === 0 ? FIRST_WRITE_MS : NEXT_WRITE_MS, () => {
      isScheduled = false;
      if (!state.hasEnded) void writes.add(write);
    });
  }

  async function write(): Promise<void> {
    state.writtenMs = clock.now();
    try {
      await files.writeWhole(join(folder, `${instance}.json`), formatPage(state));
    } catch (thrown) {
      log.debug("pulse", `cannot write to ${folder}: ${formatError(thrown)}`);
    }
  }
}

/** Bound hooks that the host has not called although what must come after them has come. */
export function findSilent({
  bound,
  hooks,
  signs,
}: Pick<PulseRecord, "bound" | "hooks" | "signs">): string[] {
  const missing = expectations.filter(
    ({ hook, by, least = 1 }) => bound.includes(hook) && !hooks[hook] && (signs[by]?.count ?? 0) >= least,
  );
  // Without events there are no signs either; two requests cannot be had without one.
  const noEvents = bound.includes("event") && !hooks.event && (hooks.context?.count ?? 0) > 1;
  return [
    ...missing.map(({ hook, what }) => formatSilent(hook, what)),
    ...(noEvents ? [formatSilent("event", "answers are not counted and notes are kept only in part")] : []),
  ];
}

function formatSilent(hook: Beat, what: string): string {
  return `OpenCode has not called hook ${hook} although it should have by now: ${what}. Is it a version that Strata does not know, or does another plugin stand in the way? strata doctor tells more`;
}

const isPulse = object<PulseRecord>({
  v: isVersion,
  ...each(string, "instance", "version"),
  startedMs: number,
  bound: anyList,
  ...each(anyObject, "hooks", "layers"),
  ...each(unchecked, "writtenMs", "hasEnded", "signs"),
});

/** The record, or `undefined` if the value is not one. */
export function parsePulse(value: unknown): PulseRecord | undefined {
  return isPulse(value) ? { ...value, signs: isRecord(value.signs) ? value.signs : {} } : undefined;
}
