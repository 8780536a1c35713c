/**
 * Counts which hooks the host has called and which layers were asked, how often and when last. It tells a plugin that the
 * host no longer calls from one that has nothing to do, for `/memory`, `strata status` and `strata doctor`.
 *
 * Counts in memory. Writes `state/calls/<instance>.json` seconds after the first call, then at most once a minute, and at
 * the end; the file may be deleted at any time.
 */
import { join } from "node:path";
import type PQueue from "p-queue";
import { formatError } from "../base/error.js";
import {
  anyList,
  anyObject,
  each,
  isVersion,
  number,
  object,
  parserOf,
  string,
  unchecked,
} from "../base/shape.js";
import { VERSION } from "../base/version.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import { formatPage } from "../io/state-file.js";
import type { HookName } from "./hooks.js";

/** What the host calls: the hooks of the dispatcher, and the one that passes its configuration. */
export type HostCall = HookName | "config";

/** Evidence that a turn took place, whether or not hooks were called. */
type Sign = "answer" | "toolRun" | "compaction";

/** Outcome of asking a layer. */
export type LayerCall = { layer: string; hook: string } & (
  | { outcome: "passed" | "answered" }
  | { outcome: "failed"; why: string }
);

export interface Count {
  count: number;
  lastMs: number;
}

export interface LayerCounts {
  asked: number;
  answered: number;
  failed: number;
  lastMs: number;
  lastFailure?: string;
}

/** The counts on disk. */
export interface CallRecord {
  v: 1;
  instance: string;
  version: string;
  startedMs: number;
  writtenMs: number;
  /** True if the plugin was disposed; otherwise the process may have been killed. */
  hasEnded: boolean;
  /** Hooks that the plugin has asked the host to call. */
  bound: readonly HostCall[];
  hooks: Partial<Record<HostCall, Count>>;
  signs: Partial<Record<Sign, Count>>;
  layers: Record<string, LayerCounts>;
  /** The host's name if it is not OpenCode 1: "OpenCode 2.0.15". */
  host?: string;
}

interface CallsOptions {
  clock: Clock;
  files: Files;
  log: Log;
  writes: PQueue;
  folder: string;
  instance: string;
}

const FIRST_WRITE_MS = 2_000;
const NEXT_WRITE_MS = 60_000;

/** By which sign the host must have called each hook, and what fails if it does not. */
const expectations: readonly { hook: HostCall; by: Sign; least?: number; what: string }[] = [
  { hook: "config", by: "answer", what: "Strata's commands and compaction settings are missing" },
  { hook: "turn", by: "answer", what: "automatic summaries cannot be prevented" },
  { hook: "context", by: "answer", what: "nothing can be moved out of the context" },
  { hook: "modelWindow", by: "answer", what: "the size of the model's context window is unknown" },
  {
    hook: "toolArguments",
    by: "toolRun",
    least: 3,
    what: "searches in results that were moved to files may find nothing",
  },
  { hook: "compacting", by: "compaction", what: "summaries use OpenCode's own instruction" },
];

export type Calls = ReturnType<typeof createCalls>;

export function createCalls({ clock, files, log, writes, folder, instance }: CallsOptions) {
  const state: CallRecord = {
    ...{ v: 1, instance, version: VERSION, startedMs: clock.now(), writtenMs: 0, hasEnded: false },
    ...{ bound: [], hooks: {}, signs: {}, layers: {} },
  };
  let isScheduled = false;

  return {
    startedMs: state.startedMs,
    bind(hooks: readonly HostCall[]): void {
      state.bound = [...hooks];
    },
    /** Records the name of a host that is not OpenCode 1. */
    describeHost(name: string): void {
      state.host = name;
    },
    count(hook: HostCall): void {
      add(state.hooks, hook);
      schedule();
    },
    /** Evidence that a turn took place: hooks that should have been called by now are logged. */
    note(sign: Sign): void {
      add(state.signs, sign);
      for (const sentence of findSilent(state)) log.error("calls", sentence);
    },
    noteLayer(call: LayerCall): void {
      const layer = state.layers[call.layer] ?? { asked: 0, answered: 0, failed: 0, lastMs: 0 };
      state.layers[call.layer] = layer;
      layer.asked++;
      layer.lastMs = clock.now();
      if (call.outcome === "answered") layer.answered++;
      if (call.outcome !== "failed") return;
      layer.failed++;
      layer.lastFailure = `at hook ${call.hook}: ${call.why}`;
    },
    /** A sentence for each hook that should have been called by now and was not. */
    silent: (): string[] => findSilent(state),
    record: (): CallRecord => structuredClone(state),
    /** Writes the final record. Never rejects. */
    async end(): Promise<void> {
      state.hasEnded = true;
      if (Object.keys(state.hooks).length > 0) await writes.add(write);
    },
  };

  function add<K extends string>(counts: Partial<Record<K, Count>>, key: K): void {
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
      await files.writeWhole(join(folder, `${instance}.json`), formatPage(state), { mode: "remade" });
    } catch (thrown) {
      log.debug("calls", `cannot write to ${folder}: ${formatError(thrown)}`);
    }
  }
}

/** Registered hooks that the host has not called although a sign shows that it should have. */
export function findSilent({ bound, hooks, signs }: Pick<CallRecord, "bound" | "hooks" | "signs">): string[] {
  const missing = expectations.filter(
    ({ hook, by, least = 1 }) => bound.includes(hook) && !hooks[hook] && (signs[by]?.count ?? 0) >= least,
  );
  // Signs come from events. Two requests without an event mean that no events arrive.
  const noEvents = bound.includes("event") && !hooks.event && (hooks.context?.count ?? 0) > 1;
  return [
    ...missing.map(({ hook, what }) => formatSilent(hook, what)),
    ...(noEvents ? [formatSilent("event", "answers are not counted and notes are incomplete")] : []),
  ];
}

function formatSilent(hook: HostCall, what: string): string {
  return `OpenCode has not called hook ${hook} although it should have by now: ${what}. The OpenCode version may be unsupported, or another plugin may interfere. Run strata doctor for details`;
}

const isCallRecord = object<CallRecord>({
  v: isVersion,
  ...each(string, "instance", "version"),
  startedMs: number,
  bound: anyList,
  ...each(anyObject, "hooks", "layers", "signs"),
  ...each(unchecked, "writtenMs", "hasEnded", "host"),
});

/** `undefined` if the value is not such a record. */
export const parseCallRecord = parserOf(isCallRecord);
