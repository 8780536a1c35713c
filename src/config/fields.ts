/** The kinds of field that settings have, each with its limits and what it is for. */
import * as z from "zod";
import { byAnyone } from "./owners.js";

/** The switch of a layer. */
export const enabled = (what: string) => byAnyone(z.boolean().default(true).describe(what));

/** A whole number between two limits, both allowed. */
export const whole = (least: number, most: number, usual: number, what: string) =>
  z.number().int().min(least).max(most).default(usual).describe(what);

/** Text of a pattern; the examples are what a message shows in its place. */
export const textLike = (pattern: RegExp, ...examples: string[]) =>
  z.string().regex(pattern).meta({ examples });

export const list = (item: z.ZodString, usual: readonly string[], what: string) =>
  z.array(item).readonly().default(usual).describe(what);
