/** Pictures of a terminal's screen, drawn from its cells. */
import { describe, expect, it } from "vitest";
import type { Cell, Screen } from "../host/terminal/screen.js";
import { drawRecording, drawScreen } from "../pictures/screen-picture.js";

const PAPER = "#101010";
const cellOf = (text: string, given: Partial<Cell> = {}): Cell => ({
  ...{ text, width: 1, ink: "#eeeeee", paper: PAPER },
  ...{ isBold: false, isDim: false, isItalic: false, isUnderlined: false },
  ...given,
});
const screenOf = (...rows: (readonly Cell[])[]): Screen => ({
  columns: Math.max(...rows.map(({ length }) => length)),
  rows: rows.length,
  cells: rows,
  paper: PAPER,
});
const words = (text: string): Cell[] => [...text].map((letter) => cellOf(letter));
const textsIn = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text = ""]) => text);

describe("drawScreen", () => {
  it("drawScreen draws words once, each at its column, and escapes them", () => {
    const svg = drawScreen(screenOf(words("a <b>  right"), words("")), "x & y");
    expect(textsIn(svg)).toEqual(["a &lt;b&gt;", "right"]);
    expect(svg).toContain("<title>x &amp; y</title>");
    const [first, second] = [...svg.matchAll(/<text x="([\d.]+)"/g)].map(([, x]) => Number(x));
    expect((second ?? 0) - (first ?? 0)).toBeCloseTo(7 * 8.4, 0);
  });

  it("drawScreen draws bars and lines as shapes, in their colours, so that they touch in every font", () => {
    const bar = [cellOf("█", { ink: "#ff0000" }), cellOf("█", { ink: "#ff0000" }), cellOf("░")];
    const svg = drawScreen(screenOf(bar), "bar");
    expect(textsIn(svg)).toEqual([]);
    expect(svg.match(/<rect[^>]*fill="#ff0000"/g)).toHaveLength(1);
    expect(svg).toContain('fill="#eeeeee" opacity="0.25"');
  });

  it("drawScreen draws the background of a cell only where it differs from the corner's", () => {
    const svg = drawScreen(screenOf([cellOf("a"), cellOf("b", { paper: "#222222" })]), "paper");
    expect(svg.match(/fill="#222222"/g)).toHaveLength(1);
    expect(svg.match(new RegExp(`fill="${PAPER}"`, "g"))).toHaveLength(1);
  });
});

describe("drawRecording", () => {
  it("drawRecording draws a row that stays once, and shows the last frame where no motion is wanted", () => {
    const frames = ["one", "two", "three"].map((text) => ({
      screen: screenOf(words("stays"), words(text)),
      seconds: 1,
    }));
    const svg = drawRecording(frames, "x");
    expect(textsIn(svg).sort()).toEqual(["one", "stays", "three", "two"]);
    const last = [...svg.matchAll(/<g class="r p\d+ l">(.*)<\/g>/g)].flatMap(([, row = ""]) => textsIn(row));
    expect(last.sort()).toEqual(["stays", "three"]);
    expect(svg).toContain("prefers-reduced-motion");
    expect(() => drawRecording([], "x")).toThrow("needs a frame");
  });
});
