/**
 * Finds a Chromium that runs. On x64 Linux it is the one in the npm package `@sparticuz/chromium`, unpacked once into
 * node_modules, with its own fonts, so that every machine renders the same. Elsewhere it is an installed one, if any.
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

/** Path of a Chromium that runs; `undefined` if there is none. */
export function findBrowser(): Browser | undefined {
  return findPacked() ?? findInstalled();
}

/** The package's Chromium; its libraries replace those that the machine lacks. */
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

/** Unpacks into a temporary folder first: two tests may start at once, and one may be killed. */
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
