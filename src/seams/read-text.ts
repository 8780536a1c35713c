import type { Files } from "./files.js";

/** Bytes as UTF-8; invalid ones become "\ufffd". */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The text of a file; `undefined` if it does not exist. Rejects with the system's error. */
export async function readText(files: Pick<Files, "read">, path: string): Promise<string | undefined> {
  const bytes = await files.read(path);
  return bytes && decodeText(bytes);
}

/** The text of a file; empty if it is missing, a link or a folder. Rejects with the system's error. */
export async function readPlainText(
  files: Pick<Files, "read" | "statItself">,
  path: string,
): Promise<string> {
  if ((await files.statItself(path))?.kind !== "file") return "";
  return (await readText(files, path)) ?? "";
}
