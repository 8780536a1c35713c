import { relative, resolve } from "node:path";
import { StrataError } from "../../error.js";
import { WRONG_ARGUMENT } from "../arguments.js";

/** The folders on the command line, relative to the root. Throws for one outside the project. */
export function readFolders(
  given: readonly string[],
  { folder, root }: { folder: string; root: string },
): string[] {
  if (given.length === 0) return [""];
  return given.map((one) => {
    const path = relative(root, resolve(folder, one)).replaceAll("\\", "/");
    if (path !== ".." && !path.startsWith("../") && !/^([A-Za-z]:|\/)/.test(path)) return path;
    throw new StrataError(
      WRONG_ARGUMENT,
      `${one} is outside the project ${root}; run strata bootstrap in that project, or add the folder with: strata ingest --recursive`,
    );
  });
}
