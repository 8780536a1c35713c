/**
 * 0.1.0 kept preferences in their own folder, hidden from git by rules of `.gitignore`: they move to `private/`, with
 * their lines in the ledger there.
 */
import { join } from "node:path";
import { formatError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { type Files, readText } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import { memoryTypes, parseID } from "../memory.js";
import { ARCHIVE, splitPath } from "../path.js";
import { type Collection, findCollection } from "./collection.js";
import { rewriteLines } from "./ledger.js";
import { listItself } from "./scan.js";

export interface MoveOldOptions {
  files: Files;
  log: Log;
  collections: readonly Collection[];
}

/** Matches a rule by which 0.1.0 kept a type out of git, and one by which it let git see a memory of such a type. */
const RULE = new RegExp(`^/(?:${ARCHIVE}/)?(${memoryTypes.join("|")})/\\*$`);
const EXCEPTION = new RegExp(`^!/((?:${ARCHIVE}/)?(?:${memoryTypes.join("|")})/.+)$`);

/** Moves them once. The rules go last: if the process stops before, all is done again. Never rejects. */
export function createMoveOld({ collections, files, log }: MoveOldOptions): () => Promise<void> {
  let moving: Promise<void> | undefined;
  return () => {
    moving ??= moveAll().catch((thrown) =>
      log.warn("memory", `cannot move memories to private/ that git should not see: ${formatError(thrown)}`),
    );
    return moving;
  };

  async function moveAll(): Promise<void> {
    const [shared, hidden] = (["internal", "private"] as const).map((sensitivity) =>
      findCollection(collections, { scope: "project", sensitivity }),
    );
    if (!shared || !hidden) return;
    const ignore = join(shared.place.folder, ".gitignore");
    const text = (await readText(files, ignore)) ?? "";
    const types = new Set(text.split(/\r?\n/).flatMap((line) => RULE.exec(line)?.[1] ?? []));
    if (types.size === 0) return;
    await hidden.place.prepare();
    await shared.change((_, lock) =>
      hidden.change(async () => {
        const lines = text.split("\n");
        const seen = new Set(lines.flatMap((line) => EXCEPTION.exec(line.trim())?.[1] ?? []));
        for (const type of types)
          for (const folder of [type, `${ARCHIVE}/${type}`])
            for (const name of await listItself(files, join(shared.place.folder, folder))) {
              const path = `${folder}/${name}`;
              const to = join(hidden.place.folder, path);
              if (splitPath(path) && !seen.has(path) && !(await files.statItself(to)))
                await files.rename(join(shared.place.folder, path), to);
            }
        await rewriteLines({ files, folder: hidden.place.folder, lock }, (value) => {
          const place = isRecord(value) && typeof value.key === "string" ? parseID(value.key) : undefined;
          const isOld = place?.scope === "project" && place.sensitivity === "internal";
          return isOld && isRecord(value) ? { ...value, key: `private/${value.key}` } : value;
        });
        const kept = lines.filter((line) => !RULE.test(line.trim()) && !EXCEPTION.test(line.trim()));
        await files.writeWhole(ignore, kept.join("\n"));
      }),
    );
  }
}
