/** What a change is made to, and how it is refused. */
import { join } from "node:path";
import { formatPrefix } from "../../id.js";
import type { Memory } from "../../memory.js";
import { findPathFault } from "../../path.js";
import type { Written } from "../../store.js";
import type { Desk } from "../desk.js";
import type { Looked } from "../entries.js";
import type { Standing } from "../standing.js";

/** A change that was looked at and may be made. */
export interface Target {
  standing: Standing;
  desk: Desk;
  /** From the folder of the shelf. */
  path: string;
  looked: Looked;
  memory: Memory;
}

export function unchanged({ standing, memory, path }: Target): Written {
  return { kind: "unchanged", memory, path: join(standing.shelf.folder, path) };
}

export const refuse = (why: string): Written => ({ kind: "refused", why });

export const missing = (id: string): string =>
  `there is no memory ${JSON.stringify(id)}; ids look like decision/port-8080 or ${formatPrefix({ scope: "global", sensitivity: "private" })}preference/tone`;

export function findProblem({ path, reading }: Looked): string | undefined {
  if (reading.kind === "problem") return reading.what;
  const fault = findPathFault(path);
  return fault && `${fault}, so it has no history and is not changed; give it another name`;
}

export async function findLinkOn(desk: Desk, path: string): Promise<string | undefined> {
  const link = await desk.findLink(path);
  return link && `${link} is a link, and links are not followed`;
}
