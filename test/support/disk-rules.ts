/**
 * How disks other than Linux's tell names apart. The project "windows" of vitest.config.ts plays fault tests with
 * Windows' rules and `path.win32`, "mac" with those of HFS+: STRATA_TEST_DISK names one.
 */

export interface DiskRules {
  /** The path as the disk keeps it, with `/`, and with the drive where there are drives. */
  tidy(path: string): string;
  /** Equal for paths that are one. */
  fold(path: string): string;
  /** Can no file have this path? */
  isRefused(path: string): boolean;
  /** The same as the system and its programs write it. */
  toNative(path: string): string;
}

const linux: DiskRules = {
  tidy: (path) => path,
  fold: (path) => path,
  isRefused: () => false,
  toNative: (path) => path,
};

/** Microsoft, "Naming Files, Paths, and Namespaces". A colon would write a stream of another file. */
const windows: DiskRules = {
  tidy: (path) =>
    path
      .replaceAll("\\", "/")
      .replace(/^\//, "C:/")
      .split("/")
      .map((part) => (/^\.{0,2}$/.test(part) ? part : part.replace(/[. ]+$/, "")))
      .join("/"),
  fold: (path) => path.toUpperCase(),
  isRefused: (path) =>
    path
      .replace(/^[a-z]:(?=[\\/]|$)/i, "")
      .split(/[\\/]/)
      .some((part) => /[<>:"|?*\p{Cc}]|^(con|prn|aux|nul|com\d|lpt\d) *(\.|$)/iu.test(part)),
  toNative: (path) => windows.tidy(path).replaceAll("/", "\\"),
};

/** HFS+: names are stored decomposed, and capitals make no difference. */
const mac: DiskRules = {
  tidy: (path) => path.normalize("NFD"),
  fold: (path) => path.toUpperCase(),
  isRefused: () => false,
  toNative: (path) => path.normalize("NFD"),
};

const OF_PLATFORM: Partial<Record<NodeJS.Platform, string>> = { win32: "windows" };
export const DISK = process.env.STRATA_TEST_DISK ?? OF_PLATFORM[process.platform] ?? "linux";
export const rules: DiskRules = { windows, mac }[DISK] ?? linux;

/**
 * A map by path that finds what the disk takes for the same path, under the name that it was given first. No class of its
 * own, so that it equals a copy.
 */
export function createPathMap<V>(): Map<string, V> {
  const map = new Map<string, V>();
  if (DISK === "linux") return map;
  const names = new Map<string, string>();
  const { delete: remove, get, has, set } = map;
  const find = (path: string): string => names.get(rules.fold(rules.tidy(path))) ?? rules.tidy(path);
  /** A folder keeps the capitals of who made it. */
  const name = (path: string): string => {
    let found = "";
    for (const [n, part] of rules.tidy(path).split("/").entries()) {
      const given = n === 0 ? part : `${found}/${part}`;
      found = names.get(rules.fold(given)) ?? given;
      names.set(rules.fold(given), found);
    }
    return found;
  };
  const methods = {
    get: (path: string) => get.call(map, find(path)),
    has: (path: string) => has.call(map, find(path)),
    set: (path: string, value: V) => set.call(map, name(path), value),
    delete(path: string) {
      const known = find(path);
      names.delete(rules.fold(known));
      return remove.call(map, known);
    },
  };
  for (const [key, value] of Object.entries(methods)) Object.defineProperty(map, key, { value });
  return map;
}
