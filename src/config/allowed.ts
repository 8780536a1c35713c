import * as z from "zod";
import type { ConfigSchema } from "./schema.js";

type Path = readonly (string | number)[];
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
