import type { Files } from "./files.js";

/** The text of a file; empty if it is missing, a link or a folder. Rejects with the system's error. */
export async function readPlainText(
  files: Pick<Files, "read" | "statItself">,
  path: string,
): Promise<string> {
  if ((await files.statItself(path))?.kind !== "file") return "";
  return new TextDecoder().decode((await files.read(path)) ?? new Uint8Array());
}
