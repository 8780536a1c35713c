/** Arguments that several tools share. */
import { basename, resolve } from "node:path";
import * as z from "zod";
import { type Memory, type MemoryType, memoryTypes, readTypeName } from "../memory/memory.js";
import type { SharedContext } from "./shared-context.js";
import { refuse } from "./tool.js";

/** Memory types, and the names that other tools use; `conversation` means session notes, not a memory type. */
const CATEGORIES = [...memoryTypes, "fact"] as const;
export const CONVERSATION = "conversation";

export const category = z.enum(CATEGORIES);
export const anyCategory = z.enum([...CATEGORIES, CONVERSATION]);
export const memoryID = z.string().trim().min(1).max(300);
export const query = z.string().trim().min(1).max(1_000);
export const content = z.string().trim().min(3).max(10_000);
export const remark = z.string().trim().min(1).max(2_000);
export const reason = z.string().trim().min(1).max(300);
export const entity = z.string().trim().min(1).max(300);
export const entities = z.array(z.string().trim().min(1).max(120)).max(20);
export const limit = z.number().int().min(1).max(100);
export const days = z.number().int().min(0).max(36_500);
export const project = z.string().trim().min(1).max(1_000);
export const path = z.string().trim().min(1).max(1_000);
/** Becomes part of a file name and of a line that others see. */
export const sessionID = z
  .string()
  .trim()
  .regex(/^[\w-]{1,50}$/, "expected 1 to 50 letters, digits, _ or -");

/** The memory type of a category; `undefined` without one. */
export const typeOf = (given: string | undefined): MemoryType | undefined => readTypeName(given);

/**
 * The scope that `project` names: "global", or this project by its name or folder. @throws StrataError for any other
 * project, since a server serves only one.
 */
export function readScope(
  { project: { root, cli } }: Pick<SharedContext, "project">,
  given: string | undefined,
): Memory["scope"] | undefined {
  if (given === undefined) return undefined;
  if (given === "global") return "global";
  if (given === basename(root) || resolve(cli.folder, given) === root) return "project";
  throw refuse(
    `This server serves ${basename(root)} (${root}) and global memories; "${given}" is neither. Omit project, or start strata mcp --project ${given}.`,
  );
}
