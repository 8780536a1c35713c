import type { Files } from "./files.js";

/** The text of a file; empty where there is none, or a link or a folder in its place. Rejects with the system's error. */
export async function readPlainText(
  files: Pick<Files, "read" | "statItself">,
  path: string,
): Promise<string> {
  if ((await files.statItself(path))?.kind !== "file") return "";
  return new TextDecoder().decode((await files.read(path)) ?? new Uint8Array());
}
