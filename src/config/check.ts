/** Checks what the sources hold against the schema, field by field. Loaded only where there is something to check. */

import { isRecord, mergeRecords, type PlainRecord } from "../records.js";
import { describeAllowed, findClosest } from "./allowed.js";
import { type Config, configSchema } from "./schema.js";
import type { Source } from "./sources.js";

type Path = readonly (string | number)[];
interface Rejected {
  source: Source;
  path: Path;
  value: unknown;
  isUnknownKey: boolean;
}

/**
 * Merges the sources, the weakest first. A field that is not allowed is passed over and makes a sentence that names
 * the file, the key, what came, what is allowed and what is used instead.
 */
export function checkSettings(sources: readonly Source[]): { config: Config; problems: string[] } {
  const rejected: Rejected[] = [];
  let merged: PlainRecord = {};
  for (const source of sources) merged = mergeRecords(merged, acceptSettings(source, rejected));
  const config = configSchema.parse(merged);
  return { config, problems: rejected.map((one) => formatRejected(one, config)) };
}

/** What of a source is right; what is not is added to `rejected`. */
function acceptSettings(source: Source, rejected: Rejected[]): PlainRecord {
  if (!isRecord(source.settings)) {
    rejected.push({ source, path: [], value: source.settings, isUnknownKey: false });
    return {};
  }
  const settings = structuredClone(source.settings);
  for (;;) {
    const parsed = configSchema.safeParse(settings);
    if (parsed.success) return settings;
    const before = rejected.length;
    for (const path of parsed.error.issues.flatMap(readIssuePaths)) {
      const value = takeOut(settings, path.path);
      if (value !== undefined) rejected.push({ source, value, ...path });
    }
    // Each round takes out at least one field, so it ends; should one ever not, nothing of the source counts.
    if (rejected.length === before) return {};
  }
}

function readIssuePaths(issue: {
  code?: string;
  path: PropertyKey[];
  keys?: string[];
}): Pick<Rejected, "path" | "isUnknownKey">[] {
  const steps = issue.path.filter((step): step is string | number => typeof step !== "symbol");
  // A list counts as a whole.
  const index = steps.findIndex((step) => typeof step === "number");
  const path = index < 0 ? steps : steps.slice(0, index);
  if (issue.code !== "unrecognized_keys") return [{ path, isUnknownKey: false }];
  return (issue.keys ?? []).map((key) => ({ path: [...path, key], isUnknownKey: true }));
}

/** Removes the field and returns what stood there; `undefined` when an earlier issue has taken it out already. */
function takeOut(settings: PlainRecord, path: Path): unknown {
  let holder: unknown = settings;
  for (const step of path.slice(0, -1)) holder = isRecord(holder) ? holder[step] : undefined;
  const last = path.at(-1);
  if (!isRecord(holder) || last === undefined) return undefined;
  const value = holder[last];
  delete holder[last];
  return value ?? null;
}

function formatRejected({ source, path, value, isUnknownKey }: Rejected, config: Config): string {
  const key = [source.prefix, ...path].filter((step) => step !== "").join(".");
  const came = `${source.file}: ${key || "the plugin's options"}`;
  if (isUnknownKey) {
    const closest = findClosest(path);
    return `${came} is not a setting${closest ? `; did you mean ${closest}?` : "."} It is passed over.`;
  }
  const used = readPath(config, path);
  const instead =
    path.length === 0 || isRecord(used) ? "It is passed over." : `Using ${JSON.stringify(used) ?? "none"}.`;
  return `${came} is ${formatValue(value)}, expected ${describeAllowed(path)}. ${instead}`;
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function readPath(config: Config, path: Path): unknown {
  return path.reduce<unknown>((holder, step) => (isRecord(holder) ? holder[step] : undefined), config);
}
