/**
 * Loaded before a program with `--import`: rejects every new file below the folder in STRATA_REFUSED with EPERM, as
 * immutable folders, some mounts and Windows do. Needs no special privileges.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { link, mkdir, open, writeFile } = fs;
const refused = process.env.STRATA_REFUSED ?? "\0";

function refuse(action, path) {
  if (!String(path).startsWith(refused)) return;
  throw Object.assign(new Error(`EPERM: operation not permitted, ${action} '${path}'`), { code: "EPERM" });
}

fs.link = async (from, to) => {
  refuse("link", to);
  return link(from, to);
};
fs.mkdir = async (path, options) => {
  if (path !== refused) refuse("mkdir", path);
  return mkdir(path, options);
};
fs.open = async (path, flags, mode) => {
  if (flags !== "r" && flags !== undefined) refuse("open", path);
  return open(path, flags, mode);
};
fs.writeFile = async (path, contents, options) => {
  refuse("open", path);
  return writeFile(path, contents, options);
};
syncBuiltinESMExports();
