/**
 * Finds a Chromium that runs. On Linux with an x64 processor it is the one that the npm package `@sparticuz/chromium`
 * carries, unpacked once beside the packages, with its own fonts: every machine sees the same. Elsewhere it is that of
 * the machine, if there is one.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { patiently } from "../../support/patience.js";

export interface Browser {
  binary: string;
  env: Record<string, string | undefined>;
}

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** One that runs; `undefined` where there is none. */
export function findBrowser(): Browser | undefined {
  return findPacked() ?? findInstalled();
}

/** That of the package; its libraries stand in where the machine has none. */
function findPacked(): Browser | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const packed = findPackage();
  if (packed === undefined) return undefined;
  const folder = join(packed, "..", "..", "..", ".cache", "strata-chromium", readVersion(packed));
  if (!existsSync(folder)) unpack(packed, folder);
  const binary = join(folder, "chromium");
  const env = { ...process.env, FONTCONFIG_FILE: join(folder, "fonts.conf") };
  const withLibraries = { ...env, LD_LIBRARY_PATH: join(folder, "lib") };
  return [env, withLibraries].map((one) => ({ binary, env: one })).find(runs);
}

function findPackage(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
    return join(entry.slice(0, entry.lastIndexOf("@sparticuz")), "@sparticuz", "chromium", "bin");
  } catch {
    return undefined;
  }
}

const readVersion = (packed: string): string =>
  JSON.parse(readFileSync(join(dirname(packed), "package.json"), "utf8")).version;

/** In a folder of another name first: two tests may want it at once, and one may be killed. */
function unpack(packed: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const half = mkdtempSync(`${folder}-`);
  const read = (name: string) => brotliDecompressSync(readFileSync(join(packed, name)));
  writeFileSync(join(half, "chromium"), read("chromium.br"), { mode: 0o755 });
  for (const name of ["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"])
    execFileSync("tar", ["-x", "-C", half], { input: read(name) });
  const dirs = `<dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "fonts-cache")}</cachedir>`;
  writeFileSync(join(half, "fonts.conf"), `<fontconfig>${dirs}</fontconfig>`);
  try {
    renameSync(half, folder);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

function findInstalled(): Browser | undefined {
  return [...NAMES, MAC].map((binary) => ({ binary, env: process.env })).find(runs);
}

const runs = ({ binary, env }: Browser): boolean =>
  spawnSync(binary, ["--headless", "--no-sandbox", "--version"], {
    env,
    stdio: "ignore",
    timeout: patiently(20_000),
  }).status === 0;
