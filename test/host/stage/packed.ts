/** The package as published: an archive with everything bundled. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository, sources } from "../repository.js";

/** Path of the archive that was packed for this run of the tests; packs one into `folder` if there is none. */
export function findArchive(folder: string): string {
  if (repository === sources) return pack(folder);
  const beside = dirname(repository);
  const name = readdirSync(beside).find((one) => one.endsWith(".tgz"));
  return name === undefined ? pack(folder) : join(beside, name);
}

/** Unpacks an archive without a package manager; only its files are needed. Returns the package's folder. */
export function unpack(archive: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
  return folder;
}

/** Packs the built package into `folder`, without scripts, which would rebuild `dist/`; returns the path of the archive. */
export function pack(folder: string): string {
  const npm = ["pack", sources, "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(
    execFileSync("npm", npm, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  ) as [{ filename: string }];
  return join(folder, packed.filename);
}
