import type { Command } from 'commander';
import { connect } from './api-client.ts';
import { type ApiOptions, apiCommand } from './options.ts';
import { printable, show } from './output.ts';
import type { ShownDomain } from './show-domain.ts';
import { type Level, type PathOptions, pathFrom, pathOptions } from './tree-commands.ts';

const PATH: Level[] = ['project', 'app', 'environment'];

export function addMove(domains: Command): void {
  const summary =
    'Move a domain to another environment of the workspace. It keeps its records, its status and its certificate, and is served all the time.';
  const command = apiCommand(domains, 'move <domain>', summary, [
    'nameplate domains move shop.example.com --project demo --app web --environment staging',
  ]);
  pathOptions(command, PATH).action(async (name: string, options: ApiOptions & PathOptions) => {
    const api = await connect(options);
    const body = { ...pathFrom(api, options, PATH), domain: name };
    const moved = await api.call<ShownDomain>('domains.moveDomain', body);
    show(
      options,
      moved,
      ({ domain, environmentId }) => `${printable(domain)} is in the environment ${environmentId} now.`,
    );
  });
}
