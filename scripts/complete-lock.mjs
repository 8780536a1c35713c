// Adds the optional packages of other platforms to package-lock.json. npm omits them when the registry does not carry
// them, and `npm ci` then rejects the file on every machine.
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
const systems = { android: "android", darwin: "darwin", linux: "linux", windows: "win32", win32: "win32" };
const processors = ["arm64", "arm", "x64"];

let added = 0;
for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isThere(owner, name)) continue;
    lock.packages[`node_modules/${name}`] = describe(name, range, entry);
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`Added ${added} packages of other platforms to package-lock.json`);

/** Whether Node finds the package: it looks beside the owner and in every parent folder. */
function isThere(owner, name) {
  for (let place = owner; ; place = place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/")))) {
    if (lock.packages[`${place}${place ? "/" : ""}node_modules/${name}`]) return true;
    if (place === "") return false;
  }
}

function describe(name, range, owner) {
  const words = name.split(/[-/_.@]/);
  const os = words.map((word) => systems[word]).find(Boolean);
  const cpu = processors.find((processor) => words.includes(processor));
  return {
    version: range.replace(/^[~^]/, ""),
    ...(cpu && { cpu: [cpu] }),
    ...(owner.dev && { dev: true }),
    ...(words.includes("musl") && { libc: ["musl"] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}
