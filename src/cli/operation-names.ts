import type { RequiredPermission } from '../api/permission-table.ts';

/** Names that the API defines, for checking what was typed. */
interface Catalogue {
  /** `domains.createDomain`, … */
  operations: string[];
  permissions: RequiredPermission[];
}

/** Imports the API's code on demand: commands that do not need it start faster. */
export async function loadCatalogue(): Promise<Catalogue> {
  const { openOperations, operations } = await import('../api/operations.ts');
  const { requiredPermissions } = await import('../api/permission-table.ts');
  return {
    operations: [...operations, ...openOperations].map(({ name }) => name),
    permissions: requiredPermissions(),
  };
}
