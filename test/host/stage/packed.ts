/** The package as people get it: an archive, in which all that it needs is bundled. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sources } from "../repository.js";

/** Packs what is built, as the package's own version, into `folder`; the path of the archive. */
export function pack(folder: string): string {
  return packFolder(sources, folder);
}

/** The same, built as another version. */
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

/** Installs an archive without a package manager: nothing of it is needed but its files. The folder it is in then. */
export function unpack(archive: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
  return folder;
}

/** Without its scripts: they would build `dist/` anew under the other tests. */
function packFolder(source: string, folder: string): string {
  const npm = ["pack", source, "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(
    execFileSync("npm", npm, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  ) as [{ filename: string }];
  return join(folder, packed.filename);
}
