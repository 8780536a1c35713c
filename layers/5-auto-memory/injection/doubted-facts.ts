/** Finds memories whose file now states otherwise, so that they are not shown as certain. Reads only newer files. */
import { join } from "node:path";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { Memory } from "../../../src/memory/memory.js";
import { readTaken } from "../../../src/sources/bootstrap/taken.js";

/** By memory id: what to verify, as a clause. */
export type Doubts = ReadonlyMap<string, string>;

/** Never rejects because of a file's contents. */
export type FindDoubts = (memories: readonly Memory[]) => Promise<Doubts>;

export function createFindDoubts({
  clock,
  files,
  folders: { project },
}: Pick<LayerContext, "clock" | "files" | "folders">): FindDoubts {
  /** By memory and file version: is it in doubt? */
  const known = new Map<string, boolean>();

  return async (memories) => {
    const doubts = new Map<string, string>();
    const newer: { memory: Memory; file: string; version: string }[] = [];
    for (const memory of memories) {
      const file = memory.status === "active" ? readTaken(memory)?.file : undefined;
      if (file === undefined || memory.scope !== "project") continue;
      const stat = await files.statItself(join(project, file));
      if (stat && stat.modifiedMs > Date.parse(memory.updated))
        newer.push({
          memory,
          file,
          version: `${memory.id} ${memory.updated} ${stat.modifiedMs} ${stat.bytes}`,
        });
    }
    if (newer.some(({ version }) => !known.has(version))) await check(newer);
    for (const { file, memory, version } of newer)
      if (known.get(version)) doubts.set(memory.id, `${file} has changed since`);
    return doubts;
  };

  async function check(newer: readonly { memory: Memory; version: string }[]): Promise<void> {
    const { checkFacts } = await import("../../../src/sources/bootstrap/plan-bootstrap.js");
    const looked = newer.map(({ memory }) => memory);
    const checked = await checkFacts(looked, { files, project, nowMs: clock.now() });
    const changed = new Set(checked.changes.map(({ before }) => before.id));
    known.clear();
    for (const { memory, version } of newer)
      known.set(version, changed.has(memory.id) || checked.doubted.has(memory.id));
  }
}
