/** Names that the API defines, for checking what was typed. */
interface Catalogue {
  /** `domains.createDomain`, … */
  operations: string[];
  /** Permissions that operations require: `environment.*.create_domain`, … */
  permissions: string[];
}

/** Imports the API's code on demand: commands that do not need it start faster. */
export async function loadCatalogue(): Promise<Catalogue> {
  const { openOperations, operations } = await import('../api/operations.ts');
  const permissions = operations.map(({ permission }) => `${permission.resource}.*.${permission.action}`);
  return {
    operations: [...operations, ...openOperations].map(({ name }) => name),
    permissions: [...new Set(permissions)],
  };
}
