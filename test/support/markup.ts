const VOID = new Set(["meta", "br", "hr", "img", "input", "link", "path", "polyline", "circle"]);

/**
 * Finds errors in our own HTML or SVG: unclosed or wrongly nested elements, unquoted attributes, unescaped `<` and `&`.
 * Not a validator: it knows only the subset we use.
 */
export function findMarkupFaults(markup: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  const withoutStyle = markup.replace(/<style>[\s\S]*?<\/style>/g, "").replace(/^<!doctype html>/i, "");
  const pattern = /<(\/?)([a-z][a-z0-9]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>|([^<]+)|(<)/gi;
  for (const [whole, closing, name = "", , selfClosing, text, stray] of withoutStyle.matchAll(pattern)) {
    if (stray) faults.push(`< that opens nothing: ${withoutStyle.slice(withoutStyle.indexOf(whole), 60)}`);
    if (text && /&(?!(amp|lt|gt|quot|#\d+);)/.test(text)) faults.push(`& that is not escaped: ${text}`);
    if (name === "") continue;
    if (closing) {
      const last = open.pop();
      if (last !== name) faults.push(`</${name}> closes <${last}>`);
    } else if (!selfClosing && !VOID.has(name.toLowerCase())) open.push(name);
  }
  return [...faults, ...open.map((name) => `<${name}> is not closed`)];
}
