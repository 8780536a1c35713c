/** What was given to an option, checked. Each throws what ends the command with 2, before anything is done. */
import { StrataError } from "../error.js";
import { isType } from "../memory/id.js";
import { type MemoryType, memoryTypes } from "../memory/memory.js";

/** Code of what is thrown for wrong arguments. */
export const WRONG_ARGUMENT = "WRONG_ARGUMENT";

type Given = string | boolean | undefined;

/** The whole number that an option was given. */
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
    `${option} is to be a whole number from ${least} to ${most}, and is "${given}"`,
  );
}

/** The type that was asked for; `undefined` where none was. */
export function readType(given: Given): MemoryType | undefined {
  if (typeof given !== "string" || isType(given)) return given as MemoryType | undefined;
  throw new StrataError(
    WRONG_ARGUMENT,
    `"${given}" is no type of memory; there are ${memoryTypes.join(", ")}`,
  );
}
