import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { NameplateClient } from '../../client/client.ts';
import type { Person } from './sign-in.ts';

interface Dashboard {
  client: NameplateClient;
  person: Person;
  /** Rejects where the server does not say that it did. */
  signOut(everywhere: boolean): Promise<void>;
}

const Context = createContext<Dashboard | null>(null);

export const DashboardProvider = Context.Provider;

export function useDashboard(): Dashboard {
  const dashboard = useContext(Context);
  if (dashboard === null) throw new Error('no dashboard above this component');
  return dashboard;
}

/** Whether the person may do this on any resource of its kind: `environment`, `update_domain`. The server decides about each. */
export function mayDo({ permissions }: Person, resource: string, action: string): boolean {
  return permissions.some((grant) => grant.startsWith(`${resource}.`) && grant.endsWith(`.${action}`));
}
