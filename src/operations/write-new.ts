import { resolve } from "node:path";
import { StrataError } from "../base/error.js";
import type { CliContext } from "./command.js";

/** What the option does that commands have which write a file that the user names. */
export const FORCE = "replaces the file if it exists";

/**
 * Writes a file that the user has named, relative to the working directory; returns its path. Rejects if something is
 * there, unless `isForced`.
 */
export async function writeNew(
  { files, folder }: Pick<CliContext, "files" | "folder">,
  name: string,
  text: string,
  isForced: boolean,
): Promise<string> {
  const path = resolve(folder, name);
  if (isForced) await files.writeWhole(path, text, { mode: "kept" });
  else if (!(await files.create(path, text)))
    throw new StrataError(
      "IN_THE_WAY",
      `${path} already exists; choose another file, or replace it with --force`,
    );
  return path;
}
