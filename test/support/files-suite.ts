import { describe, expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";

/** Tests that every implementation of Files must pass. */
export function describeFiles(
  name: string,
  open: () => Promise<{ files: Files; folder: string }>,
  { isDry = false } = {},
): void {
  describe(name, () => {
    it(`${name} returns a value for a missing file, not an error`, async () => {
      const { files, folder } = await open();
      expect(await files.read(`${folder}/no/such`)).toBeUndefined();
      expect(await files.readFrom(`${folder}/no/such`, 3)).toBeUndefined();
      expect(await files.stat(`${folder}/no/such`)).toBeUndefined();
      expect(await files.statItself(`${folder}/no/such`)).toBeUndefined();
      expect(await files.list(`${folder}/no/such`)).toEqual([]);
      expect(await files.realPath(`${folder}/no/such`)).toBeUndefined();
      await files.remove(`${folder}/no/such`);
      await files.touch(`${folder}/no/such`, 1);
      await files.rename(`${folder}/no/such`, `${folder}/other`);
      expect(await files.list(folder)).toEqual([]);
    });

    it(`${name} reads back the written bytes and creates missing folders`, async () => {
      const { files, folder } = await open();
      const bytes = Uint8Array.from([0, 255, 13, 10, 0xe2, 0x82]);
      await files.writeWhole(`${folder}/a/b/c.bin`, bytes.subarray(1));
      expect([...((await files.read(`${folder}/a/b/c.bin`)) ?? [])]).toEqual([...bytes.subarray(1)]);
      expect(await files.stat(`${folder}/a/b/c.bin`)).toMatchObject({ kind: "file", bytes: 5 });
      expect(await files.stat(`${folder}/a`)).toMatchObject({ kind: "folder" });
      for (const path of ["a", "a/b/c.bin"])
        expect(await files.realPath(`${folder}/${path}`)).toMatch(
          new RegExp(`[\\\\/]${path.replaceAll("/", "[\\\\/]")}$`),
        );
    });

    it(`${name} reads the bytes appended to a file`, async () => {
      const { files, folder } = await open();
      await files.appendLine(`${folder}/a.jsonl`, "one");
      await files.appendLine(`${folder}/a.jsonl`, "two");
      const from = async (offset: number) =>
        Buffer.from((await files.readFrom(`${folder}/a.jsonl`, offset)) ?? []).toString();
      expect(await from(0)).toBe("one\ntwo\n");
      expect(await from(4)).toBe("two\n");
      expect(await from(8)).toBe("");
      expect(await from(100)).toBe("");
      const some = await files.readFrom(`${folder}/a.jsonl`, 2, { maxBytes: 4 });
      expect(Buffer.from(some ?? []).toString()).toBe("e\ntw");
      expect(await files.statItself(`${folder}/a.jsonl`)).toMatchObject({ kind: "file", bytes: 8 });
    });

    it(`${name} replaces a whole file and leaves no other file next to it`, async () => {
      const { files, folder } = await open();
      await files.writeWhole(`${folder}/x.txt`, "a long first text");
      await files.writeWhole(`${folder}/x.txt`, "short");
      expect(Buffer.from((await files.read(`${folder}/x.txt`)) ?? []).toString()).toBe("short");
      expect(await files.list(folder)).toEqual(["x.txt"]);
    });

    it(`${name} creates a whole file, and leaves an existing one unchanged`, async () => {
      const { files, folder } = await open();
      expect(await files.create(`${folder}/a/lock`, "mine")).toBe(true);
      expect(await files.create(`${folder}/a/lock`, "yours")).toBe(false);
      expect(Buffer.from((await files.read(`${folder}/a/lock`)) ?? []).toString()).toBe("mine");
      expect(await files.list(`${folder}/a`)).toEqual(["lock"]);
      await files.writeWhole(`${folder}/b/c`, "c");
      expect(await files.create(`${folder}/b`, "x")).toBe(false);
      const racers = Array.from({ length: 20 }, (_, n) => files.create(`${folder}/race`, `${n}`));
      expect((await Promise.all(racers)).filter(Boolean)).toHaveLength(1);
      expect(await files.list(folder)).toEqual(["a", "b", "race"]);
    });

    it(`${name} appends whole lines and ends a line torn by a killed process`, async () => {
      const { files, folder } = await open();
      await files.appendLine(`${folder}/a.jsonl`, "one");
      await files.appendLine(`${folder}/a.jsonl`, "two");
      await files.writeWhole(`${folder}/torn.jsonl`, 'one\n{"half');
      await files.appendLine(`${folder}/torn.jsonl`, "two");
      expect(Buffer.from((await files.read(`${folder}/a.jsonl`)) ?? []).toString()).toBe("one\ntwo\n");
      expect(Buffer.from((await files.read(`${folder}/torn.jsonl`)) ?? []).toString()).toBe(
        'one\n{"half\ntwo\n',
      );
    });

    it(`${name} lists names in order, renames over existing files, and keeps the time of last use`, async () => {
      const { files, folder } = await open();
      await files.writeWhole(`${folder}/b`, "b");
      await files.writeWhole(`${folder}/a`, "a");
      expect(await files.list(folder)).toEqual(["a", "b"]);
      await files.rename(`${folder}/a`, `${folder}/b`);
      expect(await files.list(folder)).toEqual(["b"]);
      await files.rename(`${folder}/b`, `${folder}/made/for/it`);
      expect(await files.list(`${folder}/made/for`)).toEqual(["it"]);
      await files.rename(`${folder}/made/for/it`, `${folder}/b`);
      await files.touch(`${folder}/b`, 1_700_000_000_000);
      expect((await files.stat(`${folder}/b`))?.modifiedMs).toBe(1_700_000_000_000);
    });

    if (isDry) return;
    it(`${name} throws with a code if a file is where a folder is needed`, async () => {
      const { files, folder } = await open();
      await files.writeWhole(`${folder}/file`, "x");
      await expect(files.writeWhole(`${folder}/file/below`, "y")).rejects.toMatchObject({
        code: expect.stringMatching(/ENOTDIR|EEXIST/),
      });
      await expect(files.list(`${folder}/file`)).rejects.toMatchObject({ code: "ENOTDIR" });
    });
  });
}
