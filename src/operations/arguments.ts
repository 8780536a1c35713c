/** Checks what an option was given. Each throws `WRONG_ARGUMENT`, which ends the command with 2 before it does anything. */
import { StrataError } from "../base/error.js";
import { readTypeName } from "../memory/id.js";
import { type MemoryType, memoryTypes } from "../memory/memory.js";

export const WRONG_ARGUMENT = "WRONG_ARGUMENT";

/** Maximum number of days that an option accepts. */
export const MOST_DAYS = 36_500;

type Given = string | boolean | undefined;

/** The whole number given to an option, or `usual`. */
export function readWhole(
  option: string,
  given: Given,
  { least, most, usual }: { least: number; most: number; usual: number },
): number {
  if (given === undefined) return usual;
  const value = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new StrataError(
    WRONG_ARGUMENT,
    `${option} must be a whole number from ${least} to ${most}, not "${given}"`,
  );
}

/** The memory type given, if any; `fact`, `lesson` and `reflection` are accepted too. */
export function readType(given: Given): MemoryType | undefined {
  if (typeof given !== "string") return undefined;
  const type = readTypeName(given);
  if (type !== undefined) return type;
  throw new StrataError(
    WRONG_ARGUMENT,
    `"${given}" is not a memory type; use one of ${memoryTypes.join(", ")}`,
  );
}

/** The number from 0 to 1 given to an option, if any. */
export function readShare(option: string, given: Given): number | undefined {
  if (given === undefined) return undefined;
  const value = typeof given === "string" && /^\d*\.?\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= 0 && value <= 1) return value;
  throw new StrataError(WRONG_ARGUMENT, `${option} must be a number from 0 to 1, not "${given}"`);
}

/** Words separated by commas. */
export const readList = (given: string): string[] =>
  given
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
