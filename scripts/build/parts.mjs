/** How the bundles are cut, and how their parts are written. */
import { moveColumns } from "./source-map.mjs";

/** Puts every module that is loaded with `entry` into one part, so that a start reads one file and not fifty. */
export function groupStart(entry) {
  let started;
  return {
    debugName: "start",
    name(id, bundling) {
      started ??= closeOver(entry, (one) => bundling.getModuleInfo(one));
      return started.has(id) ? "start" : null;
    },
  };
}

function closeOver(entry, getModuleInfo) {
  const found = new Set();
  const waiting = [entry];
  for (const id of waiting) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/** Builds as another version than the one in `src/version.ts`. */
export function withVersion(version) {
  return {
    name: "version",
    transform(code, id) {
      if (version === undefined || !id.endsWith("/src/version.ts")) return null;
      return { code: code.replace(/"[^"]+"/, JSON.stringify(version)), map: null };
    },
  };
}

/**
 * Marks a part as what Bun can run as it is. Without the mark Bun parses, transforms and prints every file before it
 * runs it, which is two thirds of a start; with it Bun takes the bytes for Latin-1, so that everything but ASCII is
 * escaped.
 */
export function asBunRunsIt() {
  return {
    name: "as-bun-runs-it",
    generateBundle(_options, bundle) {
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type !== "chunk") continue;
        const { code } = part;
        const [raw] = /String\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(code) ?? [];
        if (raw) throw new Error(`Expected ASCII in what is taken as it is written: ${raw}`);
        const [required] = /(?<!import)\((`|"|')\.{1,2}\/[^`"']+\1\)/.exec(code) ?? [];
        const [common] = /\b__(?:filename|dirname)\b/.exec(code) ?? [];
        if (common) throw new Error(`Expected ES modules, but ${name} has ${common}, which they have not`);
        if (required) throw new Error(`Expected all modules inside, but ${name} requires ${required}`);
        const shebang = /^#!.*\n/.exec(code)?.[0] ?? "";
        part.code = `${shebang}// @bun\n${code.slice(shebang.length).replace(NOT_ASCII, escapeUnits)}`;
        const map = bundle[`${name}.map`];
        if (map) map.source = JSON.stringify(moveColumns(JSON.parse(String(map.source)), code.split("\n")));
      }
    },
  };
}

const NOT_ASCII = /\\?[^\0-\x7f]/g;

function escapeUnits(text) {
  if (text.startsWith("\\"))
    throw new Error(`Expected no escape before a character that is not ASCII: ${text}`);
  return `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
