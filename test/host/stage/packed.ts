/** The package as people get it: an archive, with what it depends on inside, so that it is installed without a registry. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository.js";

/** Most of 47 MB is for those who load it in another way. */
const UNUSED = /gpt-tokenizer\/(cjs|dist|src|data)(\/|$)|zod\/src(\/|$)|\.(map|d\.c?ts|md)$/;

interface LockedPackage {
  dev?: boolean;
  optional?: boolean;
  peer?: boolean;
}

/** Packs what is built, as this version, into `folder`; the path of the archive. */
export function packAs(version: string, folder: string): string {
  const stage = join(folder, `package-${version}`);
  mkdirSync(stage, { recursive: true });
  for (const name of ["dist", "prompts", "vectors", "config.schema.json"])
    cpSync(join(repository, name), join(stage, name), { recursive: true });
  const { devDependencies: _, scripts: __, ...manifest } = readJson(join(repository, "package.json"));
  writeFileSync(
    join(stage, "package.json"),
    JSON.stringify({ ...manifest, version, bundleDependencies: true }),
  );
  const built = join(stage, "dist/src/version.js");
  writeFileSync(built, readFileSync(built, "utf8").replace(/"[^"]+"/, JSON.stringify(version)));
  for (const path of listDependencies())
    cpSync(join(repository, path), join(stage, path), {
      recursive: true,
      filter: (source) => !UNUSED.test(source),
    });
  const npm = ["pack", stage, "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(
    execFileSync("npm", npm, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  ) as [{ filename: string }];
  return join(folder, packed.filename);
}

/** Folders of what the package needs when it runs. */
function listDependencies(): string[] {
  const { packages } = readJson(join(repository, "package-lock.json")) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, optional, peer }]) => path !== "" && !dev && !optional && !peer)
    .map(([path]) => path);
}

const readJson = (path: string): Record<string, unknown> => JSON.parse(readFileSync(path, "utf8"));
