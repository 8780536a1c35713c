/**
 * Packs the package and unpacks it, once for a run of the host tests: they load what people get, of which nothing is in
 * the tree but by being named in `files`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PACKAGE_VARIABLE } from "./repository.js";
import { pack, unpack } from "./stage/packed.js";

export default function setup(): (() => void) | undefined {
  // Two projects have this setup.
  if (process.env[PACKAGE_VARIABLE] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "strata-packed-"));
  process.env[PACKAGE_VARIABLE] = unpack(pack(folder), join(folder, "opencode-strata"));
  return () => rmSync(folder, { recursive: true, force: true });
}
