import { styleText } from "node:util";

/** Styles a text, or returns it unchanged where no colours are wanted. */
export type Style = Record<"bold" | "dim" | "green" | "yellow" | "red", (text: string) => string>;

/** By default, colours if standard output is a terminal and NO_COLOR is not set. */
export function createStyle(isWanted = process.stdout.isTTY === true && !process.env.NO_COLOR): Style {
  const mark = (name: keyof Style) => (text: string) => (isWanted ? styleText(name, text) : text);
  return {
    bold: mark("bold"),
    dim: mark("dim"),
    green: mark("green"),
    yellow: mark("yellow"),
    red: mark("red"),
  };
}
