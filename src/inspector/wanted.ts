import { StrataError } from "../base/error.js";
import type { Check } from "../base/shape.js";

/** Reads the body of a request. @throws StrataError BAD_REQUEST */
export type Wanted<T> = (body: unknown) => T;

/** `what`: the fields that the body must have. */
export const wanted =
  <T>(what: string, check: Check<T>): Wanted<T> =>
  (body) => {
    if (check(body)) return body;
    throw new StrataError("BAD_REQUEST", `expected a JSON object with ${what}; the body differs`);
  };
