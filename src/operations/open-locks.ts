import type { Files } from "../io/files.js";
import { createLocks, type Locks } from "../io/locks.js";
import type { Project } from "./project.js";

/**
 * Locks that count across processes. Within one process each needs an `instance` name of its own: two of one name would
 * each take the other for gone. A lock that came with a copy of the project is watched until it is known to be dead.
 */
export function openLocks({ cli, processes }: Project, instance: string, files: Files = cli.files): Locks {
  const onDoubt = (why: string): void => cli.warn(`strata: ${why}; waiting …`);
  return createLocks({ clock: cli.clock, files, processes, instance, onDoubt });
}
