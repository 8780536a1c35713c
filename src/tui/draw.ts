/**
 * Draws lines with the host's elements. Solid and the elements' factory come from the host, at run time.
 *
 * Contract: a slot gets an element or `null`, never a string, which ends OpenCode's TUI (measured with 1.18.33).
 */
import type { Line } from "./format-sidebar.js";
import type { ScreenHost } from "./screen-host.js";

/** What is used of `solid-js` and `@opentui/solid/jsx-runtime`. */
export interface Solid {
  createSignal<Value>(value: Value): [get: () => Value, set: (value: Value) => unknown];
  onCleanup(run: () => void): unknown;
  jsx(type: string, props: object): unknown;
}

/** The host rewrites these imports where they stand, so they must be literal. */
export async function loadSolid(): Promise<Solid> {
  const [{ createSignal, onCleanup }, { jsx }] = await Promise.all([
    import("solid-js"),
    import("@opentui/solid/jsx-runtime"),
  ]);
  return { createSignal, onCleanup, jsx };
}

/**
 * Draws lines that are drawn again when a signal that they read changes. `guarded` answers with its second argument where
 * something throws.
 */
export function createDrawing(
  { jsx }: Pick<Solid, "jsx">,
  host: Pick<ScreenHost, "colour">,
  guarded: <T>(run: () => T, otherwise: T) => T,
): (lines: () => readonly Line[]) => unknown {
  return (lines) =>
    guarded(
      () =>
        jsx("box", {
          // A figure that is cut off is a wrong one.
          flexShrink: 0,
          get children() {
            return guarded(() => lines().map(drawLine), []);
          },
        }),
      null,
    );

  function drawLine(line: Line): unknown {
    return jsx("text", {
      wrapMode: "none",
      get children() {
        return guarded(() => line.map(drawPiece), []);
      },
    });
  }

  function drawPiece({ colour, isBold, text }: Line[number]): unknown {
    const fg = guarded(() => host.colour(colour), undefined);
    const span = jsx("span", { style: { fg }, children: text });
    return isBold ? jsx("b", { children: span }) : span;
  }
}
