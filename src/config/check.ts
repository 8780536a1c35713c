/** Checks the sources of settings, field by field. Loaded only if a source has settings. */
import { isRecord, mergeRecords, type PlainRecord } from "../base/shape.js";
import type { Source } from "./plugin-entries.js";
import type { Config, Limits, StrataOptions } from "./schema.js";
import {
  type Allowed,
  composeDefaults,
  describeSetting,
  type Field,
  fits,
  isSetting,
  listFields,
  mayBeLower,
  mayReplace,
  readPath,
  type Setting,
  type SettingsGroup,
} from "./setting.js";

interface Rejected {
  source: Source;
  path: readonly string[];
  value: unknown;
  /** What belongs there; `undefined` if there is no such setting. */
  expected: Setting | SettingsGroup | undefined;
  group: SettingsGroup;
}

/** A setting in a project's file that only the user may set. */
type Tried = { source: Source; field: Field; value: unknown };

/**
 * Merges the sources, weakest first. An invalid field is ignored and reported in a sentence that names the file, the
 * key, the value, what is allowed and what is used instead. A field that a project may not set is reported, too.
 */
export function checkSettings(
  settings: SettingsGroup,
  sources: readonly Source[],
  usersFile: string,
): { config: Config; limits: Limits; problems: string[] } {
  const rejected: Rejected[] = [];
  const tried: Tried[] = [];
  const users = listFields(settings).filter(({ owner }) => owner !== "anyone");
  let merged = composeDefaults(settings);
  const limits: Record<keyof Limits, PlainRecord> = { users: {}, projects: {} };
  for (const source of sources) {
    const accepted = acceptGroup(settings, source.settings, { source, rejected, path: [], group: settings });
    if (source.origin === "project") tried.push(...takeOutUsers(source, accepted, users));
    else limits.users = mergeRecords(limits.users, accepted);
    merged = mergeRecords(merged, accepted);
  }
  const refused: Tried[] = [];
  for (const one of tried) {
    const { field, value } = one;
    const inForce = readPath(merged, field.path);
    if (field.owner === "user or lower limit") {
      const higher = findHigher(one, inForce);
      refused.push(...higher);
      if (!higher.includes(one)) limits.projects = mergeRecords(limits.projects, nest(field.path, value));
    } else if (mayReplace(field.owner, value, inForce))
      merged = mergeRecords(merged, nest(field.path, value));
    else if (JSON.stringify(value) !== JSON.stringify(inForce)) refused.push(one);
  }
  const config = withMasterSwitch(merged as unknown as Config);
  return {
    config,
    limits: limits as Record<keyof Limits, StrataOptions>,
    problems: [
      ...rejected.map((one) => formatRejected(one, config)),
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
function takeOutUsers(source: Source, settings: PlainRecord, users: readonly Field[]): Tried[] {
  return users.flatMap((field) => {
    const holder = readPath(settings, field.path.slice(0, -1));
    const name = field.path.at(-1) ?? "";
    if (!isRecord(holder) || holder[name] === undefined) return [];
    const { [name]: value } = holder;
    delete holder[name];
    return [{ source, field, value }];
  });
}

/** What of a project's limit is never lower than the one in force. A map counts as a whole, but each entry is reported. */
function findHigher(one: Tried, inForce: unknown): Tried[] {
  const { field, value } = one;
  if (!isRecord(value)) return mayBeLower(value, inForce) || value === inForce ? [] : [one];
  return Object.entries(value).flatMap(([name, each]) => {
    const entry = { ...one, field: { ...field, path: [...field.path, name] }, value: each };
    return findHigher(entry, isRecord(inForce) ? inForce[name] : inForce);
  });
}

const nest = (path: readonly string[], value: unknown): PlainRecord =>
  path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as PlainRecord;

interface Accepting extends Pick<Rejected, "group" | "path" | "source"> {
  rejected: Rejected[];
}

function acceptGroup(group: SettingsGroup, given: unknown, at: Accepting): PlainRecord {
  if (!isRecord(given)) {
    at.rejected.push({ ...at, value: given, expected: group });
    return {};
  }
  const accepted: PlainRecord = {};
  for (const [name, value] of Object.entries(given)) {
    const expected = Object.hasOwn(group, name) ? group[name] : undefined;
    const below = { ...at, group, path: [...at.path, name] };
    if (value === undefined) continue;
    if (!expected) at.rejected.push({ ...below, value, expected });
    else if (isSetting(expected)) Object.assign(accepted, acceptSetting(name, expected, value, below));
    else accepted[name] = acceptGroup(expected, value, below);
  }
  return accepted;
}

/** A list counts as a whole or not at all, a map entry by entry. */
function acceptSetting(name: string, setting: Setting, value: unknown, at: Accepting): PlainRecord {
  const each = findMap(setting.allowed);
  if (each && isRecord(value)) {
    const entries = Object.entries(value).filter(([key, one]) => {
      const isRight = fits(each, one);
      const expected = { ...setting, allowed: each };
      if (!isRight) at.rejected.push({ ...at, path: [...at.path, key], value: one, expected });
      return isRight;
    });
    return { [name]: Object.fromEntries(entries) };
  }
  if (fits(setting.allowed, value)) return { [name]: structuredClone(value) };
  at.rejected.push({ ...at, value, expected: setting });
  return {};
}

/** What is allowed for each entry, if a map is. */
const findMap = ({ additionalProperties, anyOf = [] }: Allowed): Allowed | undefined =>
  additionalProperties || anyOf.find((one) => one.additionalProperties)?.additionalProperties || undefined;

function formatRejected({ expected, group, path, source, value }: Rejected, config: Config): string {
  const came = formatKey(source, path) || "the plugin's options";
  if (!expected) {
    const closest = findClosest(Object.keys(group), path.at(-1) ?? "");
    const meant = closest ? `; did you mean ${closest}?` : ".";
    return `${came} is not a setting${meant} It is ignored. (${source.file})`;
  }
  const used = readPath(config, path);
  const instead =
    path.length === 0 || isRecord(used) ? "It is ignored." : `Using ${JSON.stringify(used) ?? "none"}.`;
  return `${came} is ${formatValue(value)}, expected ${describeExpected(expected)}. ${instead} (${source.file})`;
}

function formatRefused({ field, source }: Tried, usersFile: string): string {
  const what = field.owner === "user" ? "set" : field.owner === "user or higher" ? "lower" : "raise";
  return (
    `${formatKey(source, field.path)} in ${source.file} is not used: a project cannot ${what} what is sent, spent or trusted. Move it to your own ` +
    `configuration, ${usersFile}.`
  );
}

const formatKey = ({ prefix }: Source, path: readonly string[]): string =>
  [prefix, ...path].filter((step) => step !== "").join(".");

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** "a whole number from 1 to 10 (Failures in a row …)" */
function describeExpected(expected: Setting | SettingsGroup): string {
  if (!isSetting(expected)) return inWords({ type: "object", properties: expected as never });
  return `${inWords(expected.allowed)} (${describeSetting(expected).replace(/\.$/, "")})`;
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
  if (allowed.additionalProperties) return `an object by name, each ${inWords(allowed.additionalProperties)}`;
  return allowed.type === "object" ? "an object" : "text";
}

/** The name that is closest to the wrong one, if close enough for a typo. */
function findClosest(names: readonly string[], wrong: string): string | undefined {
  const [best] = names
    .map((name) => ({ name, distance: countEdits(wrong.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(2, wrong.length / 3) ? best.name : undefined;
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
