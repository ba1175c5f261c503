import { allItems, type NameplateClient } from '../../client/client.ts';
import { mayDo, useDashboard } from './context.ts';
import { type Loaded, useLoad } from './load.ts';

/** An environment as people choose it. */
export interface EnvironmentChoice {
  id: string;
  /** `project / app / environment`. */
  title: string;
}

/** All environments that the person sees. */
export function useEnvironments(): Loaded<EnvironmentChoice[]> {
  const { client, person } = useDashboard();
  const isAllowed = mayDo(person, 'project', 'read_project') && mayDo(person, 'app', 'read_app');
  return useLoad('environments', (signal) => (isAllowed ? listEnvironments(client, signal) : Promise.resolve([])));
}

async function listEnvironments(client: NameplateClient, signal: AbortSignal): Promise<EnvironmentChoice[]> {
  const paths: { id: string; path: string[] }[] = [];
  for await (const project of allItems(client.projects.listProjects, {}, { signal })) {
    for await (const app of allItems(client.apps.listApps, { project: project.id }, { signal })) {
      const input = { project: project.id, app: app.id };
      for await (const { id, slug, name } of allItems(client.environments.listEnvironments, input, { signal }))
        paths.push({ id, path: [project.name ?? project.slug, app.name ?? app.slug, name ?? slug] });
    }
  }
  return paths.map(({ id, path }) => ({ id, title: path.join(' / ') }));
}

interface EnvironmentSelectProps {
  environments: readonly EnvironmentChoice[];
  value: string;
  /** The label of no environment; absent where there has to be one. */
  none?: string;
  onChange(id: string): void;
  id?: string;
}

export function EnvironmentSelect({ environments, value, none, onChange, ...rest }: EnvironmentSelectProps) {
  const isKnown = value === '' || environments.some(({ id }) => id === value);
  return (
    <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} {...rest}>
      {none !== undefined && <option value="">{none}</option>}
      {!isKnown && <option value={value}>{value}</option>}
      {environments.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}
