/** Kinds of settings fields, each with limits, default and description. */
import * as z from "zod";
import { byAnyone } from "./owners.js";

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
