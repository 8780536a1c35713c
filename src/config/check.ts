/** Checks what the sources hold against the schema, field by field. Loaded only where there is something to check. */

import { isRecord, mergeRecords, type PlainRecord } from "../records.js";
import { describeAllowed, findClosest } from "./allowed.js";
import { type Field, isLower, listFields, readPath } from "./owners.js";
import type { Config, ConfigSchema } from "./schema.js";
import type { Source } from "./sources.js";

type Path = readonly (string | number)[];
interface Rejected {
  source: Source;
  path: Path;
  value: unknown;
  isUnknownKey: boolean;
}

/** What a file of the project has set of what is the user's to set. */
interface Tried {
  source: Source;
  field: Field;
  value: unknown;
}

/**
 * Merges the sources, weakest first. An invalid field is ignored and becomes a sentence that names
 * the file, the key, what came, what is allowed and what is used instead; one that is not a project's to set likewise.
 */
export function checkSettings(
  schema: ConfigSchema,
  sources: readonly Source[],
  usersFile: string,
): { config: Config; problems: string[] } {
  const rejected: Rejected[] = [];
  const tried: Tried[] = [];
  const fields = listFields(schema);
  let merged: PlainRecord = {};
  for (const source of sources) {
    const accepted = acceptSettings(schema, source, rejected);
    if (source.origin === "project") tried.push(...takeOutUsers(source, accepted, fields));
    merged = mergeRecords(merged, accepted);
  }
  const refused: Tried[] = [];
  for (const one of tried) {
    const { field, value } = one;
    const inForce = readPath(schema.parse(merged), field.path);
    if (field.owner === "user or lower" && isLower(value, inForce))
      merged = mergeRecords(merged, nest(field.path, value));
    else if (!isSame(value, inForce)) refused.push(one);
  }
  const config = schema.parse(merged);
  return {
    config,
    problems: [
      ...rejected.map((one) => formatRejected(schema, one, config)),
      ...refused.map((one) => formatRefused(one, usersFile)),
    ],
  };
}

/** Takes out of a project's settings what only the user sets. */
function takeOutUsers(source: Source, settings: PlainRecord, fields: readonly Field[]): Tried[] {
  return fields
    .filter(({ owner }) => owner !== "anyone")
    .map((field) => ({ source, field, value: takeOut(settings, field.path) }))
    .filter(({ value }) => value !== undefined);
}

const nest = (path: readonly string[], value: unknown): PlainRecord =>
  path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as PlainRecord;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What of a source is right; what is not is added to `rejected`. */
function acceptSettings(schema: ConfigSchema, source: Source, rejected: Rejected[]): PlainRecord {
  if (!isRecord(source.settings)) {
    rejected.push({ source, path: [], value: source.settings, isUnknownKey: false });
    return {};
  }
  const settings = structuredClone(source.settings);
  for (;;) {
    const parsed = schema.safeParse(settings);
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
  // A list counts as a whole or not at all.
  const inList = steps.findIndex((step) => typeof step === "number");
  const path = inList === -1 ? steps : steps.slice(0, inList);
  if (issue.code !== "unrecognized_keys") return [{ path, isUnknownKey: false }];
  return (issue.keys ?? []).map((key) => ({ path: [...path, key], isUnknownKey: true }));
}

/** Removes the field and returns what stood there; `undefined` when nothing did. */
function takeOut(settings: PlainRecord, path: Path): unknown {
  let holder: unknown = settings;
  for (const step of path.slice(0, -1)) holder = isRecord(holder) ? holder[step] : undefined;
  const last = path.at(-1);
  if (!isRecord(holder) || last === undefined || !Object.hasOwn(holder, last)) return undefined;
  const value = holder[last];
  delete holder[last];
  return value;
}

function formatRejected(
  schema: ConfigSchema,
  { source, path, value, isUnknownKey }: Rejected,
  config: Config,
): string {
  const key = [source.prefix, ...path].filter((step) => step !== "").join(".");
  const came = `${source.file}: ${key || "the plugin's options"}`;
  if (isUnknownKey) {
    const closest = findClosest(schema, path);
    return `${came} is not a setting${closest ? `; did you mean ${closest}?` : "."} It is ignored.`;
  }
  const used = readPath(config, path);
  const instead =
    path.length === 0 || isRecord(used) ? "It is ignored." : `Using ${JSON.stringify(used) ?? "none"}.`;
  return `${came} is ${formatValue(value)}, expected ${describeAllowed(schema, path)}. ${instead}`;
}

function formatRefused({ field, source: { file, prefix } }: Tried, usersFile: string): string {
  const key = [prefix, ...field.path].filter((step) => step !== "").join(".");
  return (
    `${key} in ${file} is not used: where words go, what is spent and what is trusted is set in your own ` +
    `configuration, ${usersFile}. Move it there.`
  );
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
