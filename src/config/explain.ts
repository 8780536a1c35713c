import { isRecord } from "../records.js";
import type { Config } from "./schema.js";
import type { Source } from "./sources.js";

/** A setting as it is in force, and who says so. */
export interface ExplainedSetting {
  /** `toolResults.threshold` */
  key: string;
  value: unknown;
  /** A file, or "default". */
  from: string;
}

/** Every setting with its value and the strongest source that has that value for it. */
export function explainSettings(config: Config, sources: readonly Source[]): ExplainedSetting[] {
  return listLeaves(config).map(({ path, value }) => {
    const source = sources.findLast(({ settings }) => isSame(readPath(settings, path), value));
    return { key: path.join("."), value, from: source?.file ?? "default" };
  });
}

function listLeaves(value: unknown, path: string[] = []): { path: string[]; value: unknown }[] {
  // A setting that is itself a map, such as perTool, is one value.
  if (!isRecord(value) || path.length === 2) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => listLeaves(inner, [...path, key]));
}

function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((holder, key) => (isRecord(holder) ? holder[key] : undefined), value);
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
