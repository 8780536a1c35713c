/** The metrics of `/metrics`: the server's own requests, and the current figures of its projects. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { VERSION } from "../base/version.js";
import type { ProjectFigures } from "./figures.js";
import type { Health } from "./health.js";

interface Observation {
  method: string;
  /** The route, never the path: a client must not be able to create series. */
  route: string;
  status: number;
  seconds: number;
}

/** All figures except the server's own requests. */
export interface Measured {
  projects: readonly ProjectFigures[];
  health: Health;
  memoryBytes: number;
  startedMs: number;
}

type Figure = [name: string, help: string, read: (figures: ProjectFigures) => number | undefined];

/** Gauges: savings can fall, and deleting a ledger removes its share. */
const FIGURES: readonly Figure[] = [
  ["candidates", "Sentences that wait to become memories.", ({ candidates }) => candidates],
  ["open_blockers", "Unresolved blockers.", ({ openBlockers }) => openBlockers],
  ["conflicts", "Memories with two undecided versions.", ({ conflicts }) => conflicts],
  ["sessions", "Sessions with a savings ledger.", ({ savings }) => savings.sessions],
  ["model_requests", "Requests that a model answered.", ({ savings }) => savings.requests],
  ["tokens_saved", "Net savings in tokens at input price.", ({ savings }) => savings.net],
  ["dollars_saved", "Net savings in dollars, where the host has a price.", ({ savings }) => savings.money],
  ["tokens_freed", "Tokens removed from the context.", ({ savings }) => savings.tokensFreed],
  ["cache_lost_tokens", "Cached tokens that had to be written again.", ({ savings }) => savings.cacheLost],
  ["background_tokens", "Tokens of Strata's own model calls.", ({ savings }) => savings.backgroundTokens],
  ["background_calls_today", "Strata's own model calls today, UTC.", ({ background }) => background?.calls],
  ["background_calls_budget", "Daily limit of these calls.", ({ background }) => background?.dailyCalls],
  ["background_tokens_today", "Tokens of these calls today, UTC.", ({ background }) => background?.tokens],
  ["background_tokens_budget", "Daily limit of these tokens.", ({ background }) => background?.dailyTokens],
  ["dream_days", "Days on which a dream succeeded.", ({ dreams }) => dreams.days],
  ["dream_failures", "Dreams that failed since the last success.", ({ dreams }) => dreams.failures],
  ["dream_last_success_seconds", "Time of the last successful dream, in Unix time.", readLastDream],
];

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

export type ServerMetrics = ReturnType<typeof createServerMetrics>;

export function createServerMetrics(measure: () => Promise<Measured>) {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: "strata_http_requests_total",
    help: "Requests that this server answered.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "strata_http_request_duration_seconds",
    help: "Time until the response headers.",
    labelNames: ["route"],
    buckets: SECONDS,
    registers,
  });
  const show = createGauges(registry);
  return {
    contentType: registry.contentType,
    observe({ method, route, seconds, status }: Observation): void {
      requests.inc({ method, route, status });
      durations.observe({ route }, seconds);
    },
    /** All metrics in Prometheus' text format. Rejects if they cannot be read. */
    async format(): Promise<string> {
      show(await measure());
      return registry.metrics();
    },
  };
}

/** Creates the gauges; the function returned sets all of them. */
function createGauges(registry: Registry): (measured: Measured) => void {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const version = gauge("strata_info", "The version of this server.", "version");
  const healthy = gauge("strata_healthy", "1 if /health answers ok, else 0.");
  const problems = gauge("strata_problems", "Problems that /health reports.", "check");
  const memoryBytes = gauge("process_resident_memory_bytes", "Memory of this process.");
  const started = gauge("process_start_time_seconds", "When this server started, in Unix time.");
  const memories = gauge("strata_memories", "Memories by type, private ones included.", "project", "type");
  const errors = gauge("strata_errors", "Lines of the error log.", "project", "kind");
  const figures = FIGURES.map(([name, help, read]) => ({
    read,
    shown: gauge(`strata_${name}`, help, "project"),
  }));
  return (measured) => {
    // A removed project, type or problem must disappear.
    for (const one of [problems, memories, errors, ...figures.map(({ shown }) => shown)]) one.reset();
    version.set({ version: VERSION }, 1);
    const { health } = measured;
    healthy.set(health.status === "ok" ? 1 : 0);
    for (const { check } of health.status === "ok" ? [] : health.problems) problems.inc({ check });
    memoryBytes.set(measured.memoryBytes);
    started.set(Math.floor(measured.startedMs / 1000));
    for (const one of measured.projects) {
      const { project } = one;
      for (const [type, count] of Object.entries(one.memories)) memories.set({ project, type }, count);
      for (const kind of ["failed", "resolved"] as const) errors.set({ project, kind }, one.errors[kind]);
      for (const { read, shown } of figures) {
        const value = read(one);
        if (value !== undefined) shown.set({ project }, value);
      }
    }
  };
}

function readLastDream({ dreams }: ProjectFigures): number | undefined {
  return dreams.lastSuccess === undefined ? undefined : Math.floor(Date.parse(dreams.lastSuccess) / 1000);
}
