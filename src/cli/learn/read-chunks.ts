import type { Files } from "../../seams/files.js";

const CHUNK_BYTES = 1024 * 1024;

/** The file's bytes in pieces of at most 1 MB, however long it is. Rejects with the system's error. */
export async function* readChunks(
  files: Pick<Files, "readFrom">,
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  for (let offset = 0; ; ) {
    const chunk = await files.readFrom(path, offset, { maxBytes: CHUNK_BYTES });
    if (!chunk || chunk.byteLength === 0) return;
    offset += chunk.byteLength;
    yield chunk;
    onRead(offset);
  }
}
