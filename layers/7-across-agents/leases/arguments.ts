/** Schemas of this layer's tool arguments. Kept out of the tools so that zod is loaded with the first call. */
import * as z from "zod";
import { LONGEST_ITEM, LONGEST_WHY } from "../../../src/project/instances.js";

/** Maximum number of tasks in one call of `fork`; they run in parallel. */
export const MOST_TASKS = 5;

const LONGEST_TASK = 20_000;

export const forkArguments = z.object({
  tasks: z.array(z.string().trim().min(1).max(LONGEST_TASK)).min(1).max(MOST_TASKS),
});

export const leaseArguments = z.object({
  op: z.enum(["claim", "renew", "release", "list"]).optional(),
  item: z.string().trim().min(1).max(LONGEST_ITEM).optional(),
  minutes: z.number().min(1).max(480).optional(),
  why: z.string().max(LONGEST_WHY).optional(),
});

export const sendMessageArguments = z.object({
  to: z.string().trim().min(1).max(200).optional(),
  text: z.string().optional(),
  id: z
    .string()
    .regex(/^[\w.:-]{1,64}$/)
    .optional(),
});
