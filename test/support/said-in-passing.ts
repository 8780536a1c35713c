/** Messages that say something to know later, and do not say so themselves: candidates, by their shape. */
export const PLAYERS =
  "Some words on the club: players are ranked by their average including handicap (src/rank/order.ts). The list is printed on day 1 of a month. Ties go to the younger one.";
export const INVOICES =
  "About the export: customers in Norway get their invoices on paper, so it keeps the postal address (src/export/address.ts). The form has 3 pages. Nobody there uses mail.";
export const LEDGER =
  "On the importer: it reads the ledger in chunks of 5,000 rows as the customer's machine has little memory (src/import/read.ts). They have 40 tills. Each sends a file at night.";

/** The sentence that stands for each. */
export const CORES = {
  players: "players are ranked by their average including handicap",
  invoices: "customers in Norway get their invoices on paper",
  ledger: "it reads the ledger in chunks of 5,000 rows",
} as const;
