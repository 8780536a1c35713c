/** Checks the sources against the schema, field by field. Loaded only if a source has settings. */
import * as z from "zod";
import { isRecord, mergeRecords, type PlainRecord } from "../base/shape.js";
import { type Field, listFields, mayReplace, readPath } from "./owners.js";
import type { Source } from "./plugin-entries.js";
import type { Config, ConfigSchema } from "./schema.js";

type Path = readonly (string | number)[];
interface Rejected {
  source: Source;
  path: Path;
  value: unknown;
  isUnknownKey: boolean;
}

/** A setting in a project's file that only the user may set. */
interface Tried {
  source: Source;
  field: Field;
  value: unknown;
}

/**
 * Merges the sources, weakest first. An invalid field is ignored and reported in a sentence that names the file, the
 * key, the value, what is allowed and what is used instead. A field that a project may not set is reported, too.
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
    if (mayReplace(field.owner, value, inForce)) merged = mergeRecords(merged, nest(field.path, value));
    else if (!isSame(value, inForce)) refused.push(one);
  }
  const config = withMasterSwitch(schema.parse(merged));
  return {
    config,
    problems: [
      ...rejected.map((one) => formatRejected(schema, one, config)),
      ...refused.map((one) => formatRefused(one, usersFile)),
    ],
  };
}

/** `enabled: false` at the top switches off every group that has a switch. */
function withMasterSwitch(config: Config): Config {
  if (config.enabled) return config;
  const groups = Object.entries(config).map(([name, group]) => [
    name,
    isRecord(group) && "enabled" in group ? { ...group, enabled: false } : group,
  ]);
  return Object.fromEntries(groups);
}

/** Removes from a project's settings the fields that only the user may set, and returns them. */
function takeOutUsers(source: Source, settings: PlainRecord, fields: readonly Field[]): Tried[] {
  return fields
    .filter(({ owner }) => owner !== "anyone")
    .map((field) => ({ source, field, value: takeOut(settings, field.path) }))
    .filter(({ value }) => value !== undefined);
}

const nest = (path: readonly string[], value: unknown): PlainRecord =>
  path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as PlainRecord;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the valid part of a source and adds the rest to `rejected`. */
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
    // Each round removes at least one field, so the loop ends. If a round removes none, the source is ignored.
    if (rejected.length === before) return {};
  }
}

function readIssuePaths(issue: {
  code?: string;
  path: PropertyKey[];
  keys?: string[];
}): Pick<Rejected, "path" | "isUnknownKey">[] {
  const steps = issue.path.filter((step): step is string | number => typeof step !== "symbol");
  // A list is valid as a whole or not at all.
  const inList = steps.findIndex((step) => typeof step === "number");
  const path = inList === -1 ? steps : steps.slice(0, inList);
  if (issue.code !== "unrecognized_keys" || inList !== -1) return [{ path, isUnknownKey: false }];
  return (issue.keys ?? []).map((key) => ({ path: [...path, key], isUnknownKey: true }));
}

/** Removes the field and returns its value; `undefined` if it was absent. */
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
  const what = field.owner === "user" ? "set" : field.owner === "user or lower" ? "raise" : "lower";
  return (
    `${key} in ${file} is not used: a project cannot ${what} what is sent, spent or trusted. Move it to your own ` +
    `configuration, ${usersFile}.`
  );
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

interface Allowed {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  examples?: unknown[];
  items?: Allowed;
  anyOf?: Allowed[];
  properties?: Record<string, Allowed>;
  additionalProperties?: Allowed | boolean;
  description?: string;
}

/** Describes the allowed values of a setting: "a whole number from 1 to 10 (Failures in a row …)". */
export function describeAllowed(schema: ConfigSchema, path: Path): string {
  const allowed = findAllowed(schema, path);
  const description = allowed?.description ? ` (${allowed.description.replace(/\.$/, "")})` : "";
  return `${allowed ? inWords(allowed) : "another value"}${description}`;
}

/** The setting whose name is closest to the last step of `path`, if close enough for a typo. */
export function findClosest(schema: ConfigSchema, path: Path): string | undefined {
  const siblings = Object.keys(findAllowed(schema, path.slice(0, -1))?.properties ?? {});
  const wrong = String(path.at(-1));
  const ranked = siblings
    .map((name) => ({ name, distance: countEdits(wrong.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, wrong.length / 3) ? best.name : undefined;
}

function findAllowed(schema: ConfigSchema, path: Path): Allowed | undefined {
  const root = z.toJSONSchema(schema, { io: "input" }) as Allowed;
  return path.reduce<Allowed | undefined>((holder, step) => {
    const rest = holder?.additionalProperties;
    return holder?.properties?.[step] ?? (typeof rest === "object" ? rest : undefined);
  }, root);
}

function inWords(allowed: Allowed): string {
  if (allowed.anyOf) return allowed.anyOf.map(inWords).join(" or ");
  if (allowed.const !== undefined) return JSON.stringify(allowed.const);
  if (allowed.enum) return `one of ${allowed.enum.map((value) => JSON.stringify(value)).join(", ")}`;
  if (allowed.type === "integer") return `a whole number from ${allowed.minimum} to ${allowed.maximum}`;
  if (allowed.type === "boolean") return "true or false";
  if (allowed.properties) return `an object with any of ${Object.keys(allowed.properties).join(", ")}`;
  if (allowed.items) return `a list, each item ${inWords(allowed.items)}`;
  if (allowed.examples) return `text like ${allowed.examples.map((one) => JSON.stringify(one)).join(" or ")}`;
  return allowed.type === "object" ? "an object" : "text";
}

/** Levenshtein distance, for short names. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
