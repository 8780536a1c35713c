/** The filter before a judge: the shape of a message, and none of its words. */
import { describe, expect, it } from "vitest";
import { readStatements, type Statement } from "../../layers/5-auto-memory/words/statements.js";
import { findCore, LEAST_WORTH, weighShape } from "../../layers/5-auto-memory/words/worth.js";
import { MESSAGE, messageOf } from "../support/extraction.js";
import { fc } from "../support/property.js";

const read = (text: string) => readStatements({ id: "msg_1", text });
const weigh = (text: string): number => weighShape({ statements: read(text), characters: text.length });

describe("what a message is worth", () => {
  it("what a message is worth does not depend on its words: any letters in their place weigh the same", () => {
    const letter = fc.constantFrom(..."abdfghklmnprtuz");
    fc.assert(
      fc.property(letter, letter, (one, other) => {
        const worded = MESSAGE.replace(/[a-z]/g, (_, at: number) => (at % 2 === 0 ? one : other));
        expect(weigh(worded)).toBe(weigh(MESSAGE));
      }),
    );
    expect(weigh(messageOf("Never write to the SQLite file from two processes."))).toBe(
      weigh(messageOf("Thanks, I like the colour of the button a lot now.")),
    );
  });

  it("what a message is worth is nothing where it only asks, and less for a greeting than for a description", () => {
    expect(weigh("Why does it fail? Is the port taken? What is in the 3 logs of src/http.ts?")).toBe(0);
    expect(weigh("")).toBe(0);
    expect(weigh("ok, go on")).toBeLessThan(LEAST_WORTH);
    expect(weigh(MESSAGE)).toBeGreaterThanOrEqual(LEAST_WORTH);
  });

  it("the sentence that a person is shown is the fullest one that asks nothing", () => {
    const of = (text: string, isQuestion = false): Statement => ({ text, isItem: false, isQuestion });
    const long = of("Shall we, before anything else is done, look at all of the importers at once?", true);
    expect(findCore([of("Ok."), long, of("The port is 8080.")])).toBe(2);
  });
});
