/** The package as published: an archive with everything bundled. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository, sources } from "../repository.js";

/** Packs the built package into `folder`; returns the path of the archive. */
export function pack(folder: string): string {
  return packFolder(sources, folder);
}

/** Path of the archive that was packed for this run of the tests; packs one into `folder` if there is none. */
export function findArchive(folder: string): string {
  if (repository === sources) return pack(folder);
  const beside = dirname(repository);
  const name = readdirSync(beside).find((one) => one.endsWith(".tgz"));
  return name === undefined ? pack(folder) : join(beside, name);
}

/** Builds and packs it as another version. */
export function packAs(version: string, folder: string): string {
  const stage = join(folder, `package-${version}`);
  mkdirSync(stage, { recursive: true });
  for (const name of ["prompts", "vectors", "config.schema.json"])
    cpSync(join(sources, name), join(stage, name), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(sources, "package.json"), "utf8"));
  writeFileSync(join(stage, "package.json"), JSON.stringify({ ...manifest, version }));
  const build = [join(sources, "scripts/build.mjs"), "--as", version, "--to", join(stage, "dist")];
  execFileSync(process.execPath, build, { stdio: ["ignore", "ignore", "inherit"] });
  return packFolder(stage, folder);
}

/** Unpacks an archive without a package manager; only its files are needed. Returns the package's folder. */
export function unpack(archive: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
  return folder;
}

/** Packs without scripts, which would rebuild `dist/` while other tests use it. */
function packFolder(source: string, folder: string): string {
  const npm = ["pack", source, "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(
    execFileSync("npm", npm, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  ) as [{ filename: string }];
  return join(folder, packed.filename);
}
