/** The request for an entity, in the words of its forge. */
export interface ForgeRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
}
