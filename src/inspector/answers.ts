/** What the page knows of the server: the types of its answers, and none of its code. */
export type { Memory } from "../memory/memory.js";
export type { Found } from "../memory/search/search.js";
export type { DescribedCandidate } from "../operations/candidates.js";
export type { SaidQuote } from "../operations/find.js";
export type { Todo } from "../status/todo.js";
export type { Done, Failure, Projects } from "./inspector.js";
export type * from "./views.js";
