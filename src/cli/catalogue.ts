/** What the API knows by name, to hold against it what was typed. */
export interface Catalogue {
  /** `domains.createDomain`, … */
  operations: string[];
  /** `environment.*.create_domain`, … */
  grants: string[];
}

/** Loads the API's code, without which other commands are quicker. */
export async function loadCatalogue(): Promise<Catalogue> {
  const { operations } = await import('../api/operations.ts');
  const grants = operations.map(({ permission }) => `${permission.resource}.*.${permission.action}`);
  return { operations: operations.map(({ name }) => name), grants: [...new Set(grants)] };
}
