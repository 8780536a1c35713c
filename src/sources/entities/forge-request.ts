/** The request for an entity, in the form that its forge expects. */
export interface ForgeRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
}
