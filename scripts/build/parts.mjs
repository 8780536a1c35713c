/** Plugins that split the bundles and write their parts. */

/** Groups all static imports of `entry` into one part, so that a start reads one file instead of fifty. */
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

/** Leaves this import to run time, where another bundle's file of the same folder answers it. */
export function fromElsewhere(imported, built) {
  return {
    name: "from-elsewhere",
    resolveId: (id) => (id === imported ? { id: built, external: true } : null),
  };
}

/** Replaces these packages, which only unused code imports, with an empty module. */
export function leaveOut(packages) {
  const EMPTY = "\0left-out";
  return {
    name: "leave-out",
    resolveId: (id) => (packages.includes(id) ? EMPTY : null),
    load: (id) => (id === EMPTY ? "export default undefined;" : null),
  };
}

/**
 * Marks each part with `// @bun`, so that Bun runs it as it is. Without the mark Bun parses, transforms and prints
 * every file first, two thirds of the start time. With it Bun reads the bytes as Latin-1, so all non-ASCII is escaped.
 */
export function asBunRunsIt() {
  return {
    name: "as-bun-runs-it",
    generateBundle(_options, bundle) {
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type !== "chunk") continue;
        const { code } = part;
        const [raw] = /String\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(code) ?? [];
        if (raw) throw new Error(`Expected only ASCII in String.raw, where escapes do not work: ${raw}`);
        const [required] = /(?<!import)\((`|"|')\.{1,2}\/[^`"']+\1\)/.exec(code) ?? [];
        const [common] = /\b__(?:filename|dirname)\b/.exec(code) ?? [];
        if (common) throw new Error(`Expected ES modules, but ${name} uses ${common}, which they lack`);
        if (required) throw new Error(`Expected all modules to be bundled, but ${name} requires ${required}`);
        const shebang = /^#!.*\n/.exec(code)?.[0] ?? "";
        part.code = `${shebang}// @bun\n${code.slice(shebang.length).replace(NOT_ASCII, escapeUnits)}`;
      }
    },
  };
}

const NOT_ASCII = /\\?[^\0-\x7f]/g;

function escapeUnits(text) {
  if (text.startsWith("\\")) throw new Error(`Expected no backslash before a non-ASCII character: ${text}`);
  return `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
