import { countMemories } from "../../../src/base/format.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";

const MOST_WARNINGS = 8;
/** Longer sentences end with "…". */
const MOST_CHARACTERS = 300;

/** What a person should look at, one sentence each. */
export function collectWarnings({
  host,
  memories,
  pulse,
  reading,
  toasts,
}: Pick<KernelContext, "host" | "memories" | "pulse" | "reading" | "toasts">): string[] {
  const [wrong] = reading.problems;
  const more = reading.problems.length - 1;
  const foreign = memories.foreign().length;
  const all = [
    ...(wrong === undefined
      ? []
      : [`wrong setting: ${wrong}${more > 0 ? ` (and ${more} more: strata doctor)` : ""}`]),
    ...(host.missing?.() ?? []),
    ...pulse.silent(),
    ...(foreign > 0 ? [`${countMemories(foreign)} came with the repository: /memory-trust lists them`] : []),
    ...toasts.recentWarnings(),
  ];
  return [...new Set(all)]
    .slice(0, MOST_WARNINGS)
    .map((text) =>
      text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1).trimEnd()}…` : text,
    );
}
