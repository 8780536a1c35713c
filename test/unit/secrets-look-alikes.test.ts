import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findSecrets } from "../../src/text/secrets/secrets.js";
import { createRandom, generate } from "../support/secrets/generate.js";
import { lookAlikes } from "../support/secrets/samples.js";

const SEED = 14;
const EACH = 20;
/** Of all look-alikes of a kind. */
const MOST_FALSE = 0.01;

const findIn = (text: string): string[] => findSecrets(text).map(({ end, start }) => text.slice(start, end));

describe("what looks like a secret and is none", () => {
  it.each(Object.entries(lookAlikes))("%s: at most one of 100 is taken for one", (_, formats) => {
    const random = createRandom(SEED);
    const texts = formats.flatMap((format) => Array.from({ length: EACH }, () => generate(format, random)));
    const taken = texts.filter((text) => findIn(text).length > 0);
    expect(taken.slice(0, taken.length > texts.length * MOST_FALSE ? 9 : 0)).toEqual([]);
  });

  it("a lock file holds none", () => {
    const lock = readFileSync("package-lock.json", "utf8");
    expect(lock.match(/"integrity"/g)?.length).toBeGreaterThan(100);
    expect(findIn(lock)).toEqual([]);
  });

  it("the manifests and change logs of the installed packages hold none", () => {
    const folders = readdirSync("node_modules").flatMap((name) =>
      name.startsWith("@") ? readdirSync(`node_modules/${name}`).map((part) => `${name}/${part}`) : [name],
    );
    const paths = folders
      .flatMap((folder) => ["package.json", "CHANGELOG.md"].map((name) => `node_modules/${folder}/${name}`))
      .filter((path) => existsSync(path));
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.flatMap((path) => findIn(readFileSync(path, "utf8")))).toEqual([]);
  });
});
