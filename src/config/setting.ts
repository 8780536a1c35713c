/**
 * A setting is plain data: which values are allowed, the default, what it does, and who may set it. The type `Config`,
 * the defaults, `config.schema.json`, `docs/settings.md` and the messages about wrong values are all made of it.
 *
 * A cloned repository has configuration files of its own, which must never decide where text or keys are sent, what is
 * spent or what is trusted. So every setting names its owner:
 *
 *     anyone           any configuration file
 *     user             the user's own files and variables; what a project sets is ignored and reported
 *     user or lower    the same, but a project's file may lower cost or exposure: by a smaller number, `false`, or a list
 *                      that adds to the user's
 *     user or higher   the same, where a larger number lowers the cost
 *     user or lower limit   the same for a limit, where `false` is none. Only its use shows whether a number, a percentage
 *                      or a map is lower, so what a project sets is kept beside the user's (`Limits`)
 */
import { isRecord, type PlainRecord } from "../base/shape.js";

export type Owner = "anyone" | "user" | "user or lower" | "user or higher" | "user or lower limit";

export interface Setting<T = unknown> {
  readonly owner: Owner;
  readonly allowed: Allowed<T>;
  /** The default; `undefined` if there is none. */
  readonly usual: T;
  readonly what: string;
}

export interface SettingsGroup {
  readonly [name: string]: Setting | SettingsGroup;
}

/** Settings of a layer: one group or more, each with its own switch. */
export type SettingsPart = Readonly<Record<string, SettingsGroup & { readonly enabled: Setting<boolean> }>>;

export type Values<G> = {
  readonly [K in keyof G as IsOptional<G[K]> extends true ? never : K]: ValueOf<G[K]>;
} & { readonly [K in keyof G as IsOptional<G[K]> extends true ? K : never]?: ValueOf<G[K]> };

type ValueOf<S> = S extends Setting<infer T> ? T : Values<S>;
type IsOptional<S> = S extends Setting<infer T> ? (undefined extends T ? true : false) : false;

export const isSetting = (one: Setting | SettingsGroup): one is Setting => typeof one.owner === "string";

/* What is allowed. */

/** The part of JSON Schema that settings use. `T` is the type of the values. */
export interface Allowed<T = unknown> {
  readonly type?: "array" | "boolean" | "integer" | "number" | "object" | "string";
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Messages show them instead of the pattern. */
  readonly examples?: readonly string[];
  readonly readOnly?: true;
  readonly items?: Allowed;
  readonly anyOf?: readonly Allowed[];
  readonly properties?: Readonly<Record<string, Allowed>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Allowed;
  readonly additionalProperties?: Allowed | false;
  /** For the compiler only. */
  readonly [VALUE]?: T;
}

declare const VALUE: unique symbol;

export const flag: Allowed<boolean> = { type: "boolean" };

export const whole = (minimum: number, maximum: number): Allowed<number> => ({
  type: "integer",
  minimum,
  maximum,
});

export const only = <const T extends boolean | string>(value: T): Allowed<T> => ({
  type: typeof value as "boolean" | "string",
  const: value,
});

export const oneOf = <const T extends string>(values: readonly T[]): Allowed<T> => ({
  type: "string",
  enum: values,
});

export const either = <A, B>(one: Allowed<A>, other: Allowed<B>): Allowed<A | B> => ({
  anyOf: [one, other].flatMap((each): readonly Allowed[] => each.anyOf ?? [each]),
});

export const textLike = (pattern: RegExp, ...examples: string[]): Allowed<string> => ({
  type: "string",
  pattern: pattern.source,
  ...(examples.length > 0 && { examples }),
});

export const listOf = <T>(items: Allowed<T>): Allowed<readonly T[]> => ({
  readOnly: true,
  type: "array",
  items,
});

export const byName = <T>(each: Allowed<T>): Allowed<Readonly<Record<string, T>>> => ({
  type: "object",
  propertyNames: { type: "string" },
  additionalProperties: each,
});

export function fits(allowed: Allowed, value: unknown): boolean {
  const { anyOf, maximum = Number.POSITIVE_INFINITY, minimum = Number.NEGATIVE_INFINITY, type } = allowed;
  if (anyOf) return anyOf.some((one) => fits(one, value));
  if (allowed.const !== undefined) return value === allowed.const;
  if (allowed.enum) return allowed.enum.includes(value);
  if (type === "boolean") return typeof value === "boolean";
  if (type === "integer" && !Number.isSafeInteger(value)) return false;
  if (type === "integer" || type === "number")
    return typeof value === "number" && value >= minimum && value <= maximum;
  if (type === "array")
    return Array.isArray(value) && value.every((item) => fits(allowed.items as Allowed, item));
  return type === "object" ? isRecord(value) && fitsFields(allowed, value) : fitsText(allowed, value);
}

function fitsText({ maxLength, minLength = 0, pattern = "" }: Allowed, value: unknown): boolean {
  if (typeof value !== "string" || value.length < minLength) return false;
  return value.length <= (maxLength ?? value.length) && new RegExp(pattern).test(value);
}

function fitsFields(
  { additionalProperties, properties = {}, required = [] }: Allowed,
  value: PlainRecord,
): boolean {
  if (required.some((name) => value[name] === undefined)) return false;
  return Object.entries(value).every(([name, one]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return field !== undefined && field !== false && fits(field, one);
  });
}

/* Who may set it. */

interface Declare {
  <T>(allowed: Allowed<T>, usual: NoInfer<T>, what: string): Setting<T>;
  <T>(allowed: Allowed<T>, usual: undefined, what: string): Setting<T | undefined>;
}

const declare =
  (owner: Owner): Declare =>
  (allowed: Allowed, usual: unknown, what: string): Setting<never> =>
    ({ owner, allowed, usual, what }) as Setting<never>;

export const byAnyone = declare("anyone");
export const byUser = declare("user");
export const byUserOrLower = declare("user or lower");
export const byUserOrHigher = declare("user or higher");
export const byUserOrLowerLimit = declare("user or lower limit");

export const enabled = (what: string): Setting<boolean> => byAnyone(flag, true, what);

const RULES: Readonly<Record<Owner, string>> = {
  anyone: "",
  user: " Counts only in your own configuration, not in a project's files.",
  "user or lower": " Counts only in your own configuration; a project's files may lower it.",
  "user or higher": " Counts only in your own configuration; a project's files may raise it.",
  "user or lower limit": " Counts only in your own configuration; a project's files may lower it.",
};

export const describeSetting = ({ owner, what }: Setting): string => `${what}${RULES[owner]}`;

/** May a file of the project replace the value in force by this one? */
export function mayReplace(owner: Owner, value: unknown, inForce: unknown): boolean {
  if (owner === "user or higher") return isLower(inForce, value);
  return owner === "user or lower" && isLower(value, inForce);
}

/** May a project's limit be lower than the one in force, for some model or agent? */
export function mayBeLower(value: unknown, inForce: unknown): boolean {
  const isAlike = typeof value === typeof inForce && typeof value !== "object";
  return value !== false && (!isAlike || Number.parseInt(`${value}`, 10) < Number.parseInt(`${inForce}`, 10));
}

function isLower(value: unknown, inForce: unknown): boolean {
  if (typeof value === "number" && typeof inForce === "number") return value < inForce;
  if (Array.isArray(value) && Array.isArray(inForce))
    return value.length > inForce.length && inForce.every((one) => value.includes(one));
  if (value === false) return inForce !== false;
  return value === "auto" && inForce === true;
}

/* Looking through settings. */

export interface Field extends Setting {
  /** `["toolResults", "threshold"]` */
  path: readonly string[];
}

/** Every setting of a group and those in it. A map or a list counts as one. */
export function listFields(group: SettingsGroup, path: readonly string[] = []): Field[] {
  return Object.entries(group).flatMap(([name, one]) =>
    isSetting(one) ? [{ ...one, path: [...path, name] }] : listFields(one, [...path, name]),
  );
}

export function composeDefaults(group: SettingsGroup): PlainRecord {
  const values: PlainRecord = {};
  for (const [name, one] of Object.entries(group)) {
    const value = isSetting(one) ? structuredClone(one.usual) : composeDefaults(one);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

export const readPath = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((holder, step) => (isRecord(holder) ? holder[step] : undefined), value);

/** Names of the groups that have a switch. */
export const listSwitches = (parts: readonly SettingsPart[]): string[] => parts.flatMap(Object.keys);

export const isSwitchedOn = (config: object, group: string): boolean =>
  (config as Readonly<Record<string, { enabled?: boolean } | undefined>>)[group]?.enabled === true;
