/** Schemas of the memory tools' arguments. Kept out of the tools so that zod is loaded with the first call. */
import * as z from "zod";
import { memoryTypes, readTypeName } from "../../../src/memory/memory.js";

/** Other tools' names for types are accepted and not offered. */
const type = z.preprocess(
  (given) => (typeof given === "string" ? (readTypeName(given) ?? given) : given),
  z.enum(memoryTypes),
);
const words = z.array(z.string().trim().min(1).max(120)).max(20).optional();

export const recallArguments = z.object({
  query: z.string().trim().min(1).max(1_000).optional(),
  id: z.string().trim().min(1).max(300).optional(),
  entity: z.string().trim().min(1).max(300).optional(),
  type: type.optional(),
  archived: z.boolean().optional(),
});

export const rememberArguments = z.object({
  content: z.string().trim().min(3).max(10_000),
  type,
  title: z.string().trim().min(3).max(120).optional(),
  aliases: words,
  tags: words,
  entities: words,
  importance: z.number().min(0).max(1).optional(),
  sensitivity: z.enum(["internal", "private"]).optional(),
  scope: z.enum(["project", "global"]).optional(),
  expires: z.string().optional(),
});

export const keepArguments = z.object({ letters: z.string().trim().min(1).max(300) });

const actions = [
  "edit",
  "archive",
  "restore",
  "resolve",
  "reopen",
  "link",
  "unlink",
  "pin",
  "unpin",
] as const;

export const updateArguments = z.object({
  id: z.string().trim().min(3),
  action: z.enum(actions),
  content: z.string().trim().min(3).max(10_000).optional(),
  title: z.string().trim().min(3).max(120).optional(),
  to: z.string().trim().min(3).optional(),
  reason: z.string().trim().max(300).optional(),
});
