/** How the bundles are cut and what goes with them. */

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
      return code.replace(/"[^"]+"/, JSON.stringify(version));
    },
  };
}

/** Of the packages inside, a source map has the places alone: their sources are published by themselves, and are large. */
export function keepSourcesOfOurs() {
  return {
    name: "sources",
    generateBundle(_options, bundle) {
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type !== "asset" || !name.endsWith(".map")) continue;
        const map = JSON.parse(String(part.source));
        const isOurs = (source) => !source.includes("node_modules/");
        map.sourcesContent = map.sources.map((source, index) =>
          isOurs(source) ? map.sourcesContent[index] : null,
        );
        part.source = JSON.stringify(map);
      }
    },
  };
}
