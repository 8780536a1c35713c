/**
 * Who may set a setting. A cloned repository has configuration files of its own, which must never decide where text or
 * keys are sent, what is spent or what is trusted. Every field of the schema names its owner; a field without one
 * belongs to the user.
 *
 *     anyone           any configuration file
 *     user             the user's own files and variables; what a project sets is ignored and reported
 *     user or lower    the same, but a project's file may lower cost or exposure: by a smaller number, `false`, or a list
 *                      that adds to the user's
 *     user or higher   the same, where a larger number lowers the cost
 */
import * as z from "zod";
import { isRecord } from "../base/shape.js";

export type Owner = "anyone" | "user" | "user or lower" | "user or higher";

export interface Field {
  /** `["toolResults", "threshold"]` */
  path: readonly string[];
  /** Absent if the schema does not say. */
  owner?: Owner;
}

const owners = z.registry<{ owner: Owner }>();

/** Any configuration file may set it: it affects nothing that is sent, spent or trusted. */
export const byAnyone = <T extends z.ZodType>(field: T): T => declare(field, "anyone");

/** Only the user's own configuration may set it. */
export const byUser = <T extends z.ZodType>(field: T): T =>
  declare(withRule(field, "Counts only in your own configuration, not in a project's files."), "user");

/** The user's own configuration sets it; a project's file may lower it. */
export const byUserOrLower = <T extends z.ZodType>(field: T): T =>
  declare(
    withRule(field, "Counts only in your own configuration; a project's files may lower it."),
    "user or lower",
  );

/** The user's own configuration sets it; a project's file may raise it. */
export const byUserOrHigher = <T extends z.ZodType>(field: T): T =>
  declare(
    withRule(field, "Counts only in your own configuration; a project's files may raise it."),
    "user or higher",
  );

function declare<T extends z.ZodType>(field: T, owner: Owner): T {
  owners.add(field as z.ZodType, { owner });
  return field;
}

const withRule = <T extends z.ZodType>(field: T, rule: string): T =>
  field.describe(`${field.description ?? ""} ${rule}`.trim());

/** Every field of a schema with its owner. A map or a list counts as one field. */
export function listFields(schema: z.ZodType, path: readonly string[] = []): Field[] {
  const { inner, owner } = unwrap(schema);
  if (inner instanceof z.ZodObject) {
    const shape: Record<string, z.ZodType> = inner.shape;
    return Object.entries(shape).flatMap(([name, field]) => listFields(field, [...path, name]));
  }
  return [{ path, ...(owner && { owner }) }];
}

/** Removes wrappers such as defaults. Any of them may carry the owner. */
function unwrap(schema: z.ZodType): { inner: z.ZodType; owner?: Owner } {
  const owner = owners.get(schema)?.owner;
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  const below = isWrapped ? unwrap(schema.unwrap() as z.ZodType) : { inner: schema };
  return owner ? { ...below, owner } : below;
}

/** May a file of the project replace the value in force by this one? */
export function mayReplace(owner: Owner | undefined, value: unknown, inForce: unknown): boolean {
  if (owner === "user or higher") return isLower(inForce, value);
  return owner === "user or lower" && isLower(value, inForce);
}

function isLower(value: unknown, inForce: unknown): boolean {
  if (typeof value === "number" && typeof inForce === "number") return value < inForce;
  if (Array.isArray(value) && Array.isArray(inForce))
    return value.length > inForce.length && inForce.every((one) => value.includes(one));
  if (value === false) return inForce !== false;
  return value === "auto" && inForce === true;
}

/** The value at a path, if any. */
export function readPath(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((holder, step) => (isRecord(holder) ? holder[step] : undefined), value);
}

/* Kinds of settings fields, each with limits, default and description. */

/** On/off switch of a layer. */
export const enabled = (what: string) => byAnyone(z.boolean().default(true).describe(what));

/** A whole number between two limits, inclusive. */
export const whole = (least: number, most: number, usual: number, what: string) =>
  z.number().int().min(least).max(most).default(usual).describe(what);

/** Text that matches a pattern. Messages show the examples instead of the pattern. */
export const textLike = (pattern: RegExp, ...examples: string[]) =>
  z.string().regex(pattern).meta({ examples });

export const list = (item: z.ZodString, usual: readonly string[], what: string) =>
  z.array(item).readonly().default(usual).describe(what);
